/** Pictures as feeds against float64, and what sessions promise about them. */
import { type GpuDevice, GpuLimitError, GpuUnavailableError, InvalidInputError } from '@onegpu/core';
import {
  expectExact,
  expectWithin,
  newTestDevice,
  newTestDeviceAs,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawTensor, type ImageInputOptions, type ImageSource, imageInput } from '../src/image/index.ts';
import { InferenceSession, Tensor } from '../src/index.ts';
import { randomPicture, referenceInput } from './image-reference.ts';
import { buildModel } from './model-builder.ts';

/** Gives what it is fed. */
function identityModel(type: 'float32' | 'float16' = 'float32'): Uint8Array {
  return buildModel({
    inputs: { x: { type, dims: ['n', 'c', 'h', 'w'] } },
    outputs: { y: { type } },
    nodes: [{ op: 'Identity', inputs: ['x'], outputs: ['y'] }],
  });
}

/** [n, 3, h, w] to [n, 2, h, w]. */
function convModel(): Uint8Array {
  const weights = Float32Array.from({ length: 54 }, (_, index) => ((index * 7) % 11) - 5);
  return buildModel({
    inputs: { x: { dims: ['n', 3, 'h', 'w'] } },
    outputs: ['y'],
    nodes: [{ op: 'Conv', inputs: ['x', 'w'], outputs: ['y'], attributes: { pads: [1, 1, 1, 1] } }],
    initializers: { w: new Tensor('float32', weights, [2, 3, 3, 3]) },
  });
}

const IMAGENET = { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] } as const;

async function runAlone(session: InferenceSession, x: Tensor | ReturnType<typeof imageInput>) {
  const { y } = await session.run({ x });
  if (y === undefined) throw new Error('no output');
  return { dims: y.dims, data: y.data as Float32Array };
}

/** Every filter and fit, one behind the other. */
async function bitsOn(device: GpuDevice): Promise<readonly number[]> {
  await using session = await InferenceSession.create(identityModel(), { device, mode: 'deterministic' });
  const source = randomPicture(61, 47, 5);
  const bits: number[] = [];
  for (const options of [
    { width: 24, height: 40, ...IMAGENET },
    { width: 90, height: 31, filter: 'bilinear', fit: 'contain' },
    { width: 13, height: 13, order: 'gray', fit: 'contain' },
  ] as const) {
    const { data } = await runAlone(session, imageInput(source, options));
    bits.push(...new Uint32Array(data.buffer, data.byteOffset, data.length));
  }
  return bits;
}

it('has the same bits in a second run and on a second device', async () => {
  const device = await testDevice();
  const first = await bitsOn(device);
  expect(await bitsOn(device)).toEqual(first);
  const second = await newTestDevice();
  expect(await bitsOn(second)).toEqual(first);
  await second.disposeAsync();
});

