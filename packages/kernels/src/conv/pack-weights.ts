/**
 * Arrangements of constant weights, made once at load from OIHW. Padding is zero, so that a kernel may read whole
 * vec4 and whole tiles without looking at bounds.
 */
import { type OperandArray, type OperandPacking, sameKind } from '@onegpu/core';
import { paddedChannels } from '../shared/layout.ts';
import type { ConvProblem } from './problem.ts';

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
  const pack = <T extends OperandArray>(source: T): T => {
    const packed = sameKind(source, groups * blocks * terms * width);
    for (let o = 0; o < oc; o++) {
      const within = o % ocGroup;
      const block = Math.floor(o / ocGroup) * blocks + Math.floor(within / width);
      for (let c = 0; c < icGroup; c++) {
        for (let tap = 0; tap < taps; tap++) {
          const to = (block * terms + tap * tapTerms + c) * width + (within % width);
          packed[to] = source[(o * icGroup + c) * taps + tap] ?? 0;
        }
      }
    }
    return packed;
  };
  return { operand: 'weights', key: packingKey(problem, `stream/${columns}/${padding}`), pack };
}

/** [k][oc] padded: k = (tap, padded input channel), to a multiple of `tileK` rows and `tileN` columns; one group. */
export function tiledPacking(problem: ConvProblem, tileK: number, tileN: number): OperandPacking {
  const { oc, ic } = problem;
  const taps = problem.kh * problem.kw;
  const icStored = Math.ceil(ic / 4) * 4;
  const kTiles = Math.ceil((taps * icStored) / tileK);
  const nTiles = Math.ceil(oc / tileN);
  const pack = <T extends OperandArray>(source: T): T => {
    const packed = sameKind(source, nTiles * kTiles * tileK * tileN);
    for (let o = 0; o < oc; o++) {
      const column = Math.floor(o / tileN) * kTiles * tileK * tileN + (o % tileN);
      for (let c = 0; c < ic; c++) {
        for (let tap = 0; tap < taps; tap++) {
          packed[column + (tap * icStored + c) * tileN] = source[(o * ic + c) * taps + tap] ?? 0;
        }
      }
    }
    return packed;
  };
  return { operand: 'weights', key: packingKey(problem, `tiled/${tileK}x${tileN}`), pack };
}

/** [taps][padded channels] for depthwise kernels. */
export function depthwisePacking(problem: ConvProblem): OperandPacking {
  const { oc } = problem;
  const taps = problem.kh * problem.kw;
  const stored = Math.ceil(oc / 4) * 4;
  const pack = <T extends OperandArray>(source: T): T => {
    const packed = sameKind(source, taps * stored);
    for (let o = 0; o < oc; o++) {
      for (let tap = 0; tap < taps; tap++) packed[tap * stored + o] = source[o * taps + tap] ?? 0;
    }
    return packed;
  };
  return { operand: 'weights', key: packingKey(problem, 'depthwise'), pack };
}

function packingKey(problem: ConvProblem, arrangement: string): string {
  const { oc, ic, kh, kw, groups } = problem;
  return `conv/${arrangement}/${oc}x${ic / groups}x${kh}x${kw}/g${groups}`;
}
