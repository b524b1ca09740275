/** Tensors of the GPU on a canvas, straight from their buffer: heat maps, masks, pictures that a network made. */
import { type GpuDevice, GpuUnavailableError, InvalidInputError, OneGpuError } from '@onegpu/core';
import { checkOptions, describe, kindOf } from '../describe.ts';
import { Tensor } from '../tensor.ts';
import { COLORMAPS, type Colormap, colorSteps, MOST_STEPS } from './colormap.ts';
import { drawWgsl } from './draw.wgsl.ts';

export interface DrawOptions {
  /** Of a tensor of one channel. Default `gray`. */
  readonly colormap?: Colormap;
  /** The values of the first and the last colour; others are clamped. The second may be the smaller one. Default 0 and 1. */
  readonly range?: readonly [number, number];
}

type Canvas = HTMLCanvasElement | OffscreenCanvas;

interface Picture {
  readonly device: GpuDevice;
  readonly buffer: GPUBuffer;
  readonly channels: number;
  readonly height: number;
  readonly width: number;
}

/**
 * Draws a float32 tensor [1, 1, h, w] or [1, 3, h, w] over all of a canvas, which keeps its size: each pixel shows the
 * nearest element. The canvas' context becomes one of WebGPU, on the tensor's device; in pages and in workers. It is drawn
 * when this returns; the promise resolves when WebGPU has taken it. The tensor may be disposed of right away. Whoever reads
 * the canvas (`drawImage`, `transferToImageBitmap`) does so before that promise is awaited: browsers then show it and forget it.
 * @throws InvalidInputError for another tensor or canvas, GpuUnavailableError for a canvas that has no WebGPU (Node.js has no
 * canvas), GpuValidationError, GpuDeviceLostError
 */
export async function drawTensor(tensor: Tensor, canvas: Canvas, options: DrawOptions = {}): Promise<void> {
  checkOptions('drawTensor', options, ['colormap', 'range']);
  const { colormap = 'gray', range = [0, 1] } = options;
  const picture = pictureOf(tensor);
  if (!Object.hasOwn(COLORMAPS, colormap)) {
    throw refusal('there is no such map', 'colormap', String(colormap), Object.keys(COLORMAPS).join(', '));
  }
  const line = lineOf(range);
  picture.device.assertUsable();
  try {
    const context = contextOf(canvas, picture.device);
    const steps = colorSteps(colormap);
    const words = new ArrayBuffer(16 * (2 + MOST_STEPS));
    new Uint32Array(words).set([picture.width, picture.height, picture.channels, steps.length / 4]);
    new Float32Array(words).set([canvas.width, canvas.height, ...line, ...steps], 4);
    await picture.device.guard('drawTensor', () => draw(picture, context, words));
  } catch (cause) {
    throw cause instanceof OneGpuError ? cause : noCanvas(canvas, cause);
  }
}

/** Scale and offset of a range onto 0 to 1. */
function lineOf(range: unknown): readonly [number, number] {
  const isPair = Array.isArray(range) && range.length === 2 && range.every(Number.isFinite);
  const [first = 0, last = 0] = isPair ? (range as readonly number[]) : [];
  const scale = 1 / (last - first);
  const line = [scale, -first * scale] as const;
  if (scale !== 0 && line.every((number) => Number.isFinite(Math.fround(number)))) return line;
  throw refusal('the range is none', 'range', describe(range), 'two numbers that differ, in float32 too');
}

function draw({ device, buffer }: Picture, context: GPUCanvasContext, words: ArrayBuffer): void {
  const { raw } = device;
  const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
  const params = raw.createBuffer({ label: 'drawTensor', size: words.byteLength, usage });
  raw.queue.writeBuffer(params, 0, words);
  const pipeline = pipelineOf(device);
  const group = raw.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [
      { binding: 0, resource: { buffer } },
      { binding: 1, resource: { buffer: params } },
    ],
  });
  const encoder = raw.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: context.getCurrentTexture().createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.draw(3);
  pass.end();
  raw.queue.submit([encoder.finish()]);
  params.destroy(); // Freed when the GPU has done with it.
}

