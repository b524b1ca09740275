/**
 * Broadcasting after numpy: operands are aligned at their last axis, an extent of one is repeated. Neighbouring
 * axes that every operand treats alike are merged, so most cases end with one to three axes; an index of the result
 * becomes an operand's index by one division per axis. https://numpy.org/doc/stable/user/basics.broadcasting.html
 */
import type { GpuKernelShapeError } from '@onegpu/core';
import { misfit } from './misfit.ts';

/** The common shape. @throws GpuKernelShapeError where two extents differ and neither is one. */
export function broadcastDims(operator: string, operands: readonly (readonly number[])[]): readonly number[] {
  const rank = Math.max(0, ...operands.map((dims) => dims.length));
  return Array.from({ length: rank }, (_, axis) => {
    let extent = 1;
    for (const dims of operands) {
      const own = dims[axis - rank + dims.length] ?? 1;
      if (own !== 1 && extent !== 1 && own !== extent) throw mismatch(operator, operands);
      if (own !== 1) extent = own;
    }
    return extent;
  });
}

function mismatch(operator: string, operands: readonly (readonly number[])[]): GpuKernelShapeError {
  return misfit(
    operator,
    'dims',
    operands.map((dims) => `[${dims.join(', ')}]`).join(' and '),
    'what broadcasts: equal extents, or one, on every axis counted from the last',
  );
}

/** One axis of the result after merging. */
export interface BroadcastAxis {
  readonly extent: number;
  /** Step of each operand's index along this axis, 0 where the operand is repeated. */
  readonly strides: readonly number[];
}

/** Merged axes of the result, outermost first; empty for a result of one element. */
export function mergeAxes(
  result: readonly number[],
  operands: readonly (readonly number[])[],
): readonly BroadcastAxis[] {
  const used = (dims: readonly number[], axis: number): boolean =>
    (dims[axis - result.length + dims.length] ?? 1) !== 1;
  const merged: { extent: number; uses: readonly boolean[] }[] = [];
  result.forEach((extent, axis) => {
    if (extent === 1) return;
    const uses = operands.map((dims) => used(dims, axis));
    const last = merged.at(-1);
    if (last?.uses.every((use, operand) => use === uses[operand])) last.extent *= extent;
    else merged.push({ extent, uses });
  });
  const steps = operands.map(() => 1);
  return merged
    .reverse()
    .map(({ extent, uses }) => ({
      extent,
      strides: uses.map((use, operand) => {
        const step = steps[operand] ?? 1;
        if (use) steps[operand] = step * extent;
        return use ? step : 0;
      }),
    }))
    .reverse();
}

/** Words of the uniform block that `broadcastIndexWgsl` reads: per axis its extent and its strides. */
export function broadcastParams(axes: readonly BroadcastAxis[]): readonly number[] {
  return axes.flatMap((axis) => [axis.extent, ...axis.strides]);
}

/** WGSL fields in the order of `broadcastParams`. */
export function broadcastFields(axes: readonly BroadcastAxis[]): readonly string[] {
  return axes.flatMap((axis, index) => [
    `extent${index}: u32`,
    ...axis.strides.map((_, operand) => `stride${index}_${operand}: u32`),
  ]);
}

/** `fn NAME(position: u32) -> u32` from an index of the result to one of the operand; `params` holds the fields. */
export function broadcastIndexWgsl(name: string, axes: readonly BroadcastAxis[], operand: number): string {
  const strides = axes.map((axis) => axis.strides[operand] ?? 0);
  const outermost = strides.findIndex((stride) => stride !== 0);
  if (outermost < 0) return `fn ${name}(position: u32) -> u32 { return 0u; }`;
  if (strides.every((stride) => stride !== 0)) return `fn ${name}(position: u32) -> u32 { return position; }`;
  const lines: string[] = [];
  for (let index = axes.length - 1; index >= outermost; index--) {
    const coordinate = index === 0 ? 'rest' : `rest % params.extent${index}`;
    if (strides[index] !== 0) lines.push(`index += (${coordinate}) * params.stride${index}_${operand};`);
    if (index > outermost) lines.push(`rest = rest / params.extent${index};`);
  }
  return `fn ${name}(position: u32) -> u32 {
  var rest = position;
  var index = 0u;
  ${lines.join('\n  ')}
  return index;
}`;
}
