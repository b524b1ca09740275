/**
 * `onegpu verify` on GPUs that are wrong: a kernel's WGSL is edited on its way into the device, as a broken driver would
 * run it. The broken node is named, written as a case, and the case fails on that GPU and passes on a sound one.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GpuDevice } from '@onegpu/core';
import { InferenceSession, Tensor } from '@onegpu/onnx';
import { decodeTensor } from '@onegpu/onnx/tools';
import { type Verification, verifyModel } from '@onegpu/onnx/verify';
import { ortCpu } from '@onegpu/test-models';
import { expectWithin, newTestDevice, randomFill, testDevice } from '@onegpu/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildModel } from '../../onnx/test/model-builder.ts';
import { findTestFolders } from '../src/conformance/folders.ts';
import { type FolderResult, runTestFolder } from '../src/conformance/run-folder.ts';
import { formatVerification } from '../src/verify/format.ts';
import { writeCase } from '../src/verify/write-case.ts';
import { onegpu } from './onegpu-process.ts';

const DIMS = [1, 3, 7, 11];

/** Two convolutions around a rectifier, a transposition, integers that are moved, and shape arithmetic. */
const MODEL = buildModel({
  inputs: { x: { type: 'float32', dims: [1, 3, 7, 11] }, ids: { type: 'int32', dims: [2, 3] } },
  outputs: ['y', 'moved', 'pooled'],
  nodes: [
    {
      op: 'Conv',
      name: 'stem',
      inputs: ['x', 'w1', 'b1'],
      outputs: ['a'],
      attributes: { pads: [1, 1, 1, 1] },
    },
    { op: 'Relu', name: 'rectify', inputs: ['a'], outputs: ['r'] },
    { op: 'Conv', name: 'mix', inputs: ['r', 'w2'], outputs: ['c'] },
    { op: 'MaxPool', name: 'pool', inputs: ['c'], outputs: ['pooled'], attributes: { kernel_shape: [2, 2] } },
    { op: 'Transpose', name: 'turn', inputs: ['c'], outputs: ['t'], attributes: { perm: [0, 2, 3, 1] } },
    { op: 'Shape', name: 'extents', inputs: ['x'], outputs: ['s'] },
    { op: 'Gather', name: 'batch', inputs: ['s', 'first'], outputs: ['n'] },
    { op: 'Concat', name: 'target', inputs: ['n', 'rest'], outputs: ['shape'], attributes: { axis: 0 } },
    { op: 'Reshape', name: 'flat', inputs: ['t', 'shape'], outputs: ['f'] },
    { op: 'Softmax', name: 'scores', inputs: ['f'], outputs: ['y'] },
    { op: 'Transpose', name: 'ids-turned', inputs: ['ids'], outputs: ['moved'] },
  ],
  initializers: {
    w1: new Tensor('float32', randomFill(4 * 27, 1), [4, 3, 3, 3]),
    b1: new Tensor('float32', randomFill(4, 2), [4]),
    w2: new Tensor('float32', randomFill(20, 3), [5, 4, 1, 1]),
    first: new Tensor('int64', [0n]),
    rest: new Tensor('int64', [-1n]),
  },
});

const FEEDS = {
  x: new Tensor('float32', randomFill(231, 4), DIMS),
  ids: new Tensor('int32', [1, -2, 3, 2 ** 31 - 1, 0, -5], [2, 3]),
};

type Edit = (wgsl: string, label: string) => string;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onegpu-verify-'));
  await writeFile(join(folder, 'model.onnx'), MODEL);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A device of its own whose shaders are what `edit` makes of them. */
async function withFaultyDevice<T>(edit: Edit, work: (device: GpuDevice) => Promise<T>): Promise<T> {
  const device = await newTestDevice();
  const sound = device.raw.createShaderModule.bind(device.raw);
  device.raw.createShaderModule = (descriptor) =>
    sound({ ...descriptor, code: edit(descriptor.code, descriptor.label ?? '') });
  try {
    return await work(device);
  } finally {
    await device.disposeAsync();
  }
}

async function runWritten(name: string, device: GpuDevice): Promise<readonly FolderResult[]> {
  const folders = await findTestFolders(join(folder, name));
  return Promise.all(
    folders.map((entry) =>
      runTestFolder(entry, (model, options) => InferenceSession.create(model, { device, ...options })),
    ),
  );
}

/** Verifies on a faulty device, writes the case, and runs it there and on a sound device. */
async function verifyFaulty(name: string, edit: Edit): Promise<Verification['report']> {
  const report = await withFaultyDevice(edit, async (device) => {
    const { report, failure } = await verifyModel(MODEL, FEEDS, { device });
    if (failure === undefined) throw new Error('the fault was not found');
    await writeCase(join(folder, name), failure);
    expect(await runWritten(name, device)).toMatchObject([{ name, status: 'FAIL' }]);
    return report;
  });
  expect(await runWritten(name, await testDevice())).toEqual([{ name, status: 'PASS', reason: '' }]);
  return report;
}

