/**
 * ONNX's nine light models with seeded weights against onnxruntime's CPU, where the data is there:
 * ONEGPU_CONFORMANCE_DATA names a folder that holds `light` (docs/conformance.md).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ortCpu, seededInput, seedLightWeights } from '@onegpu/test-models';
import { expectWithin, testDevice, WHOLE_MODEL_TOLERANCE } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';
import { decodeTensor } from '../src/proto/decode-tensor.ts';

const data = process.env.ONEGPU_CONFORMANCE_DATA ?? '';
const light = join(data, 'light');
const present = data !== '' && existsSync(light);

describe.skipIf(!present)('light models with seeded weights equal onnxruntime', () => {
  const names = present ? readdirSync(light).sort() : [];

  it.each(names)('%s', { timeout: 600_000 }, async (name) => {
    const folder = join(light, name);
    const model = seedLightWeights(readFileSync(join(folder, 'model.onnx')), name);
    const input = readFileSync(join(folder, 'test_data_set_0', 'input_0.pb'));
    const { dims } = decodeTensor(input, 'input_0.pb').tensor;
    const session = await InferenceSession.create(model, { device: await testDevice() });
    const feeds = { [session.inputNames[0] ?? '']: new Tensor('float32', seededInput(dims, 17), dims) };
    const actual = await session.run(feeds);
    await session.release();
    for (const [output, expected] of Object.entries(await ortCpu(model, feeds))) {
      expect(actual[output]?.dims).toEqual(expected.dims);
      const [values, wanted] = [actual[output]?.data, expected.data] as [Float32Array, Float32Array];
      expectWithin(values, wanted, WHOLE_MODEL_TOLERANCE.generatedWeights, expected.dims);
    }
  });
});
