/**
 * onnxruntime's API over this runtime: one program for onnxruntime-web, run by onnxruntime-node's CPU and by ours with
 * only its import changed; then every type, option and error.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { InvalidInputError, OneGpuError, UnsupportedOperatorError } from '@onegpu/core';
import { ocrClassifierPath, ocrDetectionPath } from '@onegpu/test-models';
import { expectWithin, testAdapter, testDevice, WHOLE_MODEL_TOLERANCE } from '@onegpu/testing';
import * as common from 'onnxruntime-common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as ort from '../src/ort/index.ts';
import { PROVIDER_RULES } from '../src/ort/provider-options.ts';
import { RUN_RULES } from '../src/ort/session-handler.ts';
import { SESSION_RULES } from '../src/ort/session-options.ts';
import { SharedDevice } from '../src/ort/shared-device.ts';
import type { Tensor } from '../src/tensor.ts';
import { buildModel, encodeModel, modelProto } from './model-builder.ts';

interface Output {
  readonly name: string;
  readonly dims: readonly number[];
  readonly data: readonly number[];
}

interface Report {
  readonly classifier: { readonly whole: Output[]; readonly filled: Output[]; readonly scores: number[] };
  readonly detection: Output[];
}

const APP = readFileSync(new URL('./fixtures/onnxruntime-app.mjs', import.meta.url), 'utf8');

/** What the program prints with `onnxruntime-web` in its import replaced. */
async function runApp(runtime: string, providers: string): Promise<Report> {
  const script = APP.replace("'onnxruntime-web'", `'${runtime}'`);
  const node = ['--conditions=source', '--import', 'tsx', '--input-type=module', '-e', script, '--'];
  const args = [...node, ocrClassifierPath(), ocrDetectionPath(), providers];
  const child = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (output === '') throw new Error(errors);
  return JSON.parse(output) as Report;
}

function expectSameOutputs(actual: readonly Output[], expected: readonly Output[]): void {
  expect(actual.map(({ data, ...rest }) => rest)).toEqual(expected.map(({ data, ...rest }) => rest));
  for (const [index, { data, dims }] of expected.entries()) {
    expectWithin(actual[index]?.data ?? [], data, WHOLE_MODEL_TOLERANCE.realWeights, dims);
  }
}

describe('a program for onnxruntime-web', () => {
  it('says the same with only its import changed', async () => {
    const expected = await runApp('onnxruntime-node', 'cpu');
    const actual = await runApp('@onegpu/onnx/ort', 'webgpu');
    const bare = ({ classifier: { whole, filled, scores, ...rest } }: Report): object => rest;
    expect(bare(actual)).toEqual(bare(expected));
    expectSameOutputs(actual.classifier.whole, expected.classifier.whole);
    expectSameOutputs(actual.classifier.filled, expected.classifier.filled);
    expect(actual.classifier.scores).toEqual(actual.classifier.filled[0]?.data);
    expect(Math.max(...(expected.detection[0]?.data ?? []))).toBeGreaterThan(0.5);
    expectSameOutputs(actual.detection, expected.detection);
    expect(actual).toMatchObject({
      wrongFeed: { isError: true, code: 'invalid-input', text: true },
      missingFeed: { isError: true, text: true },
      noModel: { isError: true, code: 'invalid-model', text: true },
    });
  });
});

type Create = ort.InferenceSession.SessionOptions;

const WEBGPU = { executionProviders: ['webgpu'] };

const DOUBLE = buildModel({
  inputs: { x: { dims: ['batch', 2] } },
  outputs: { y: { dims: ['batch', 2] } },
  nodes: [{ op: 'Add', inputs: ['x', 'x'], outputs: ['y'] }],
});

function copying(type: ConstructorParameters<typeof Tensor>[0]): Uint8Array {
  return buildModel({
    inputs: { x: { type, dims: [2] } },
    outputs: { y: { type, dims: [2] } },
    nodes: [{ op: 'Identity', inputs: ['x'], outputs: ['y'] }],
  });
}