describe('a faulty kernel', () => {
  it('that is off by less than conformance allows is found, named first, and fails as a case', async () => {
    const report = await verifyFaulty('relu', (wgsl) =>
      wgsl.replace(/x = max\(x, (\S+)\);/, 'x = max(x, $1) * 1.0001;'),
    );
    expect(report).toMatchObject({ passed: false, firstPast: 'rectify' });
    expect(report.nodes.filter((row) => !row.passed).map((row) => row.name)).toEqual(['rectify']);
    expect(report.whole.every((output) => output.name === 'moved' || !output.passed)).toBe(true);
    const text = formatVerification(
      report,
      { model: 'm', all: false, rerun: 'onegpu conformance verify-cases/m' },
      80,
    );
    expect(text).toContain('Relu "rectify", error 1.0e-4');
    expect(text).toContain('onegpu conformance verify-cases/m');
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('that moves the wrong integers is found though the floats are right', async () => {
    const report = await verifyFaulty('move', (wgsl) =>
      wgsl.replace('return src[index];', 'return src[index] ^ select(0u, 1u, src[index] == 3u);'),
    );
    expect(report.firstPast).toBe('ids-turned');
    const row = report.nodes.find((node) => node.name === 'ids-turned');
    expect(row).toMatchObject({ bound: 0, share: Number.POSITIVE_INFINITY });
    expect(row?.outputs[0]?.worst).toEqual({ at: [2, 0], got: 2, expected: 3 });
  });

  it('of a convolution does not poison the nodes behind it', async () => {
    const report = await verifyFaulty('conv', (wgsl, label) =>
      /^conv.*bias/.test(label) ? wgsl.replace(/bias\[([^\]]+)\]/, '(bias[$1] + 0.5)') : wgsl,
    );
    expect(report.nodes.filter((row) => !row.passed).map((row) => row.name)).toEqual(['stem']);
  });
});

describe('a written case', () => {
  it('reads back as the values that were compared, here and in onnxruntime', async () => {
    const data = join(folder, 'relu', 'test_data_set_0');
    const input = decodeTensor(await readFile(join(data, 'input_0.pb')));
    const output = decodeTensor(await readFile(join(data, 'output_0.pb')));
    expect([input.name, output.name]).toEqual(['a', 'r']);
    expect(output.tensor.data).toEqual((input.tensor.data as Float32Array).map((x) => Math.max(x, 0)));
    const model = new Uint8Array(await readFile(join(folder, 'relu', 'model.onnx')));
    const peer = await ortCpu(model, { a: input.tensor });
    expect(peer.r?.data).toEqual(output.tensor.data);
  });

  it('of a convolution holds its weights, and onnxruntime agrees with float64', async () => {
    const data = join(folder, 'conv', 'test_data_set_0');
    const input = decodeTensor(await readFile(join(data, 'input_0.pb'))).tensor;
    const output = decodeTensor(await readFile(join(data, 'output_0.pb'))).tensor;
    const model = new Uint8Array(await readFile(join(folder, 'conv', 'model.onnx')));
    const peer = await ortCpu(model, { x: input });
    const facts = JSON.parse(await readFile(join(folder, 'conv', 'onegpu-case.json'), 'utf8'));
    expect(facts).toMatchObject({ node: 'stem', operator: 'Conv', mode: 'fast' });
    expectWithin(
      peer.a?.data as Float32Array,
      output.data as Float32Array,
      facts.outputs.a.bound,
      output.dims,
    );
  });
});

describe('onegpu verify', () => {
  it('ends with 0 for a sound model, JSON alone on standard output, moved elements bit for bit', async () => {
    const { code, out } = await onegpu(['verify', join(folder, 'model.onnx'), '--json']);
    expect(code).toBe(0);
    const report = JSON.parse(out) as Verification['report'];
    expect(report).toMatchObject({ schema: 'onegpu-verify/1', passed: true });
    const checks = Object.fromEntries(
      report.nodes.map((row) => [row.name, row.outputs[0]?.check ?? row.runsOn]),
    );
    expect(checks).toEqual({
      extents: 'host',
      batch: 'host',
      target: 'host',
      stem: 'sum',
      rectify: 'sum',
      mix: 'sum',
      pool: 'exact',
      turn: 'exact',
      flat: 'exact',
      scores: 'sum',
      'ids-turned': 'exact',
    });
    expect(report.nodes.find((row) => row.name === 'rectify')?.layout).toBe('nhwc4');
    expect(report.whole.map((output) => [output.name, output.check])).toEqual([
      ['y', 'sum'],
      ['moved', 'exact'],
      ['pooled', 'sum'],
    ]);
  });

  it('takes the name of a test model of the checkout', async () => {
    const { code, out, error } = await onegpu(['verify', 'ocr-cls', '--shape', 'x=1x3x48x48', '--json']);
    expect({ code, error }).toMatchObject({ code: 0 });
    expect(JSON.parse(out)).toMatchObject({ model: 'ocr-cls', passed: true, inputs: { x: [1, 3, 48, 48] } });
  });

  it('ends with 2 for wrong words', async () => {
    expect((await onegpu(['verify'])).code).toBe(2);
    expect((await onegpu(['verify', join(folder, 'model.onnx'), '--input', 'z=z.npy'])).code).toBe(2);
  });
});