describe('pictures as feeds', () => {
  let session: InferenceSession;
  beforeAll(async () => {
    session = await InferenceSession.create(identityModel(), { device: await testDevice() });
  });
  afterAll(() => session?.release());

  const rows: (Required<Pick<ImageInputOptions, 'width' | 'height'>> &
    ImageInputOptions & { readonly source: readonly [number, number] })[] = [
    { source: [37, 27], width: 74, height: 61 },
    { source: [37, 27], width: 17, height: 13, ...IMAGENET },
    { source: [64, 8], width: 8, height: 64, order: 'bgr', ...IMAGENET },
    { source: [31, 29], width: 7, height: 29, order: 'gray', mean: 0.5, std: 0.25 },
    { source: [31, 29], width: 31, height: 29, order: 'gray', mean: 0.5, std: 0.25 },
    { source: [50, 20], width: 23, height: 23, fit: 'contain', padding: [114, 0, 255], ...IMAGENET },
    { source: [20, 50], width: 70, height: 64, fit: 'contain', padding: 114 },
    { source: [41, 23], width: 19, height: 11, filter: 'bilinear', order: 'bgr', std: [0.1, 2, -1] },
    { source: [1, 1], width: 5, height: 3 },
    { source: [600, 3], width: 1, height: 1 },
    { source: [3, 600], width: 2, height: 2, order: 'gray' },
  ];
  it.each(rows)('resamples $source to $width x $height', async ({ source: [sw, sh], ...options }) => {
    const picture = randomPicture(sw, sh, 5);
    const { dims, data } = await runAlone(session, imageInput(picture, options));
    expect(dims).toEqual([1, options.order === 'gray' ? 1 : 3, options.height, options.width]);
    const taps = (src: number, dst: number): number => 2 * Math.ceil(src / dst) + 1;
    // Luma is a sum of three, and a quotient may be off by 2.5 ulp.
    const terms = 3 * taps(sw, options.width) * taps(sh, options.height);
    const tolerance = sumTolerance({ terms, activationUlp: 2.5 });
    expectWithin(data, referenceInput(picture, options), tolerance, dims);
  });

  it.each(['rgb', 'bgr'] as const)('rounds float64 once where nothing is resampled: %s', async (order) => {
    const picture = randomPicture(19, 23, 6);
    const options = { order, ...IMAGENET };
    const padded = { ...options, width: 25, height: 23, fit: 'contain', padding: 7 } as const;
    for (const each of [options, padded]) {
      const { dims, data } = await runAlone(session, imageInput(picture, each));
      expectExact(data, Float32Array.from(referenceInput(picture, each)), dims);
    }
  });

  it('takes several pictures as a batch, sources of any extents', async () => {
    const options = { width: 16, height: 12, fit: 'contain', ...IMAGENET } as const;
    const pictures = [randomPicture(16, 12, 1), randomPicture(33, 9, 2), randomPicture(5, 40, 3)];
    const { y } = await session.run({ x: pictures.map((picture) => imageInput(picture, options)) });
    expect(y?.dims).toEqual([3, 3, 12, 16]);
    const alone: number[] = [];
    for (const picture of pictures)
      alone.push(...(await runAlone(session, imageInput(picture, options))).data);
    expectExact(y?.data as Float32Array, alone, [3, 3, 12, 16]);
  });
});

/** A picture, and the tensor that it is fed as. */
function pictureAndTensor(width: number, height: number, seed: number) {
  const picture = randomPicture(width, height, seed);
  const data = Float32Array.from(referenceInput(picture, IMAGENET));
  return { image: imageInput(picture, IMAGENET), tensor: new Tensor('float32', data, [1, 3, height, width]) };
}