async function withSession<T>(
  model: Uint8Array,
  options: Create,
  work: (session: ort.InferenceSession) => Promise<T>,
): Promise<T> {
  const session = await ort.InferenceSession.create(model, options);
  try {
    return await work(session);
  } finally {
    await session.release();
  }
}

function doubled(session: ort.InferenceSession, batch = 1): Promise<ort.InferenceSession.ReturnType> {
  return session.run({ x: new ort.Tensor('float32', new Float32Array(2 * batch).fill(3), [batch, 2]) });
}

describe('sessions', () => {
  it('load paths, file addresses, buffers and parts of buffers', async () => {
    const path = ocrClassifierPath();
    const held = new Uint8Array(DOUBLE.length + 12);
    held.set(DOUBLE, 8);
    const sessions = [
      await ort.InferenceSession.create(path, WEBGPU),
      await ort.InferenceSession.create(pathToFileURL(path), WEBGPU),
      await ort.InferenceSession.create(held.buffer, 8, DOUBLE.length, WEBGPU),
      await ort.default.InferenceSession.create(DOUBLE),
      await common.InferenceSession.create(DOUBLE, { executionProviders: ['onegpu'] }),
    ];
    expect(sessions.map(({ inputNames }) => inputNames)).toEqual([['x'], ['x'], ['x'], ['x'], ['x']]);
    for (const session of sessions) {
      expect(session).toBeInstanceOf(ort.InferenceSession);
      await session.release();
    }
  });

  it('share the device behind env.webgpu, which ends with them', async () => {
    const one = await ort.InferenceSession.create(DOUBLE);
    const two = await ort.InferenceSession.create(DOUBLE);
    expect(() => Object.assign(ort.env.webgpu, { device: {} })).toThrow(InvalidInputError);
    await one.release();
    await one.release();
    expect((await doubled(two)).y?.data).toEqual(new Float32Array([6, 6]));
    await two.release();
    await expect(doubled(two)).rejects.toMatchObject({ code: 'session-released' });
  });

  it('never get the device of one that ends in the same moment', async () => {
    const shared = new SharedDevice({ forceFallbackAdapter: true } as ort.Env.WebGpuFlags);
    for (let steps = 0; steps < 6; steps++) {
      const last = await shared.lease();
      const asked = shared.lease();
      for (let step = 0; step < steps; step++) await Promise.resolve();
      const ended = last.end();
      const { device, end } = await asked;
      expect(device.isLost).toBe(false);
      await ended;
      await end();
    }
  });

  it('run on a device that is given, which stays', async () => {
    const { raw } = await testDevice();
    const run = () =>
      withSession(DOUBLE, { executionProviders: [{ name: 'webgpu', device: raw }] }, (session) =>
        doubled(session),
      );
    expect((await run()).y?.data).toEqual(new Float32Array([6, 6]));
    expect((await run()).y?.data).toEqual(new Float32Array([6, 6]));
  });

  it("take this runtime's own options with the provider", async () => {
    const stages = new Set<string>();
    const provider: ort.OneGpuProviderOptions = {
      name: 'onegpu',
      mode: 'deterministic',
      adapter: testAdapter(),
      onProgress: ({ stage }) => stages.add(stage),
    };
    await withSession(DOUBLE, { executionProviders: [provider] }, (session) => doubled(session));
    expect([...stages]).toEqual(['import', 'compile']);
  });

  it('read external data that is given', async () => {
    const proto = modelProto({ inputs: { x: { dims: [2] } }, outputs: ['y'] });
    const externalData = [{ key: 'location', value: 'w.bin' }];
    const initializer = [{ name: 'w', dims: [2], dataType: 1, dataLocation: 1, externalData }];
    const node = [{ opType: 'Add', input: ['x', 'w'], output: ['y'] }];
    const model = encodeModel({ ...proto, graph: { ...proto.graph, initializer, node } });
    const w = new Float32Array([1, 2]);
    const x = new ort.Tensor('float32', new Float32Array([10, 20]), [2]);
    for (const data of [w.buffer, new Uint8Array(w.buffer), new Blob([w])]) {
      const options = { externalData: [{ path: './w.bin', data }] };
      const { y } = await withSession(model, options, (session) => session.run({ x }));
      expect(y?.data).toEqual(new Float32Array([11, 22]));
    }
    const absent = ort.InferenceSession.create(model, { externalData: ['/absent/w.bin'] });
    await expect(absent).rejects.toMatchObject({ code: 'invalid-model' });
  });
});

