/**
 * What the pictures of one input need on the GPU: a texture with a layer a picture, and the kernel's parameters. Kept
 * from run to run: the queue keeps the order of writes and submits, so a picture may be written while runs before it,
 * which read the texture, are in flight.
 */
import { type GpuBuffer, type GpuDevice, GpuLimitError, GpuShaderError, rangeBytes } from '@onegpu/core';
import {
  type ImageExtents,
  type ImageProblem,
  imageParams,
  imageParamsBytes,
  imageWorkgroups,
  resampleWgsl,
} from '@onegpu/kernels/core';
import type { FeedStage } from '../gpu-feed.ts';
import { type ImageSource, isImageBytes, unreadSource } from './image-source.ts';

/** A texture serves smaller pictures while it is at most so many times as large. */
const MOST_WASTE = 4;

export interface StageRequest extends ImageExtents {
  /** Pictures. */
  readonly layers: number;
}

interface BoundInput {
  readonly buffer: GPUBuffer;
  readonly byteOffset: number;
  readonly bytes: number;
  readonly group: GPUBindGroup;
}

export class ImageStage implements FeedStage {
  readonly #device: GpuDevice;
  readonly #pipeline: GPUComputePipeline;
  readonly #texture: GPUTexture;
  readonly #params: GPUBuffer;
  #bound: BoundInput | undefined;

  private constructor(
    device: GpuDevice,
    pipeline: GPUComputePipeline,
    { texture, params }: { readonly texture: GPUTexture; readonly params: GPUBuffer },
  ) {
    this.#device = device;
    this.#pipeline = pipeline;
    this.#texture = texture;
    this.#params = params;
  }

  /** @throws GpuLimitError, GpuOutOfMemoryError, GpuShaderError, GpuDeviceLostError */
  static async create(device: GpuDevice, request: StageRequest): Promise<ImageStage> {
    checkLimits(device, request);
    const { width, height, layers } = request;
    const pipeline = await pipelineOf(device);
    const label = `picture ${width}x${height}x${layers}`;
    const texture = await device.createTexture(
      {
        label,
        size: [width, height, layers],
        format: 'rgba8unorm',
        // Copies of what a browser shows are drawn.
        usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
      },
      4 * width * height * layers,
    );
    try {
      const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
      const params = await device.createBuffer({ label, size: imageParamsBytes(layers), usage });
      return new ImageStage(device, pipeline, { texture, params });
    } catch (error) {
      device.destroyBuffer(texture);
      throw error;
    }
  }

  /** Room for these pictures and what found room here, where not much of it is wasted: pictures of several extents take turns. */
  roomWith(request: StageRequest): StageRequest {
    const { width, height, depthOrArrayLayers } = this.#texture;
    const both = {
      width: Math.max(width, request.width),
      height: Math.max(height, request.height),
      layers: Math.max(depthOrArrayLayers, request.layers),
    };
    return areaOf(both) <= MOST_WASTE * areaOf(request) ? both : request;
  }

  /** Whether the texture has exactly these extents. */
  has({ width, height, layers }: StageRequest): boolean {
    const { width: w, height: h, depthOrArrayLayers } = this.#texture;
    return width === w && height === h && layers === depthOrArrayLayers;
  }

  holds({ width, height, layers }: StageRequest): boolean {
    const { width: w, height: h, depthOrArrayLayers } = this.#texture;
    return width <= w && height <= h && layers <= depthOrArrayLayers;
  }