describe('a session fed with pictures', () => {
  it.each(['software', 'hardware'] as const)('runs as with tensors, in any order: %s', async (kind) => {
    const device = await newTestDeviceAs(kind);
    const session = await InferenceSession.create(convModel(), { device });
    // The large one goes through upload buffers where it is fed from the host.
    for (const [width, height] of [
      [9, 7],
      [300, 300],
      [8, 9],
    ] as const) {
      const { image, tensor } = pictureAndTensor(width, height, width);
      const feeds = [tensor, image, image, tensor, image];
      const overlapped = await Promise.all(feeds.map((x) => runAlone(session, x)));
      for (const { data, dims } of overlapped) expectExact(data, overlapped[0]?.data ?? [], dims);
    }
    await session.release();
    device.staging.clear();
    expect(device.memory).toEqual({ buffers: 0, bytes: 0 });
    await device.disposeAsync();
  });

  it('reads a picture before the next one is asked for', async () => {
    const session = await InferenceSession.create(identityModel(), { device: await testDevice() });
    const shared = { data: new Uint8Array(4 * 6), width: 3, height: 2 };
    function* refilled() {
      for (let level = 0; level < 9; level++) {
        shared.data.fill(level);
        yield { x: imageInput(shared, { std: 1 / 255 }) };
      }
    }
    const levels: number[] = [];
    for await (const { y } of session.runMany(refilled())) levels.push(Number(y?.data[17]));
    expect(levels).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    await session.release();
  });

  it('holds no more after 50 runs than after 10, and a profile of it too', async () => {
    const device = await newTestDevice();
    const session = await InferenceSession.create(convModel(), { device });
    const options = { width: 8, height: 8 };
    const run = (index: number) =>
      session.run({ x: imageInput(randomPicture(9 + (index % 5), 30 - (index % 2), index), options) });
    for (let index = 0; index < 10; index++) await run(index);
    const { memory } = device;
    for (let index = 10; index < 50; index++) await run(index);
    expect(device.memory).toEqual(memory);
    // Sources that went elsewhere, and too large ones, take what the runs before them had with them.
    for (let index = 0; index < 10; index++) {
      const gone = randomPicture(9, 30, index);
      const x = imageInput(gone, options);
      structuredClone(gone.data, { transfer: [gone.data.buffer] });
      await expect(session.run({ x })).rejects.toThrow(InvalidInputError);
      const wide = imageInput({ data: new Uint8Array(4 * 20000), width: 20000, height: 1 }, options);
      await expect(session.run({ x: wide })).rejects.toThrow(GpuLimitError);
      await run(index);
    }
    expect(device.memory.buffers).toBeLessThanOrEqual(memory.buffers);
    const report = await session.profile({ x: imageInput(randomPicture(20, 20, 1), options) }, { runs: 1 });
    expect(report.rows.length).toBeGreaterThan(0);
    expect(report.notes.join()).toContain('Input "x" becomes a tensor on the GPU before the first row');
    await session.release();
    device.staging.clear();
    expect(device.memory).toEqual({ buffers: 0, bytes: 0 });
    await device.disposeAsync();
  });
});