describe('tensors', () => {
  const values = {
    float32: new Float32Array([1.5, -2]),
    float16: new Uint16Array([0x3e00, 0xc000]),
    int8: new Int8Array([1, -2]),
    uint8: new Uint8Array([1, 254]),
    int16: new Int16Array([1, -2]),
    uint16: new Uint16Array([1, 65535]),
    int32: new Int32Array([1, -2]),
    uint32: new Uint32Array([1, 2 ** 32 - 1]),
    int64: new BigInt64Array([1n, -(2n ** 62n)]),
    uint64: new BigUint64Array([1n, 2n ** 63n]),
    bool: new Uint8Array([1, 0]),
  } as const;

  it.each(Object.entries(values))('of %s go in, come out and are filled', async (type, data) => {
    await withSession(copying(type as 'float32'), WEBGPU, async (session) => {
      const x = new ort.Tensor(type as 'float32', data as Float32Array, [2]);
      const { y } = await session.run({ x });
      expect(y).toBeInstanceOf(ort.Tensor);
      expect({ type: y?.type, dims: y?.dims, data: y?.data }).toEqual({ type, dims: [2], data });
      const own = new ort.Tensor(
        type as 'float32',
        new (data.constructor as Float32ArrayConstructor)(2),
        [2],
      );
      const filled = await session.run({ x }, { y: own });
      expect(filled.y).toBe(own);
      expect(own.data).toEqual(data);
    });
  });

  it('of float16 as Float16Array are views of the same bits', async () => {
    class Float16Array extends Uint8Array {} // Two bytes an element, as any view that is no Uint16Array.
    const data = new Float16Array(new Uint16Array([0x3e00, 0xc000]).buffer);
    const x = { type: 'float16', dims: [2], data, location: 'cpu' } as unknown as ort.Tensor;
    const { y } = await withSession(copying('float16'), WEBGPU, (session) => session.run({ x }));
    expect(y?.data).toEqual(new Uint16Array([0x3e00, 0xc000]));
  });

  it.each(['float64', 'string'] as const)('of %s are refused when the model is loaded', async (type) => {
    await expect(ort.InferenceSession.create(copying(type), WEBGPU)).rejects.toThrow(
      UnsupportedOperatorError,
    );
  });

  it('stay on the GPU, go from session to session and come back', async () => {
    const options = { ...WEBGPU, preferredOutputLocation: 'gpu-buffer' } as const;
    await withSession(DOUBLE, options, async (session) => {
      const { y: two } = await doubled(session);
      expect([two?.location, two?.type, two?.dims]).toEqual(['gpu-buffer', 'float32', [1, 2]]);
      const { y: four } = await session.run({ x: two as ort.Tensor });
      const own = ort.Tensor.fromGpuBuffer((two as ort.Tensor).gpuBuffer as GPUBuffer, {
        dataType: 'float32',
        dims: [1, 2],
      });
      expect((await session.run({ x: four as ort.Tensor }, { y: own })).y).toBe(own);
      expect(await two?.getData(true)).toEqual(Float32Array.of(24, 24));
      expect(await four?.getData()).toEqual(Float32Array.of(12, 12));
      four?.dispose();
      await expect(session.run({ x: four as ort.Tensor })).rejects.toThrow(/a disposed tensor/);
    });
    const half = { type: 'float16', dims: [2], data: Uint16Array.of(0x3e00, 0xc000), location: 'cpu' };
    await withSession(copying('float16'), options, async (session) => {
      const { y } = await session.run({ x: half as unknown as ort.Tensor });
      const expected = (
        await withSession(copying('float16'), WEBGPU, (other) =>
          other.run({ x: half as unknown as ort.Tensor }),
        )
      ).y?.data;
      expect(await y?.getData()).toEqual(expected);
      y?.dispose();
    });
    const refused = ort.InferenceSession.create(copying('uint16'), options);
    await expect(refused).rejects.toThrow(/preferredOutputLocation\.y.*got uint16/);
  });

  it('that no buffer holds, have four bits or are none are refused', async () => {
    await withSession(DOUBLE, WEBGPU, async (session) => {
      const gpuBuffer = {} as GPUBuffer;
      const disposed = new ort.Tensor('float32', new Float32Array(2), [1, 2]);
      disposed.dispose();
      const wrong = [
        [
          ort.Tensor.fromGpuBuffer(gpuBuffer, { dataType: 'float32', dims: [1, 2] }),
          /gpuBuffer.*got Object, expected a GPUBuffer/,
        ],
        [disposed, /disposed/],
        [new ort.Tensor('int4', new Uint8Array(1), [1, 2]), /int4/],
        [[1, 2] as unknown as ort.Tensor, /no Tensor/],
        [new ort.Tensor('float32', new Float32Array(3), [1, 3]), /expected 2/],
      ] as const;
      for (const [x, message] of wrong) {
        await expect(session.run({ x })).rejects.toThrow(message);
        await expect(session.run({ x })).rejects.toMatchObject({ code: 'invalid-input' });
      }
    });
  });
});

