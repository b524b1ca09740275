/** The networks that the project runs, imported: real weights and the graphs of both PyTorch exporters. */
import { OneGpuError } from '@onegpu/core';
import { defaultInputDims, modelBytes, modelNames, ocrModelNames } from '@onegpu/test-models';
import { describe, expect, it } from 'vitest';
import { importModel } from '../src/import.ts';
import { modelInfo } from '../src/model-info.ts';
import { decodeModel } from '../src/proto/decode-model.ts';

describe('real models', () => {
  it.each([...ocrModelNames, ...modelNames])('%s is imported', async (name) => {
    const { graph, unsupported } = importModel(decodeModel(await modelBytes(name)));
    expect(unsupported).toEqual([]);
    expect(graph.inputs).toHaveLength(1);
    expect(graph.outputs).toHaveLength(1);
    expect(graph.constants.size).toBeGreaterThan(40);
    expect(graph.nodes.map((node) => node.opType)).not.toContain('Constant');
  });

  // The networks' published counts at 224x224: 1.81 G, 4.09 G, 57 M and 217 M.
  it.each([
    ['resnet18', 1_814_073_344],
    ['resnet50', 4_089_184_256],
    ['mobilenet_v3_small', 56_510_400],
    ['mobilenet_v3_large', 216_589_760],
  ] as const)('%s has the same work from both exporters', async (name, multiplyAdds) => {
    for (const variant of [name, `${name}_dynamo`] as const) {
      const shapes = { input: defaultInputDims(variant) };
      const info = modelInfo(await modelBytes(variant), { shapes });
      expect(info.unsupported).toEqual([]);
      expect(info.multiplyAdds).toBe(multiplyAdds);
    }
  });

  it.each(ocrModelNames)('%s cut anywhere gives a typed error', async (name) => {
    const bytes = await modelBytes(name);
    for (let part = 0; part < 50; part++) {
      const length = Math.floor((bytes.length * part) / 50);
      expect(() => modelInfo(bytes.subarray(0, length)), `${length} of ${bytes.length} bytes`).toThrow(
        OneGpuError,
      );
    }
  });

  it('one changed byte gives a model or a typed error', async () => {
    const bytes = Uint8Array.from(await modelBytes('ocr-cls'));
    for (let step = 0; step < 50; step++) {
      const at = (step * 7919) % 40_000;
      const kept = bytes[at] ?? 0;
      bytes[at] = kept ^ (1 << (step % 8));
      try {
        importModel(decodeModel(bytes));
      } catch (error) {
        expect(error, `byte ${at}`).toBeInstanceOf(OneGpuError);
      }
      bytes[at] = kept;
    }
  });
});
