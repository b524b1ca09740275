/**
 * Algebra of activation chains: neighbouring steps are merged, and the long forms that exporters write are
 * brought to the one step they mean. Constants are combined in float64.
 *
 *   affine(a, b), affine(c, d)            -> affine(ca, cb + d)
 *   affine(a, b), clip(0, 1)              -> hard-sigmoid(a, b)
 *   affine(a, b), clip(0, c), affine(1/c) -> hard-sigmoid(a/c, b/c)
 *   clip and relu steps in a row          -> one clip
 */
import type { Activation } from '@onegpu/kernels';

/** Bounds of a clip that has none: ONNX's default, the finite float32 range. */
export const LARGEST_FLOAT = 3.4028234663852886e38;

/** The shortest equal chain. */
export function simplifyChain(steps: readonly Activation[]): Activation[] {
  const result: Activation[] = [];
  for (const step of steps) append(result, step);
  return result;
}

/**
 * The chain that equals `x * chain(x)`, times an optional constant factor already in the chain: SiLU, hard-swish,
 * and the sigmoid form of GELU. Undefined when the product is none of these.
 */
export function selfGated(chain: readonly Activation[]): Activation[] | undefined {
  const steps = simplifyChain(chain);
  const last = steps.at(-1);
  if (steps.length > 1 && last?.kind === 'affine' && last.shift === 0) {
    const inner = selfGated(steps.slice(0, -1));
    return inner === undefined ? undefined : simplifyChain([...inner, last]);
  }
  const [first, second] = steps;
  if (steps.length === 1) {
    if (first?.kind === 'sigmoid') return [{ kind: 'silu' }];
    if (first?.kind === 'hard-sigmoid' && near(first.alpha, 1 / 6) && near(first.beta, 0.5)) {
      return [{ kind: 'hard-swish' }];
    }
    return undefined;
  }
  if (steps.length !== 2 || first?.kind !== 'affine') return undefined;
  if (
    second?.kind === 'clip' &&
    second.min === 0 &&
    second.max === 6 &&
    first.scale === 1 &&
    first.shift === 3
  ) {
    return [{ kind: 'hard-swish' }, { kind: 'affine', scale: 6, shift: 0 }];
  }
  if (second?.kind === 'sigmoid' && first.shift === 0 && first.scale !== 0) {
    return [first, { kind: 'silu' }, { kind: 'affine', scale: 1 / first.scale, shift: 0 }];
  }
  return undefined;
}

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
      return top?.kind === 'clip' ? { consumed: 1, steps: [clamped(top, 0, LARGEST_FLOAT)] } : undefined;
    case 'clip':
      if (step.min === 0 && step.max >= LARGEST_FLOAT) return { consumed: 0, steps: [{ kind: 'relu' }] };
      if (top?.kind === 'clip') return { consumed: 1, steps: [clamped(top, step.min, step.max)] };
      if (top?.kind === 'relu') {
        const range = { kind: 'clip', min: 0, max: LARGEST_FLOAT } as const;
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
