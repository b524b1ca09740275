import { makeConvProblem, PLAIN_EPILOGUE } from '@onegpu/kernels';
import { describe, expect, test } from 'vitest';
import { type ConvLayer, layerLabel, layerMultiplyAdds, layerRequest } from './conv-layer.ts';
import { DBNET_R18_LAYERS, DBNET_R50_LAYERS } from './dbnet.ts';
import { MOBILENET_V3_LARGE_LAYERS } from './mobilenet-v3.ts';
import { RESNET50_LAYERS } from './resnet50.ts';

const NETWORKS: readonly (readonly [string, readonly ConvLayer[], number, number])[] = [
  ['resnet50', RESNET50_LAYERS, 53, 4.09],
  ['mobilenet-v3-large', MOBILENET_V3_LARGE_LAYERS, 62, 0.22],
  ['dbnet-r18', DBNET_R18_LAYERS, 31, 15.9],
  ['dbnet-r50', DBNET_R50_LAYERS, 64, 27.9],
];

describe.each(NETWORKS)('%s', (network, layers, count, billions) => {
  test('has the convolutions and the work of the network', () => {
    const work = layers.reduce((sum, layer) => sum + layer.count * layerMultiplyAdds(layer), 0);
    expect(layers.reduce((sum, layer) => sum + layer.count, 0)).toBe(count);
    expect(work / 1e9 / billions).toBeCloseTo(1, 1);
  });

  test('has each label once', () => {
    expect(new Set(layers.map((layer) => layerLabel(network, layer))).size).toBe(layers.length);
  });

  test('makes problems', () => {
    for (const layer of layers.filter((entry) => entry.transposed !== true)) {
      const problem = makeConvProblem(
        layerRequest(layer, { batch: 1, layout: 'nhwc4', epilogue: PLAIN_EPILOGUE }),
      );
      expect(problem.oh).toBe(Math.ceil(layer.size / layer.stride));
    }
  });
});
