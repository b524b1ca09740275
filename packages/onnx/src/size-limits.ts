/**
 * Tensors against the adapter's limits, before anything is allocated: a tensor is bound whole, so it must fit one
 * buffer and one binding. Arenas need no check, the memory plan adds one where a tensor fits in none.
 */
import { elementBytes, GpuLimitError, type GpuLimits } from '@onegpu/core';
import type { ExecutionPlan } from './execution-plan.ts';
import type { Graph } from './graph.ts';
import type { ShapeInference } from './infer-shapes.ts';
import { elementCount, type TensorType } from './tensor.ts';

type BufferLimits = Pick<GpuLimits, 'maxBufferSize' | 'maxStorageBufferBindingSize'>;

/** Largest number of bytes of one tensor, and the name of the limit that says so. */
export function largestTensor(limits: BufferLimits): {
  readonly bytes: number;
  readonly limit: keyof BufferLimits;
} {
  const { maxBufferSize, maxStorageBufferBindingSize } = limits;
  return maxBufferSize < maxStorageBufferBindingSize
    ? { bytes: maxBufferSize, limit: 'maxBufferSize' }
    : { bytes: maxStorageBufferBindingSize, limit: 'maxStorageBufferBindingSize' };
}

/**
 * Checks what the graph computes at the extents of a run, before it is lowered.
 * @throws GpuLimitError naming the first value that is too large, its dims, its bytes and the limit.
 */
export function checkValueSizes(graph: Graph, inferred: ShapeInference, limits: BufferLimits): void {
  const inputs = graph.inputs.map((input) => input.name);
  const names = [...inputs, ...inferred.nodes.flatMap((node) => node.outputs)];
  for (const name of names) {
    const info = inferred.values.get(name);
    if (info === undefined || info.constant !== undefined) continue;
    const bytes = wordsOf(info.type) * 4 * elementCount(info.dims);
    checkSize(`tensor "${name}" [${info.dims.join(', ')}]`, bytes, limits);
  }
}

/** Words an element takes at most, in the largest form it is computed in. */
function wordsOf(type: TensorType): number {
  return type === 'int64' || type === 'uint64' ? 2 : 1;
}

/** Checks storage: padded channels and scratch included. @throws GpuLimitError as `checkValueSizes` does. */
export function checkStorageSizes(execution: ExecutionPlan, limits: BufferLimits): void {
  for (const { id, elements, type } of execution.tensors) {
    checkSize(`tensor "${id}"`, elements * elementBytes(type), limits);
  }
  for (const { plan } of execution.steps) {
    for (const { operand, bytes } of plan.scratch) {
      checkSize(`${operand} of ${plan.label}`, bytes, limits);
    }
  }
}

/** @throws GpuLimitError when one buffer or binding cannot hold that many bytes. */
export function checkSize(subject: string, bytes: number, limits: BufferLimits): void {
  const largest = largestTensor(limits);
  if (bytes <= largest.bytes) return;
  throw new GpuLimitError('it is larger than this adapter allows', {
    subject,
    field: largest.limit,
    got: `${bytes} bytes`,
    expected: `at most ${largest.bytes}`,
    remedy: 'Use a smaller input or batch, or an adapter with a larger limit.',
  });
}