  /** Writes the pictures and encodes the dispatch that makes the input of them. */
  encode(
    encoder: GPUCommandEncoder,
    input: GpuBuffer,
    { sources, problem }: { readonly sources: readonly ImageSource[]; readonly problem: ImageProblem },
  ): void {
    const { queue } = this.#device.raw;
    queue.writeBuffer(this.#params, 0, imageParams(problem));
    sources.forEach((source, layer) => {
      const src = problem.pictures[layer]?.src;
      if (src !== undefined) this.#write(source, layer, src);
    });
    const pass = encoder.beginComputePass();
    pass.setPipeline(this.#pipeline);
    pass.setBindGroup(0, this.#bind(input));
    pass.dispatchWorkgroups(...imageWorkgroups(problem));
    pass.end();
  }

  destroy(): void {
    this.#device.destroyBuffer(this.#texture);
    this.#device.destroyBuffer(this.#params);
  }

  #write(source: ImageSource, layer: number, { width, height }: ImageExtents): void {
    const { queue } = this.#device.raw;
    const destination = { texture: this.#texture, origin: [0, 0, layer] };
    if (isImageBytes(source)) {
      queue.writeTexture(destination, unshared(source.data), { bytesPerRow: 4 * width }, [width, height]);
    } else {
      try {
        queue.copyExternalImageToTexture({ source }, { ...destination, colorSpace: 'srgb' }, [width, height]);
      } catch (cause) {
        throw unreadSource(source, cause);
      }
    }
  }

  #bind(input: GpuBuffer): GPUBindGroup {
    const { buffer, byteOffset } = input;
    const bytes = rangeBytes(input);
    const bound = this.#bound;
    if (bound?.buffer === buffer && bound.byteOffset === byteOffset && bound.bytes === bytes)
      return bound.group;
    const group = this.#device.raw.createBindGroup({
      label: 'image input',
      layout: this.#pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: this.#texture.createView({ dimension: '2d-array' }) },
        { binding: 1, resource: { buffer: this.#params } },
        { binding: 2, resource: { buffer, offset: byteOffset, size: bytes } },
      ],
    });
    this.#bound = { buffer, byteOffset, bytes, group };
    return group;
  }
}

function areaOf({ width, height, layers }: StageRequest): number {
  return width * height * layers;
}

function checkLimits(device: GpuDevice, { width, height, layers }: StageRequest): void {
  const { maxTextureDimension2D, maxTextureArrayLayers } = device.raw.limits;
  const refuse = (field: string, got: string, most: number): GpuLimitError =>
    new GpuLimitError('the pictures are larger or more than a texture holds', {
      subject: 'imageInput',
      field,
      got,
      expected: `at most ${most}`,
      remedy: 'Shrink the source, or feed fewer pictures at once.',
    });
  if (Math.max(width, height) > maxTextureDimension2D)
    throw refuse('maxTextureDimension2D', `${width} x ${height}`, maxTextureDimension2D);
  if (layers > maxTextureArrayLayers)
    throw refuse('maxTextureArrayLayers', `${layers} pictures`, maxTextureArrayLayers);
}

/** WebGPU reads no shared memory. */
function unshared(data: Uint8ClampedArray | Uint8Array): BufferSource {
  const shared = typeof SharedArrayBuffer !== 'undefined' && data.buffer instanceof SharedArrayBuffer;
  return (shared ? data.slice() : data) as BufferSource;
}

const pipelines = new WeakMap<GpuDevice, Promise<GPUComputePipeline>>();

function pipelineOf(device: GpuDevice): Promise<GPUComputePipeline> {
  const known = pipelines.get(device);
  if (known !== undefined) return known;
  const made = compile(device);
  made.catch(() => pipelines.delete(device));
  pipelines.set(device, made);
  return made;
}

async function compile(device: GpuDevice): Promise<GPUComputePipeline> {
  const label = 'image-input/resample/f32';
  try {
    const module = device.raw.createShaderModule({ label, code: resampleWgsl() });
    return await device.raw.createComputePipelineAsync({ label, layout: 'auto', compute: { module } });
  } catch (cause) {
    device.assertUsable();
    const got = cause instanceof Error ? cause.message : String(cause);
    throw new GpuShaderError(
      'the kernel does not compile on this device',
      { subject: label, got },
      { cause },
    );
  }
}
