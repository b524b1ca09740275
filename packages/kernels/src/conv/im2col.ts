/**
 * im2col + GEMM: the taps of a range of output pixels go to scratch as a matrix, a register tile kernel multiplies
 * it with the weights. The range is as large as the scratch allows; chunks change no bit, since each output is still
 * summed in the same order. Reads and writes either layout.
 */
import { type DispatchPass, type DispatchPlan, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { IM2COL_INVOCATIONS, im2colWgsl } from './im2col.wgsl.ts';
import { streamPacking } from './pack-weights.ts';
import { convLabel, convParams, convPlan, needsConstantWeights } from './plan.ts';
import { type ConvProblem, convPixels, convTerms } from './problem.ts';
import { registerTileBias, registerTileOf, registerTilePass, registerTileTables } from './register-tile.ts';

/** Scratch of one chunk where one row is not larger, and where the adapter binds that much. */
const MOST_SCRATCH_BYTES = 64 * 2 ** 20;

export const im2col: Algorithm<ConvProblem> = im2colOf('im2col', MOST_SCRATCH_BYTES);

/** im2col with scratch of one's own size; tests use it to force chunks. */
export function im2colOf(name: string, scratchBytes: number): Algorithm<ConvProblem> {
  return {
    name,
    reject: () => 'the implicit GEMMs and register tiles make the same products without scratch',
    impossible: (problem, target) => {
      if (problem.groups !== 1) return `${problem.groups} groups, written for one`;
      const rowBytes = 4 * convTerms(problem);
      const most = target.limits.maxStorageBufferBindingSize;
      if (rowBytes > most) return `one row of taps takes ${rowBytes} bytes, a binding holds ${most}`;
      return needsConstantWeights(problem);
    },
    plan: (problem, target) => planIm2col(name, problem, target, scratchBytes),
  };
}

function planIm2col(
  name: string,
  problem: ConvProblem,
  target: GpuCapabilities,
  scratchBytes: number,
): DispatchPlan {
  const tile = registerTileOf(problem);
  const label = convLabel(problem, name, `${tile.rows}x${4 * tile.columns}`);
  const rowBytes = 4 * Math.max(convTerms(problem), 1);
  const pixels = convPixels(problem);
  const most = Math.min(scratchBytes, target.limits.maxStorageBufferBindingSize);
  const chunk = Math.min(Math.max(1, Math.floor(most / rowBytes)), Math.max(pixels, 1));
  const columns = convTerms(problem);
  const passes: DispatchPass[] = [];
  for (let rowBegin = 0; rowBegin < pixels; rowBegin += chunk) {
    const rows = Math.min(chunk, pixels - rowBegin);
    passes.push(columnsPass(problem, target, { label: `${label}/columns`, rowBegin, rows }));
    const source = { kind: 'matrix', rows, columns } as const;
    passes.push(registerTilePass(problem, target, { tile, label, rowBegin, rows, source }));
  }
  return convPlan(problem, {
    ...{ algorithm: name, label, passes },
    packing: [streamPacking(problem, tile.columns, 'end'), ...registerTileBias(problem)],
    tables: registerTileTables(problem),
    scratchBytes: chunk * rowBytes,
  });
}

function columnsPass(
  problem: ConvProblem,
  target: GpuCapabilities,
  { label, rowBegin, rows }: { label: string; rowBegin: number; rows: number },
): DispatchPass {
  const { layout, ic, kh, kw, strideH, strideW, dilationH, dilationW } = problem;
  const count = Math.ceil((rows * convTerms(problem)) / IM2COL_INVOCATIONS);
  return {
    label,
    wgsl: im2colWgsl({ layout, ic, kh, kw, strideH, strideW, dilationH, dilationW }),
    bindings: [
      { operand: 'src', access: 'read' },
      { operand: 'scratch', access: 'read_write' },
    ],
    params: convParams(problem, { rows, rowBegin }),
    workgroups: foldWorkgroups(count, target.limits.maxComputeWorkgroupsPerDimension),
  };
}
