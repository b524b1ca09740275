/** A model whose shapes are fixed has one plan: its constants leave the host, and everything still works. */
import { testDevice } from '@onegpu/testing';
import { expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';
import { inferShapes } from '../src/infer-shapes.ts';
import { letGoOfConstants } from '../src/let-go.ts';
import { prepareModel } from '../src/prepare-model.ts';
import { buildModel } from './model-builder.ts';

/** `kept` is an initializer that is an output too; `filled` is made of a tensor attribute; `small` goes to the GPU. */
function model(batch: number | string): Uint8Array {
  const big = Float32Array.from({ length: 64 * 64 }, (_, index) => (index % 7) - 3);
  return buildModel({
    inputs: { x: { dims: [batch, 64] } },
    outputs: { y: { dims: [batch, 64] }, kept: { dims: [64] }, filled: { type: 'int64', dims: [3] } },
    nodes: [
      { op: 'MatMul', inputs: ['x', 'big'], outputs: ['h'] },
      { op: 'Add', inputs: ['h', 'kept'], outputs: ['s'] },
      { op: 'Relu', inputs: ['s'], outputs: ['y'] },
      {
        op: 'ConstantOfShape',
        inputs: ['shape'],
        outputs: ['filled'],
        attributes: { value: new Tensor('int64', [7n]) },
      },
    ],
    initializers: {
      big: new Tensor('float32', big, [64, 64]),
      kept: new Tensor(
        'float32',
        Float32Array.from({ length: 64 }, (_, index) => index),
      ),
      shape: new Tensor('int64', [3n]),
    },
  });
}

it('gives what a model with a free batch gives, run after run', async () => {
  const device = await testDevice();
  const x = new Tensor(
    'float32',
    new Float32Array(64).map((_, index) => (index % 5) - 2),
    [1, 64],
  );
  const free = await InferenceSession.create(model('batch'), { device });
  const fixed = await InferenceSession.create(model(1), { device });
  const expected = await free.run({ x });
  const runs = await Promise.all([fixed.run({ x }), fixed.run({ x })]);
  for (const outputs of [...runs, await fixed.run({ x })]) expect(outputs).toEqual(expected);
  expect(expected.kept?.data[63]).toBe(63);
  expect(expected.filled?.data).toEqual(new BigInt64Array([7n, 7n, 7n]));

  expect((await fixed.explain({ x: [1, 64] })).steps.length).toBeGreaterThan(0);
  expect((await fixed.profile({ x }, { runs: 1 })).rows.length).toBeGreaterThan(0);
  expect(await fixed.run({ x })).toEqual(expected);
  const x2 = new Tensor('float32', new Float32Array(128), [2, 64]);
  expect((await free.run({ x: x2 })).y?.dims).toEqual([2, 64]);
  await free.release();
  await fixed.release();
});

it('leaves no view of the bytes that were read', async () => {
  const address = `data:application/octet-stream;base64,${Buffer.from(model(1)).toString('base64')}`;
  const prepared = await prepareModel(address, { fusions: false });
  const [input = { name: '', dims: [] }] = prepared.graph.inputs;
  const dims = (input.dims ?? []).map(Number);
  const inferred = inferShapes(prepared.graph, new Map([[input.name, { type: 'float32', dims }]]));
  const views = (): number => {
    const attributes = [...prepared.graph.nodes, ...prepared.folded].flatMap((node) =>
      [...node.attributes.values()].flatMap((entry) => (entry.kind === 'tensor' ? [entry.value] : [])),
    );
    const constants = [...inferred.values.values()].flatMap(({ constant }) => constant ?? []);
    return [...prepared.graph.constants.values(), ...constants, ...attributes].filter(
      ({ data }) => !Array.isArray(data) && data.buffer.byteLength > data.byteLength,
    ).length;
  };
  expect(views()).toBeGreaterThan(0);
  letGoOfConstants(prepared, inferred);
  expect(views()).toBe(0);
});
