/** The first pass of a sum of many rows of vec4, as a dispatch for kernels that add the rest themselves. */
import type { DispatchPass, GpuCapabilities, ScratchSpec } from '@onegpu/core';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { blockFoldWgsl } from './block-fold.wgsl.ts';
import { foldText } from './operations.ts';
import { reducePasses } from './passes.ts';
import type { ReduceGroup } from './problem.ts';

export interface SliceSums {
  readonly pass: DispatchPass;
  readonly scratch: ScratchSpec;
  /** Rows of sums: dst is [outer, rows, inner] of vec4. */
  readonly rows: number;
}

/** Sums of slices of `src` [outer, extent, inner] of vec4, each of at most 256 rows, in the scratch operand `dst`. */
export function sliceSums(
  group: ReduceGroup,
  target: GpuCapabilities,
  { label, dst }: { readonly label: string; readonly dst: string },
): SliceSums {
  const [first] = reducePasses([group], target);
  const rows = first?.slices ?? 1;
  const total = group.outer * rows * group.inner;
  const pass: DispatchPass = {
    label,
    wgsl: blockFoldWgsl(foldText('sum', { lanes: 4 }, { first: true, last: false })),
    bindings: [
      { operand: 'src', access: 'read' },
      { operand: dst, access: 'read_write' },
    ],
    params: Uint32Array.of(total, group.extent, group.inner, rows, 0, 0, 0, 0),
    workgroups: flatWorkgroups(total, target),
  };
  return { pass, scratch: { operand: dst, bytes: Math.max(16 * total, 16) }, rows };
}
