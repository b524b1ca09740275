import { readFile } from 'node:fs/promises';
import onnxProto, { type onnx } from 'onnx-proto';
import { describe, expect, it } from 'vitest';
import { fillWeights, parseFill } from './fill-weights.ts';
import { modelNames } from './models.ts';
import { normalValues, randomStream } from './random.ts';

const FLOAT = 1;
const INT64 = 7;

function graphOf(initializers: onnx.ITensorProto[]): Uint8Array {
  return onnxProto.onnx.ModelProto.encode({ irVersion: 8, graph: { initializer: initializers } }).finish();
}

/** The values of each initializer, by name. */
function weightsOf(model: Uint8Array): Map<string, Float32Array> {
  const initializers = onnxProto.onnx.ModelProto.decode(model).graph?.initializer ?? [];
  return new Map(
    initializers.map(({ name, rawData }) => [
      name ?? '',
      new Float32Array(Uint8Array.from(rawData ?? []).buffer),
    ]),
  );
}

const kernel = { name: 'kernel', dataType: FLOAT, dims: [8, 3, 3, 3], docString: 'fill mean=0 std=0.5' };
const gain = { name: 'gain', dataType: FLOAT, dims: [7], docString: 'fill mean=1.5 std=0.25' };

describe('parseFill', () => {
  it('reads mean and standard deviation', () => {
    expect(parseFill('fill mean=-0.0005015 std=0.02551')).toEqual({ mean: -0.0005015, std: 0.02551 });
  });

  it('leaves other texts alone', () => {
    expect(parseFill('')).toBeUndefined();
    expect(parseFill('a weight that one may fill')).toBeUndefined();
  });

  it('refuses a spread that is no number or negative', () => {
    expect(() => parseFill('fill mean=0 std=wide')).toThrow(/std/);
    expect(() => parseFill('fill mean=0 std=-1')).toThrow(/std/);
  });
});

describe('fillWeights', () => {
  it('gives the same values every time, whatever the order of the initializers', () => {
    const forward = weightsOf(fillWeights(graphOf([kernel, gain]), 'net'));
    const backward = weightsOf(fillWeights(graphOf([gain, kernel]), 'net'));
    expect(forward.get('kernel')).toEqual(backward.get('kernel'));
    expect(forward.get('gain')).toEqual(backward.get('gain'));
    expect(forward.get('kernel')).toHaveLength(8 * 3 * 3 * 3);
    expect(forward.get('gain')).toHaveLength(7);
  });

  it('gives other values to another model and to another initializer', () => {
    const one = weightsOf(fillWeights(graphOf([gain, { ...gain, name: 'gain2' }]), 'net'));
    const two = weightsOf(fillWeights(graphOf([gain]), 'net2'));
    expect(one.get('gain')).not.toEqual(two.get('gain'));
    expect(one.get('gain')).not.toEqual(one.get('gain2'));
  });

  it('keeps the bytes of initializers that ask for no fill', () => {
    const shape = {
      name: 'shape',
      dataType: INT64,
      dims: [1],
      rawData: new Uint8Array([5, 0, 0, 0, 0, 0, 0, 0]),
    };
    const filled = onnxProto.onnx.ModelProto.decode(fillWeights(graphOf([shape, gain]), 'net'));
    expect([...(filled.graph?.initializer?.[0]?.rawData ?? [])]).toEqual([5, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('refuses to fill integers', () => {
    const wrong = { ...gain, dataType: INT64 };
    expect(() => fillWeights(graphOf([wrong]), 'net')).toThrow(/"gain" of net/);
  });
});

describe('normalValues', () => {
  it('has the mean, the spread and the tails of a normal distribution', () => {
    const length = 100_001;
    const values = normalValues(length, { mean: 2, std: 3 }, randomStream('statistics'));
    const scaled = Array.from(values, (value) => (value - 2) / 3);
    const moment = (power: number): number => scaled.reduce((sum, value) => sum + value ** power, 0) / length;
    // Five standard errors: sqrt(1/n) of the mean, sqrt(2/n) of the variance, sqrt(15/n) and sqrt(96/n) above.
    expect(Math.abs(moment(1))).toBeLessThan(5 * Math.sqrt(1 / length));
    expect(Math.abs(moment(2) - 1)).toBeLessThan(5 * Math.sqrt(2 / length));
    expect(Math.abs(moment(3))).toBeLessThan(5 * Math.sqrt(15 / length));
    expect(Math.abs(moment(4) - 3)).toBeLessThan(5 * Math.sqrt(96 / length));
    const beyondTwo = scaled.filter((value) => Math.abs(value) > 2).length / length;
    expect(Math.abs(beyondTwo - 0.0455)).toBeLessThan(5 * Math.sqrt((0.0455 * 0.9545) / length));
  });

  it('does not correlate neighbours', () => {
    const length = 50_000;
    const values = normalValues(length, { mean: 0, std: 1 }, randomStream('neighbours'));
    const product = (lag: number): number =>
      values.subarray(lag).reduce((sum, value, i) => sum + value * (values[i] ?? 0), 0) / length;
    for (const lag of [1, 2, 3]) expect(Math.abs(product(lag))).toBeLessThan(5 / Math.sqrt(length));
  });
});

describe('the graphs', () => {
  it.each(modelNames)(
    '%s: every float initializer has its bytes or a fill, every variance is positive',
    async (name) => {
      const graph = await readFile(new URL(`../graphs/${name}.onnx`, import.meta.url));
      const model = onnxProto.onnx.ModelProto.decode(graph);
      const initializers = model.graph?.initializer ?? [];
      for (const { docString, rawData, name: initializer } of initializers) {
        const isFilled = parseFill(docString ?? '') !== undefined;
        expect(isFilled !== (rawData ?? []).length > 0, initializer ?? '').toBe(true);
      }
      const variances = (model.graph?.node ?? [])
        .filter((node) => node.opType === 'BatchNormalization')
        .map((node) => weightsOf(graph).get(node.input?.[4] ?? ''));
      for (const variance of variances) expect(Math.min(...(variance ?? []))).toBeGreaterThan(0);
    },
  );
});
