/**
 * A function of one to three tensors, element by element, with numpy broadcasting: arithmetic on integers of every
 * width, comparisons, logic, a choice by a condition, tests of floats, and conversions between types. Dense (`nchw`)
 * tensors of any rank.
 */
import { type BroadcastAxis, broadcastDims, mergeAxes } from '../shared/broadcast.ts';
import { elementCount } from '../shared/layout.ts';
import { misfit } from '../shared/misfit.ts';
import type { MapElement } from './element.ts';
import { type MapFunction, type MapSignature, mapSignature } from './functions.wgsl.ts';

export interface MapRequest {
  readonly function: MapFunction;
  /** Class of the numbers; of both choices of `where`, of the source of a conversion. */
  readonly element: MapElement;
  /** Class of a conversion's result. */
  readonly to?: MapElement;
  /** Extents of each operand; the condition comes first. */
  readonly operands: readonly (readonly number[])[];
}

export interface MapProblem {
  readonly function: MapFunction;
  readonly signature: MapSignature;
  readonly operands: readonly (readonly number[])[];
  /** Extents of the result. */
  readonly dims: readonly number[];
  readonly elements: number;
  /** Merged axes; operands in their order. */
  readonly axes: readonly BroadcastAxis[];
}

/** @throws GpuKernelShapeError for shapes that do not broadcast, another number of operands, a class without meaning. */
export function makeMapProblem(request: MapRequest): MapProblem {
  const { element, operands, to } = request;
  const signature = mapSignature(request.function, element, to);
  if (operands.length !== signature.operands.length) {
    throw misfit('Map', 'operands', operands.length, `${signature.operands.length} for ${request.function}`);
  }
  if (!hasMeaning(request.function, element))
    throw misfit('Map', 'element', element, `a class with ${request.function}`);
  const extents = operands.flat();
  if (!extents.every((extent) => Number.isSafeInteger(extent) && extent >= 0)) {
    throw misfit('Map', 'dims', extents, 'non-negative integers');
  }
  const dims = broadcastDims('Map', operands);
  return {
    function: request.function,
    signature,
    operands,
    dims,
    elements: elementCount(dims),
    axes: mergeAxes(dims, operands),
  };
}

/** Arithmetic of floats is another kernel's; `not` is of bools, the tests of NaN and infinities are of floats. */
function hasMeaning(name: MapFunction, element: MapElement): boolean {
  const { operands, result } = mapSignature(name, element);
  if (name.startsWith('is-')) return element === 'f32';
  if (name === 'not') return element === 'bool';
  const moves = name === 'where' || name === 'convert';
  const compares = operands.length === 2 && result === 'bool' && element !== 'bool';
  return moves || compares || element !== 'f32';
}
