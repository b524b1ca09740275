/**
 * Arrangements of constant weights, made once at load from OIHW. Padding is zero, so that a kernel may read whole
 * vec4 and whole tiles without looking at bounds.
 */
import type { OperandPacking } from '@onegpu/core';
import { paddedChannels } from '../shared/layout.ts';
import { type FilterMove, type FilterPacking, packFilters } from '../shared/move-filters.ts';
import { type ConvProblem, gemmQuads } from './problem.ts';
import { shortcutConv } from './shortcut.ts';

/**
 * [groups][blocks of oc][terms][columns] of vec4 over output channels: each block one linear stream for its
 * invocations. Terms are (tap, input channel), padded to a multiple of four at each tap or, for a matrix of taps, at
 * the end.
 */
export function streamPacking(
  problem: ConvProblem,
  columns: number,
  padding: 'each-tap' | 'end' = 'each-tap',
): OperandPacking {
  const { oc, ic, groups } = problem;
  const taps = problem.kh * problem.kw;
  const icGroup = ic / groups;
  const tapTerms = padding === 'end' ? icGroup : paddedChannels(icGroup);
  const terms = paddedChannels(taps * tapTerms);
  const ocGroup = oc / groups;
  const width = 4 * columns;
  const blocks = Math.ceil(ocGroup / width);
  const moves = Array.from({ length: groups * blocks }, (_, block): FilterMove => {
    const within = (block % blocks) * width;
    return {
      filters: Math.min(width, ocGroup - within),
      ...{ channels: icGroup, taps },
      from: (Math.floor(block / blocks) * ocGroup + within) * icGroup * taps,
      to: block * terms * width,
      channelStride: width,
      tapStride: tapTerms * width,
    };
  });
  const packing = { length: groups * blocks * terms * width, moves };
  return weightsPacking(problem, `stream/${columns}/${padding}`, packing);
}

/**
 * [k][oc] padded, to a multiple of `tileK` rows and `tileN` columns; one group. k = (tap, padded input channel) or, where
 * src lies in planes, (input channel, tap).
 */
export function tiledPacking(problem: ConvProblem, tileK: number, tileN: number): OperandPacking {
  const { oc, ic, planes } = problem;
  const taps = problem.kh * problem.kw;
  const kTiles = Math.ceil((4 * gemmQuads(problem)) / tileK);
  const nTiles = Math.ceil(oc / tileN);
  const tile = kTiles * tileK * tileN;
  const moves = Array.from(
    { length: nTiles },
    (_, n): FilterMove => ({
      filters: Math.min(tileN, oc - n * tileN),
      ...{ channels: ic, taps },
      from: n * tileN * ic * taps,
      to: n * tile,
      channelStride: planes ? taps * tileN : tileN,
      tapStride: planes ? tileN : paddedChannels(ic) * tileN,
    }),
  );
  const order = planes ? 'tiled/planes' : 'tiled';
  return weightsPacking(problem, `${order}/${tileK}x${tileN}`, { length: nTiles * tile, moves });
}

/** [taps][padded channels] for depthwise kernels. */
export function depthwisePacking(problem: ConvProblem): OperandPacking {
  const { oc } = problem;
  const taps = problem.kh * problem.kw;
  const stored = Math.ceil(oc / 4) * 4;
  const move = { filters: oc, channels: 1, taps, channelStride: 1, tapStride: stored };
  return weightsPacking(problem, 'depthwise', { length: taps * stored, moves: [move] });
}

function weightsPacking(problem: ConvProblem, arrangement: string, packing: FilterPacking): OperandPacking {
  const { oc, ic, kh, kw, groups } = problem;
  return {
    operand: 'weights',
    key: `conv/${arrangement}/${oc}x${ic / groups}x${kh}x${kw}/g${groups}`,
    elements: packing.length,
    pack: (source, memory) => packFilters(source, packing, memory),
  };
}

/** The shortcut's weights in tiles, as the convolution's own. */
export function shortcutPacking(problem: ConvProblem, tileK: number, tileN: number): OperandPacking[] {
  if (problem.shortcut === undefined) return [];
  const own = tiledPacking(shortcutConv(problem, problem.shortcut), tileK, tileN);
  return [{ ...own, operand: 'shortcutWeights' }];
}
