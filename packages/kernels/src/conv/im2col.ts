/**
 * im2col + GEMM: the taps of a range of output pixels go to scratch as a matrix, a register tile kernel multiplies
 * it with the weights. The range is as large as the scratch allows; chunks change no bit, since each output is still
 * summed in the same order. Reads and writes either layout.
 */
import { type DispatchPass, type DispatchPlan, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { chunkRanges, scratchChunks } from '../shared/scratch-chunks.ts';
import { needsNoGate } from './gate.ts';
import { IM2COL_INVOCATIONS, im2colWgsl } from './im2col.wgsl.ts';
import { streamPacking } from './pack-weights.ts';
import { convLabel, convParams, convPlan, needsConstantWeights } from './plan.ts';
import { type ConvProblem, convPixels, convTerms, needsWholeResidual } from './problem.ts';
import { registerTileBias, registerTileOf, registerTilePass, registerTileTables } from './register-tile.ts';

/** Scratch of one chunk where one row is not larger, and where the adapter binds that much. */
const MOST_SCRATCH_BYTES = 64 * 2 ** 20;

export const im2col: Algorithm<ConvProblem> = im2colOf('im2col', undefined);

/** im2col with scratch of one's own size; tests use it to force chunks. */
export function im2colOf(name: string, scratchBytes: number | undefined): Algorithm<ConvProblem> {
  return {
    name,
    reject: () => 'the implicit GEMMs and register tiles make the same products without scratch',
    impossible: columnsRefusal,
    plan: (problem, target, options) =>
      planColumns(problem, target, {
        ...{ name, operator: 'conv', scratchBytes: scratchBytes ?? options.scratchBytes },
        columns: (range) => columnsPass(problem, target, range),
      }),
  };
}

/** Why a problem cannot run as a product with a matrix of its taps. */
export function columnsRefusal(problem: ConvProblem, target: GpuCapabilities): string | undefined {
  if (problem.groups !== 1) return `${problem.groups} groups, written for one`;
  const rowBytes = 4 * convTerms(problem);
  const most = target.limits.maxStorageBufferBindingSize;
  if (rowBytes > most) return `one row of taps takes ${rowBytes} bytes, a binding holds ${most}`;
  return rowBytes === 0
    ? 'there are no terms to sum'
    : (needsNoGate(problem) ?? needsWholeResidual(problem) ?? needsConstantWeights(problem));
}

/** Rows of the matrix: output pixels of the whole batch. */
export interface RowRange {
  readonly rowBegin: number;
  readonly rows: number;
}

export interface ColumnsParts {
  readonly name: string;
  /** First part of the labels. */
  readonly operator: string;
  readonly scratchBytes: number | undefined;
  /** Fills `scratch` with the taps of a range of pixels, [rows, (tap, channel)]. */
  columns(range: RowRange): Omit<DispatchPass, 'label'>;
}

/**
 * Gathers and multiplies, chunk by chunk. Of the problem only channels, groups, number of taps and of output pixels,
 * layout and epilogue are read, so other operators with such a product bring a problem of the same counts.
 * @throws GpuKernelShapeError where the scratch does not hold one row
 */
export function planColumns(
  problem: ConvProblem,
  target: GpuCapabilities,
  { name, operator, scratchBytes, columns }: ColumnsParts,
): DispatchPlan {
  const tile = registerTileOf(problem);
  const label = convLabel(problem, name, `${tile.rows}x${4 * tile.columns}`, operator);
  const pixels = convPixels(problem);
  const terms = convTerms(problem);
  const chunks = scratchChunks({
    ...{ label, units: pixels, unitBytes: 4 * terms, given: scratchBytes },
    most: Math.min(MOST_SCRATCH_BYTES, target.limits.maxStorageBufferBindingSize),
  });
  const passes = chunkRanges(pixels, chunks.size).flatMap(({ begin: rowBegin, count: rows }) => {
    const source = { kind: 'matrix', rows, columns: terms } as const;
    return [
      { label: `${label}/columns`, ...columns({ rowBegin, rows }) },
      registerTilePass(problem, target, { tile, label, rowBegin, rows, source }),
    ];
  });
  return convPlan(problem, {
    ...{ operator, algorithm: name, label, passes },
    packing: [streamPacking(problem, tile.columns, 'end'), ...registerTileBias(problem)],
    tables: registerTileTables(problem),
    scratch: { bytes: chunks.bytes, least: 4 * terms },
  });
}

function columnsPass(
  problem: ConvProblem,
  target: GpuCapabilities,
  { rowBegin, rows }: RowRange,
): Omit<DispatchPass, 'label'> {
  const { layout, ic, kh, kw, strideH, strideW, dilationH, dilationW } = problem;
  const count = Math.ceil((rows * convTerms(problem)) / IM2COL_INVOCATIONS);
  return {
    wgsl: im2colWgsl({ layout, ic, kh, kw, strideH, strideW, dilationH, dilationW }),
    bindings: [
      { operand: 'src', access: 'read' },
      { operand: 'scratch', access: 'read_write' },
    ],
    params: convParams(problem, { rows, rowBegin }),
    workgroups: foldWorkgroups(count, target.limits.maxComputeWorkgroupsPerDimension),
  };
}