describe('refusals', () => {
  const picture = randomPicture(4, 3, 1);
  const wrong: [string, ImageSource, object, RegExp][] = [
    ['no source', null as unknown as ImageSource, {}, /source.*null/],
    ['another object', {} as ImageSource, {}, /source.*Object.*ImageBitmap/],
    ['no picture', { width: 2, height: 2 } as ImageSource, {}, /source.*got Object.*ImageBitmap/],
    ['too few bytes', { ...picture, width: 5 }, {}, /source\.data.*48 bytes.*60 bytes of RGBA for 5 x 3/],
    ['no pixels', { ...picture, width: 0 }, {}, /holds no picture.*0 x 3/],
    ['an extent', picture, { height: 0 }, /height.*got 0/],
    ['a fraction', picture, { width: 1.5 }, /width.*got 1\.5/],
    ['an order', picture, { order: 'rgba' }, /order.*got rgba, expected rgb, bgr, gray/],
    ['a fit', picture, { fit: 'cover' }, /fit.*got cover/],
    ['a filter', picture, { filter: 'cubic' }, /filter.*got cubic/],
    ['too few means', picture, { mean: [0, 1] }, /mean.*a number or 3/],
    ['a zero', picture, { std: 0 }, /std.*not 0/],
    ['no number', picture, { mean: Number.NaN }, /mean.*got NaN/],
    ['a bigint', picture, { std: [1n, 1, 1] }, /std.*got \["1",1,1\]/],
    ['a number beyond float32', picture, { std: 1e-39 }, /std.*that float32 holds, with mean \[0,0,0\]/],
    ['a mean beyond float32', picture, { mean: -1e39 }, /that float32 holds/],
    ['no options', picture, null as unknown as object, /options.*got null/],
    ['an unknown option', picture, { widht: 3 }, /widht.*expected height, width/],
    ['no byte', picture, { padding: 256 }, /padding.*from 0 to 255/],
  ];
  it.each(wrong)('of %s', (_, source, options, message) => {
    expect(() => imageInput(source, options)).toThrow(InvalidInputError);
    expect(() => imageInput(source, options)).toThrow(message);
  });

  it('of tensors that are no pictures to be drawn, and of canvases that Node.js has none of', async () => {
    const device = await testDevice();
    const size = 4 * 3 * 4 * 4;
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC;
    const buffer = await device.createBuffer({ label: 'picture', size, usage });
    const onGpu = (dims: readonly number[]) => Tensor.fromGpuBuffer(buffer, { dims, device });
    const canvas = { width: 2, height: 2 } as OffscreenCanvas;
    await expect(drawTensor(onGpu([1, 3, 4, 4]), canvas)).rejects.toThrow(GpuUnavailableError);
    const wrong: [Tensor, object, RegExp][] = [
      [new Tensor('float32', [1], [1, 1, 1, 1]), {}, /tensor.*got cpu.*preferredOutputLocation/],
      [onGpu([1, 2, 4, 4]), {}, /got float32 \[1, 2, 4, 4\], expected float32 \[1, 1, h, w\]/],
      [onGpu([4, 4]), {}, /no picture/],
      [onGpu([1, 1, 0, 4]), {}, /no picture/],
      [Tensor.fromGpuBuffer(buffer, { dims: [1, 1, 4, 4], dataType: 'int32', device }), {}, /got int32/],
      [Tensor.fromGpuBuffer(buffer, { dims: [1, 1, 4, 4] }), {}, /fromGpuBuffer the device/],
      [onGpu([1, 1, 4, 4]), { colormap: 'jet' }, /colormap.*got jet.*viridis/],
      [onGpu([1, 1, 4, 4]), { range: [1, 1] }, /range.*got \[1,1\]/],
      [onGpu([1, 1, 4, 4]), { range: 5 }, /range.*got 5/],
      [onGpu([1, 1, 4, 4]), { range: [1n, 2n] }, /range.*got \["1","2"\]/],
      [onGpu([1, 1, 4, 4]), { range: [0, 1e-45] }, /range.*float32/],
      [onGpu([1, 1, 4, 4]), { colours: 'gray' }, /colours.*expected colormap, range/],
      [onGpu([1, 1, 4, 4]), null as unknown as object, /options.*null/],
      [null as unknown as Tensor, {}, /tensor.*got Null/],
    ];
    for (const [tensor, options, message] of wrong) {
      await expect(drawTensor(tensor, canvas, options)).rejects.toThrow(InvalidInputError);
      await expect(drawTensor(tensor, canvas, options)).rejects.toThrow(message);
    }
    device.destroyBuffer(buffer);
  });

  it('of what a model or a device does not take, and the session goes on', async () => {
    const device: GpuDevice = await testDevice();
    const session = await InferenceSession.create(convModel(), { device });
    const half = await InferenceSession.create(identityModel('float16'), { device });
    await expect(half.run({ x: imageInput(picture) })).rejects.toThrow(/type.*got float32, expected float16/);
    await expect(session.run({ x: imageInput(picture, { order: 'gray' }) })).rejects.toThrow(
      InvalidInputError,
    );
    const unlike = [imageInput(picture), imageInput(picture, { mean: 1 })];
    await expect(session.run({ x: unlike })).rejects.toThrow(/batch\[1\]/);
    await expect(session.run({ x: [] })).rejects.toThrow(InvalidInputError);
    const wide = { data: new Uint8Array(4 * 20000), width: 20000, height: 1 };
    await expect(session.run({ x: imageInput(wide, { width: 8, height: 8 }) })).rejects.toThrow(
      GpuLimitError,
    );
    const detached = { data: new Uint8Array(48), width: 4, height: 3 };
    const input = imageInput(detached);
    structuredClone(detached.data, { transfer: [detached.data.buffer] });
    await expect(session.run({ x: input })).rejects.toThrow(/source\.data/);
    expect((await session.run({ x: imageInput(picture) })).y?.dims).toEqual([1, 2, 3, 4]);
    await session.release();
    await half.release();
  });
});
