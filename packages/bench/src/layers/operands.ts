/**
 * Memory of one layer's operands, filled with seeded values: normal ones for pictures, of He's spread for weights, so
 * that outputs keep the size of inputs. Zeros or denormals would be timed wrongly where the hardware treats them
 * apart. A block of values repeats, its length a prime, so that no row of a tile looks like the next.
 */
import type { DispatchPlan, GpuBuffer, GpuDevice } from '@onegpu/core';
import { type Layout, layoutElements, paddedChannels } from '@onegpu/kernels';
import { seededTensor } from '../seeded-values.ts';
import type { LayerCandidate, LayerDims } from './candidates.ts';

const PERIOD = 65521;
const block = seededTensor('float32', [PERIOD], 1).data as Float32Array;

/** Buffers of the operands of a candidate, by name. The caller destroys them. @throws GpuOutOfMemoryError */
export async function placeOperands(
  device: GpuDevice,
  { plan, layout }: LayerCandidate,
  dims: LayerDims,
): Promise<Readonly<Record<string, GpuBuffer>>> {
  const terms = dims.weights.slice(1).reduce((product, extent) => product * extent, 1);
  const contents: Record<string, Float32Array | number> = {
    src: imageValues(dims.src, layout),
    weights: packed(plan, 'weights', layoutValues(dims.weights, Math.sqrt(2 / Math.max(1, terms)))),
    bias: packed(plan, 'bias', layoutValues(dims.bias, 0.1)),
    dst: layoutElements(dims.dst, layout),
    ...Object.fromEntries(plan.scratch.map(({ operand, bytes }) => [operand, Math.ceil(bytes / 4)])),
  };
  const operands: Record<string, GpuBuffer> = {};
  try {
    for (const [operand, values] of Object.entries(contents)) {
      operands[operand] = await place(device, operand, values);
    }
  } catch (error) {
    destroyOperands(device, operands);
    throw error;
  }
  return operands;
}

export function destroyOperands(device: GpuDevice, operands: Readonly<Record<string, GpuBuffer>>): void {
  for (const { buffer } of Object.values(operands)) device.destroyBuffer(buffer);
}

/** A picture in its layout; the padding lanes of `nhwc4` hold zero, as kernels may rely on. */
export function imageValues(dims: readonly number[], layout: Layout): Float32Array {
  const values = repeatBlock(layoutElements(dims, layout));
  const [, channels = 0] = dims;
  const stored = paddedChannels(channels);
  if (layout === 'nchw' || stored === channels) return values;
  for (let pixel = 0; pixel < values.length; pixel += stored) {
    values.fill(0, pixel + channels, pixel + stored);
  }
  return values;
}

function layoutValues(dims: readonly number[], deviation: number): Float32Array {
  return repeatBlock(layoutElements(dims, 'nchw')).map((value) => value * deviation);
}

function repeatBlock(length: number): Float32Array {
  const values = new Float32Array(length);
  for (let at = 0; at < length; at += PERIOD)
    values.set(block.subarray(0, Math.min(PERIOD, length - at)), at);
  return values;
}

function packed(plan: DispatchPlan, operand: string, values: Float32Array): Float32Array {
  return plan.packing.find((entry) => entry.operand === operand)?.pack(values) ?? values;
}

async function place(device: GpuDevice, label: string, values: Float32Array | number): Promise<GpuBuffer> {
  const length = typeof values === 'number' ? values : values.length;
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
  // Bindings end on a multiple of 16 bytes.
  const buffer = await device.createBuffer({ label, size: 16 * Math.max(1, Math.ceil(length / 4)), usage });
  if (typeof values !== 'number') device.raw.queue.writeBuffer(buffer, 0, values as BufferSource);
  return { buffer, type: 'float32', byteOffset: 0, length };
}
