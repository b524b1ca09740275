/**
 * Algebra of activation chains: neighbouring steps are merged, and the long forms that exporters write are
 * brought to the one step they mean. Constants are combined in float64.
 *
 *   affine(a, b), affine(c, d)            -> affine(ca, cb + d)
 *   affine(a, b), clip(0, 1)              -> hard-sigmoid(a, b)
 *   affine(a, b), clip(0, c), affine(1/c) -> hard-sigmoid(a/c, b/c)
 *   clip and relu steps in a row          -> one clip
 */
import type { Activation } from '@onegpu/kernels/core';

/** The shortest equal chain. */
export function simplifyChain(steps: readonly Activation[]): Activation[] {
  const result: Activation[] = [];
  for (const step of steps) append(result, step);
  return result;
}

/**
 * The chain that equals `x * chain(x)`: SiLU, hard-swish, mish and GELU (the erf and the sigmoid form), also with a
 * constant factor. Undefined when the product is none of these.
 */
export function selfGated(chain: readonly Activation[]): Activation[] | undefined {
  const steps = simplifyChain(chain);
  const whole = GATES.map((gate) => gate(steps)).find((result) => result !== undefined);
  if (whole !== undefined) return simplifyChain(whole);
  const last = steps.at(-1);
  if (steps.length < 2 || last?.kind !== 'affine' || last.shift !== 0) return undefined;
  const inner = selfGated(steps.slice(0, -1));
  return inner === undefined ? undefined : simplifyChain([...inner, last]);
}

type Gate = (steps: readonly Activation[]) => readonly Activation[] | undefined;

const GATES: readonly Gate[] = [
  /** x sigmoid(x) */
  ([sigmoid, ...rest]) => (sigmoid?.kind === 'sigmoid' && rest.length === 0 ? [{ kind: 'silu' }] : undefined),
  /** x hard-sigmoid(x / 6 + 1 / 2) */
  ([gate, ...rest]) => {
    if (gate?.kind !== 'hard-sigmoid' || rest.length > 0) return undefined;
    return near(gate.alpha, 1 / 6) && near(gate.beta, 0.5) ? [{ kind: 'hard-swish' }] : undefined;
  },
  /** x clip(x + 3, 0, 6) = 6 hard-swish(x) */
  ([shift, clip, ...rest]) => {
    if (shift?.kind !== 'affine' || clip?.kind !== 'clip' || rest.length > 0) return undefined;
    const fits = shift.scale === 1 && shift.shift === 3 && clip.min === 0 && clip.max === 6;
    return fits ? [{ kind: 'hard-swish' }, { kind: 'affine', scale: 6, shift: 0 }] : undefined;
  },
  /** x sigmoid(a x) = silu(a x) / a, GELU's sigmoid form */
  ([scale, sigmoid, ...rest]) => {
    if (scale?.kind !== 'affine' || sigmoid?.kind !== 'sigmoid' || rest.length > 0) return undefined;
    if (scale.shift !== 0 || scale.scale === 0) return undefined;
    return [scale, { kind: 'silu' }, { kind: 'affine', scale: 1 / scale.scale, shift: 0 }];
  },
  /** x (a erf(x / sqrt(2)) + a) = 2a gelu(x) */
  ([scale, erf, shift, ...rest]) => {
    if (scale?.kind !== 'affine' || erf?.kind !== 'erf' || shift?.kind !== 'affine' || rest.length > 0) {
      return undefined;
    }
    const fits = scale.shift === 0 && near(scale.scale, Math.SQRT1_2) && shift.scale === shift.shift;
    return fits ? [{ kind: 'gelu' }, { kind: 'affine', scale: 2 * shift.scale, shift: 0 }] : undefined;
  },
  /** x tanh(softplus(x)) */
  ([softplus, tanh, ...rest]) =>
    softplus?.kind === 'softplus' && tanh?.kind === 'tanh' && rest.length === 0
      ? [{ kind: 'mish' }]
      : undefined,
];

function append(chain: Activation[], step: Activation): void {
  const merged = merge(chain, step);
  if (merged === undefined) {
    chain.push(step);
    return;
  }
  chain.splice(chain.length - merged.consumed);
  for (const next of merged.steps) append(chain, next);
}

interface Merge {
  /** How many steps at the end of the chain the new steps stand for, besides the appended one. */
  readonly consumed: number;
  readonly steps: readonly Activation[];
}

function merge(chain: readonly Activation[], step: Activation): Merge | undefined {
  const top = chain.at(-1);
  switch (step.kind) {
    case 'affine':
      return mergeAffine(chain, step);
    case 'relu':
      if (top?.kind === 'relu') return { consumed: 0, steps: [] };
      return top?.kind === 'clip'
        ? { consumed: 1, steps: [clamped(top, 0, Number.POSITIVE_INFINITY)] }
        : undefined;
    case 'clip':
      if (step.min === 0 && step.max === Number.POSITIVE_INFINITY)
        return { consumed: 0, steps: [{ kind: 'relu' }] };
      if (top?.kind === 'clip') return { consumed: 1, steps: [clamped(top, step.min, step.max)] };
      if (top?.kind === 'relu') {
        const range = { kind: 'clip', min: 0, max: Number.POSITIVE_INFINITY } as const;
        return { consumed: 1, steps: [clamped(range, step.min, step.max)] };
      }
      if (top?.kind === 'affine' && step.min === 0 && step.max === 1) {
        return { consumed: 1, steps: [{ kind: 'hard-sigmoid', alpha: top.scale, beta: top.shift }] };
      }
      return undefined;
    default:
      return undefined;
  }
}

function mergeAffine(
  chain: readonly Activation[],
  step: Extract<Activation, { kind: 'affine' }>,
): Merge | undefined {
  if (Math.fround(step.scale) === 1 && Math.fround(step.shift) === 0) return { consumed: 0, steps: [] };
  const top = chain.at(-1);
  if (top?.kind === 'affine') {
    const scale = step.scale * top.scale;
    const shift = step.scale * top.shift + step.shift;
    return { consumed: 1, steps: [{ kind: 'affine', scale, shift }] };
  }
  const below = chain.at(-2);
  const unitRange =
    top?.kind === 'clip' && top.min === 0 && near(step.scale * top.max, 1) && step.shift === 0;
  if (!unitRange || below?.kind !== 'affine') return undefined;
  const alpha = below.scale / top.max;
  return { consumed: 2, steps: [{ kind: 'hard-sigmoid', alpha, beta: below.shift / top.max }] };
}

/** A clip followed by another: the inner bounds clamped by the outer ones. */
function clamped(
  inner: { readonly min: number; readonly max: number },
  min: number,
  max: number,
): Activation {
  const clamp = (value: number): number => Math.min(Math.max(value, min), max);
  return { kind: 'clip', min: clamp(inner.min), max: clamp(inner.max) };
}

/** Equal up to the rounding of a float32 constant. */
function near(value: number, expected: number): boolean {
  return Math.abs(value - expected) <= 2 ** -22 * Math.abs(expected);
}
