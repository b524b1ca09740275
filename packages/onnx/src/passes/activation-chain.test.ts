/** Simplified chains compute the same function; the long forms of exporters become one step. */
import type { Activation } from '@onegpu/kernels';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { selfGated, simplifyChain } from './activation-chain.ts';

const clamp = (x: number, min: number, max: number): number => Math.min(Math.max(x, min), max);

/** The chain in float64. */
function evaluate(chain: readonly Activation[], value: number): number {
  return chain.reduce((x, step) => {
    switch (step.kind) {
      case 'relu':
        return Math.max(x, 0);
      case 'clip':
        return clamp(x, step.min, step.max);
      case 'affine':
        return step.scale * x + step.shift;
      case 'hard-sigmoid':
        return clamp(step.alpha * x + step.beta, 0, 1);
      case 'hard-swish':
        return (x * clamp(x + 3, 0, 6)) / 6;
      case 'sigmoid':
        return 1 / (1 + Math.exp(-x));
      case 'silu':
        return x / (1 + Math.exp(-x));
      case 'tanh':
        return Math.tanh(x);
      default:
        throw new Error(`the test does not evaluate ${step.kind}`);
    }
  }, value);
}

const affine = (scale: number, shift: number): Activation => ({ kind: 'affine', scale, shift });
const clip = (min: number, max: number): Activation => ({ kind: 'clip', min, max });

const step: fc.Arbitrary<Activation> = fc.oneof(
  fc.constant<Activation>({ kind: 'relu' }),
  fc.constant<Activation>({ kind: 'hard-swish' }),
  fc.constant<Activation>({ kind: 'tanh' }),
  fc
    .record({ scale: fc.integer({ min: -4, max: 4 }), shift: fc.integer({ min: -4, max: 4 }) })
    .map((a) => affine(a.scale, a.shift)),
  fc
    .record({ min: fc.integer({ min: -3, max: 1 }), size: fc.integer({ min: 0, max: 6 }) })
    .map((c) => clip(c.min, c.min + c.size)),
);

describe('simplifyChain', () => {
  it('computes the same function with no more steps', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.integer({ min: -20, max: 20 }), (chain, eighths) => {
        const simple = simplifyChain(chain);
        expect(simple.length).toBeLessThanOrEqual(chain.length);
        expect(evaluate(simple, eighths / 8)).toBeCloseTo(evaluate(chain, eighths / 8), 8);
      }),
    );
  });

  it.each<[string, Activation[], Activation[]]>([
    ['affine steps', [affine(2, 1), affine(3, -1)], [affine(6, 2)]],
    ['an identity', [affine(1, 0)], []],
    ['six times a float32 sixth', [affine(6, 0), affine(Math.fround(1 / 6), 0)], []],
    ['relu behind relu', [{ kind: 'relu' }, { kind: 'relu' }], [{ kind: 'relu' }]],
    ['an unbounded clip from zero', [clip(0, Number.POSITIVE_INFINITY)], [{ kind: 'relu' }]],
    ['relu and a lower bound', [{ kind: 'relu' }, clip(-1, 6)], [clip(0, 6)]],
    [
      'hard sigmoid',
      [affine(1, 3), clip(0, 6), affine(1 / 6, 0)],
      [{ kind: 'hard-sigmoid', alpha: 1 / 6, beta: 0.5 }],
    ],
    [
      'hard sigmoid of its own slope',
      [affine(0.2, 0.5), clip(0, 1)],
      [{ kind: 'hard-sigmoid', alpha: 0.2, beta: 0.5 }],
    ],
  ])('merges %s', (_, chain, expected) => {
    expect(simplifyChain(chain)).toEqual(expected);
  });
});

describe('selfGated', () => {
  it.each<[string, Activation[], Activation[]]>([
    ['silu', [{ kind: 'sigmoid' }], [{ kind: 'silu' }]],
    ['hard-swish', [affine(1, 3), clip(0, 6), affine(1 / 6, 0)], [{ kind: 'hard-swish' }]],
    ['six hard-swish', [affine(1, 3), clip(0, 6)], [{ kind: 'hard-swish' }, affine(6, 0)]],
    [
      'the sigmoid form of GELU',
      [affine(1.702, 0), { kind: 'sigmoid' }],
      [affine(1.702, 0), { kind: 'silu' }, affine(1 / 1.702, 0)],
    ],
    ['mish', [{ kind: 'softplus' }, { kind: 'tanh' }], [{ kind: 'mish' }]],
    ['GELU', [affine(Math.SQRT1_2, 0), { kind: 'erf' }, affine(0.5, 0.5)], [{ kind: 'gelu' }]],
  ])('finds %s', (_, chain, expected) => {
    expect(selfGated(chain)).toEqual(expected);
  });

  it('leaves other products alone', () => {
    expect(selfGated([{ kind: 'hard-sigmoid', alpha: 0.2, beta: 0.5 }])).toBeUndefined();
    expect(selfGated([{ kind: 'tanh' }])).toBeUndefined();
    expect(selfGated([affine(1, 2), clip(0, 6)])).toBeUndefined();
    expect(selfGated([])).toBeUndefined();
  });

  it('computes x times the chain', () => {
    for (const chain of [
      [affine(1, 3), clip(0, 6)],
      [affine(2, 0), { kind: 'sigmoid' } as const],
    ]) {
      for (const x of [-4, -1.5, 0, 0.25, 2, 7]) {
        expect(evaluate(selfGated(chain) ?? [], x)).toBeCloseTo(x * evaluate(chain, x), 10);
      }
    }
  });
});
