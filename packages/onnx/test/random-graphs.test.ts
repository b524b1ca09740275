/**
 * Random graphs, fused and as they are written, against onnxruntime's CPU: what passes, layouts and the memory plan
 * do to values that are read twice, summed with themselves or given out in the middle. Run it with
 * `ONEGPU_RANDOM_GRAPHS=500` to search further, with another seed each time.
 */
import { ortCpu } from '@onegpu/test-models';
import { expectWithin, integerFill, testDevice, WHOLE_MODEL_TOLERANCE } from '@onegpu/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';
import { buildModel } from './model-builder.ts';
import { type RandomGraph, randomGraph } from './random-graph.ts';

const SEARCH = Number(process.env.ONEGPU_RANDOM_GRAPHS ?? 0);
/** A fixed seed keeps the everyday run the same; a search draws its own. */
const PARAMETERS = SEARCH > 0 ? { numRuns: SEARCH } : { numRuns: 16, seed: 20 };

async function compare({ model, dims }: RandomGraph): Promise<void> {
  const bytes = buildModel(model);
  const device = await testDevice();
  const length = dims.reduce((product, extent) => product * extent, 1);
  const feeds = { x: new Tensor('float32', integerFill(length, 3, -4, 4), dims) };
  const expected = await ortCpu(bytes, feeds, { optimization: 'disabled' });
  for (const fusions of [true, false]) {
    const session = await InferenceSession.create(bytes, { device, fusions });
    try {
      const actual = await session.run(feeds);
      for (const [name, { dims: shape, data }] of Object.entries(expected)) {
        expect(actual[name]?.dims, name).toEqual(shape);
        const tolerance = WHOLE_MODEL_TOLERANCE.generatedWeights;
        expectWithin(actual[name]?.data as Float32Array, data as Float32Array, tolerance, shape);
      }
    } finally {
      await session.release();
    }
  }
}

describe('random graphs', () => {
  it('give what onnxruntime gives, with and without fusions', {
    timeout: 120_000 + SEARCH * 5000,
  }, async () => {
    const choices = fc.array(fc.nat(9999), { minLength: 4, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(choices, (list) => compare(randomGraph(list))),
      PARAMETERS,
    );
  });
});
