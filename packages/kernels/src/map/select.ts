/** Algorithms of typed element-wise functions. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { MAP_BROADCAST } from './broadcast.ts';
import type { MapProblem } from './problem.ts';

export const MAP_ALGORITHMS: readonly Algorithm<MapProblem>[] = [MAP_BROADCAST];

/** Operands `src0`, `src1`, ... and `dst`, dense. */
export function selectMap(problem: MapProblem, target: GpuCapabilities, options: KernelOptions): Selection {
  return selectAlgorithm('map', MAP_ALGORITHMS, problem, target, options);
}
