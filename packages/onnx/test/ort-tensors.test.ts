/** Tensors of onnxruntime's API: every type in and out, on the GPU, and those that are refused. */
import { UnsupportedOperatorError } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import * as ort from '../src/ort/index.ts';
import { copying, DOUBLE, doubled, WEBGPU, withSession } from './ort-models.ts';

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