function pictureOf(tensor: Tensor): Picture {
  if (!(tensor instanceof Tensor)) {
    throw refusal('this is no Tensor', 'tensor', kindOf(tensor), 'a Tensor of @onegpu/onnx on the GPU');
  }
  const { device } = tensor;
  if (tensor.location !== 'gpu-buffer' || device === undefined) {
    throw new InvalidInputError('the tensor is not on a GPU that is known', {
      subject: 'drawTensor',
      field: 'tensor',
      got: tensor.location,
      remedy: 'Ask for it by preferredOutputLocation, or give fromGpuBuffer the device.',
    });
  }
  const [batch, channels = 0, height = 0, width = 0] = tensor.dims;
  const isPicture = tensor.dims.length === 4 && batch === 1 && (channels === 1 || channels === 3);
  if (!isPicture || height * width === 0 || tensor.type !== 'float32') {
    const got = `${tensor.type} [${tensor.dims.join(', ')}]`;
    throw refusal('the tensor is no picture', 'tensor', got, 'float32 [1, 1, h, w] or [1, 3, h, w]');
  }
  const buffer = tensor.gpuBuffer;
  if ((buffer.usage & GPUBufferUsage.STORAGE) === 0) {
    throw refusal('shaders cannot read the buffer', 'tensor.gpuBuffer', `usage ${buffer.usage}`, 'STORAGE');
  }
  return { device, buffer, channels, height, width };
}

/** Devices that contexts were configured with. */
const configured = new WeakMap<GPUCanvasContext, GpuDevice>();

function contextOf(canvas: Canvas, device: GpuDevice): GPUCanvasContext {
  const context = typeof canvas?.getContext === 'function' ? canvas.getContext('webgpu') : null;
  if (context === null) throw noCanvas(canvas);
  if (canvas.width * canvas.height === 0) {
    const got = `${canvas.width} x ${canvas.height}`;
    throw refusal('the canvas has no pixels', 'canvas', got, '1 x 1 or more');
  }
  const format = navigator.gpu.getPreferredCanvasFormat();
  if (configured.get(context) !== device || isReconfigured(context, device, format)) {
    context.configure({ device: device.raw, format, alphaMode: 'opaque' });
    configured.set(context, device);
  }
  return context;
}

/** Whether someone else has configured the context since; not told by older browsers. */
function isReconfigured(context: GPUCanvasContext, { raw }: GpuDevice, format: GPUTextureFormat): boolean {
  if (typeof context.getConfiguration !== 'function') return false;
  const now = context.getConfiguration();
  return now?.device !== raw || now.format !== format;
}

/** Without a context, or with one that gives nothing to draw on: of a canvas that was transferred, or is too large. */
function noCanvas(canvas: Canvas, cause?: unknown): GpuUnavailableError {
  const got = cause instanceof Error ? `${kindOf(canvas)}: ${cause.message}` : kindOf(canvas);
  return new GpuUnavailableError(
    'there is no canvas that WebGPU draws on',
    {
      subject: 'drawTensor',
      field: 'canvas',
      got,
      expected: 'HTMLCanvasElement or OffscreenCanvas without another context',
    },
    cause === undefined ? {} : { cause },
  );
}

const pipelines = new WeakMap<GpuDevice, GPURenderPipeline>();

function pipelineOf(device: GpuDevice): GPURenderPipeline {
  const known = pipelines.get(device);
  if (known !== undefined) return known;
  const module = device.raw.createShaderModule({ label: 'drawTensor', code: drawWgsl() });
  const made = device.raw.createRenderPipeline({
    label: 'drawTensor',
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: navigator.gpu.getPreferredCanvasFormat() }] },
  });
  pipelines.set(device, made);
  return made;
}

function refusal(message: string, field: string, got: string, expected: string): InvalidInputError {
  return new InvalidInputError(message, { subject: 'drawTensor', field, got, expected });
}
