/** Sessions of onnxruntime's API: what they load, and the device that they share. */
import { pathToFileURL } from 'node:url';
import { InvalidInputError } from '@onegpu/core';
import { ocrClassifierPath } from '@onegpu/test-models';
import { testAdapter, testDevice } from '@onegpu/testing';
import * as common from 'onnxruntime-common';
import { describe, expect, it } from 'vitest';
import * as ort from '../src/ort/index.ts';
import { SharedDevice } from '../src/ort/shared-device.ts';
import { encodeModel, modelProto } from './model-builder.ts';
import { DOUBLE, doubled, WEBGPU, withSession } from './ort-models.ts';

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