describe('options', () => {
  const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  afterEach(() => warning.mockClear());

  function warnings(): unknown[] {
    return warning.mock.calls
      .filter(([, name]) => String(name) === ort.OPTION_WARNING)
      .map(([message]) => message);
  }

  async function tell(options: Create): Promise<unknown[]> {
    await withSession(DOUBLE, options, async () => {});
    return warnings();
  }

  it('that ask for what happens anyway are taken', async () => {
    expect(
      await tell({
        executionProviders: [{ name: 'webgpu', preferredLayout: 'NHWC', validationMode: 'basic' }],
        graphOptimizationLevel: 'basic',
        executionMode: 'sequential',
        enableCpuMemArena: true,
        enableMemPattern: true,
        enableProfiling: false,
        preferredOutputLocation: { y: 'cpu-pinned' },
        extra: {},
      }),
    ).toEqual([]);
  });

  it('that change no result are named in one warning', async () => {
    const told = await tell({ executionMode: 'parallel', intraOpNumThreads: 4, enableGraphCapture: true });
    expect(told).toEqual([expect.stringMatching(/executionMode.*intraOpNumThreads.*enableGraphCapture/)]);
    warning.mockClear();
    expect(await tell({ executionMode: 'parallel', logSeverityLevel: 3 })).toEqual([]);
  });

  it.each([
    [{ enableProfiling: true }, /enableProfiling.*profile/],
    [{ optimizedModelFilePath: 'a.onnx' }, /optimizedModelFilePath/],
    [{ preferredOutputLocation: 'texture' }, /preferredOutputLocation.*texture/],
    [{ preferredOutputLocation: { y: 'ml-tensor' } }, /preferredOutputLocation.*ml-tensor/],
    [{ preferredOutputLocation: { z: 'cpu' } }, /preferredOutputLocation.*expected y/],
    [{ extra: { session: { set_denormal_as_zero: '1' } } }, /extra/],
    [{ graphOptimizationLevel: 'most' }, /graphOptimizationLevel.*"most"/],
    [{ freeDimensionOverrides: { batch: -1 } }, /freeDimensionOverrides\.batch/],
    [{ somethingElse: 1 }, /somethingElse/],
    [{ executionProviders: [{ name: 'webgpu', forceCpuNodeNames: ['a'] }] }, /forceCpuNodeNames/],
    [{ executionProviders: [{ name: 'webgpu', mode: 'quick' }] }, /mode.*"quick"/],
    [{ executionProviders: [{ name: 'webgpu', device: {} }] }, /device/],
    [{ externalData: [{ path: 'w.bin', data: 5 }] }, /./],
  ])('are refused: %o', async (options, message) => {
    const made = ort.InferenceSession.create(DOUBLE, options as Create);
    await expect(made).rejects.toThrow(InvalidInputError);
    await expect(made).rejects.toThrow(message);
  });

  it('that no caller with types gives are refused', async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const wrong: readonly [object, RegExp][] = [
      [{ extra: circle }, /SessionOptions\.extra.*got Object/],
      [{ extra: 1n }, /got 1\)/],
      [{ graphOptimizationLevel: 1n }, /graphOptimizationLevel.*got 1,/],
      [{ preferredOutputLocation: null }, /preferredOutputLocation.*got null/],
      [{ preferredOutputLocation: 5 }, /preferredOutputLocation.*got 5/],
      [{ freeDimensionOverrides: null }, /freeDimensionOverrides.*got null/],
      [{ externalData: [null] }, /externalData\[0\]\.path/],
      [{ externalData: [{ path: 'a' }] }, /externalData\[0\]\.data.*undefined.*a Blob/],
      [{ executionProviders: [{ name: 'webgpu', dims: 5 }] }, /SessionOptions\.dims.*got 5/],
      [{ executionProviders: [{ name: 'webgpu', dims: { z: [1] } }] }, /dims\.z.*expected x/],
      [{ executionProviders: [{ name: 'webgpu', signal: 5 }] }, /signal.*an AbortSignal/],
      [{ executionProviders: [{ name: 'webgpu', onProgress: 5 }] }, /onProgress.*a function/],
    ];
    for (const [options, message] of wrong) {
      const refused = ort.InferenceSession.create(DOUBLE, options);
      await expect(refused).rejects.toThrow(message);
      await expect(refused).rejects.toThrow(InvalidInputError);
    }
  });

  it('name providers that are not there', async () => {
    const console_ = vi.spyOn(console, 'warn').mockImplementation(() => {});
    await withSession(DOUBLE, { executionProviders: ['webgpu', 'wasm'] }, (session) => doubled(session));
    expect(console_).toHaveBeenCalledWith(expect.stringContaining('"wasm"'));
    console_.mockRestore();
    const wasm = ort.InferenceSession.create(DOUBLE, { executionProviders: ['wasm'] });
    await expect(wasm).rejects.toThrow(/no available backend found.*wasm/);
  });

  it('freeDimensionOverrides fix extents', async () => {
    const options = { ...WEBGPU, freeDimensionOverrides: { batch: 2, height: 5 } };
    await withSession(DOUBLE, options, async (session) => {
      expect(session.inputMetadata).toEqual([{ name: 'x', isTensor: true, type: 'float32', shape: [2, 2] }]);
      expect(session.outputMetadata).toEqual([{ name: 'y', isTensor: true, type: 'float32', shape: [2, 2] }]);
      expect((await doubled(session, 2)).y?.dims).toEqual([2, 2]);
      await expect(doubled(session, 3)).rejects.toThrow(/freeDimensionOverrides.*"batch"/);
    });
    expect(warnings()).toEqual([expect.stringContaining('freeDimensionOverrides.height')]);
  });

  it('of a run are checked too', async () => {
    await withSession(DOUBLE, WEBGPU, async (session) => {
      const x = new ort.Tensor('float32', new Float32Array(2), [1, 2]);
      await session.run({ x }, { tag: 'one' });
      await session.run({ x }, ['y'], { tag: 'two' });
      expect(warnings()).toEqual([expect.stringContaining('RunOptions.tag')]);
      await expect(session.run({ x }, { terminate: true })).rejects.toThrow(/terminate/);
      const mistaken = { z: null } as ort.InferenceSession.RunOptions;
      await expect(session.run({ x }, mistaken)).rejects.toThrow(/RunOptions.z/);
      expect(() => session.startProfiling()).toThrow(OneGpuError);
      expect(() => session.endProfiling()).toThrow(/profile/);
    });
  });

  it('are all in docs/onnxruntime.md', () => {
    const page = readFileSync(new URL('../../../docs/onnxruntime.md', import.meta.url), 'utf8');
    for (const [name, { kind }] of Object.entries({ ...SESSION_RULES, ...PROVIDER_RULES, ...RUN_RULES })) {
      const row = page.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${name}\``));
      expect(row, name).toContain(kind);
    }
  });
});
