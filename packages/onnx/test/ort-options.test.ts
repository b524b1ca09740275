/** Options of onnxruntime's API: taken, told in a warning, or refused. */
import { readFileSync } from 'node:fs';
import { InvalidInputError, OneGpuError } from '@onegpu/core';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import * as ort from '../src/ort/index.ts';
import { PROVIDER_RULES } from '../src/ort/provider-options.ts';
import { RUN_RULES } from '../src/ort/session-handler.ts';
import { SESSION_RULES } from '../src/ort/session-options.ts';
import { type Create, DOUBLE, doubled, WEBGPU, withSession } from './ort-models.ts';

describe('options', () => {
  const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  afterEach(() => warning.mockClear());
  afterAll(() => warning.mockRestore());

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
