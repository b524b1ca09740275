/**
 * Every test network on the GPU against onnxruntime's CPU, both exporters, on pictures small enough for a software
 * adapter; `npm run numerics` does the same at the networks' own sizes.
 */
import {
  modelBytes,
  modelNames,
  ocrClassifierPath,
  ortCpu,
  seededInput,
  withInputDims,
} from '@onegpu/test-models';
import { expectWithin, testDevice, WHOLE_MODEL_TOLERANCE } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';

async function compareWithPeer(
  model: Uint8Array | string,
  dims: readonly number[],
  tolerance: number,
): Promise<void> {
  const session = await InferenceSession.create(model, { device: await testDevice() });
  const [inputName = ''] = session.inputNames;
  const feeds = { [inputName]: new Tensor('float32', seededInput(dims, 11), dims) };
  const actual = await session.run(feeds);
  const expected = await ortCpu(model, feeds);
  for (const [name, { dims: shape, data }] of Object.entries(expected)) {
    expect(actual[name]?.dims).toEqual(shape);
    expectWithin(actual[name]?.data as Float32Array, data as Float32Array, tolerance, shape);
  }
  const { hostNodes } = await session.explain({ [inputName]: dims });
  for (const { node, elements } of hostNodes) expect(elements, node).toBeLessThanOrEqual(1024);
  await session.release();
}

describe('whole networks equal onnxruntime', () => {
  it.each(modelNames)('%s', async (name) => {
    const side = name.startsWith('dbnet') ? 96 : 64;
    const dims = [1, 3, side, side];
    const model = withInputDims(await modelBytes(name), dims);
    await compareWithPeer(model, dims, WHOLE_MODEL_TOLERANCE.generatedWeights);
  });

  it('the angle classifier, batch 2', async () => {
    await compareWithPeer(ocrClassifierPath(), [2, 3, 48, 192], WHOLE_MODEL_TOLERANCE.realWeights);
  });
});
