/**
 * Constant weights turned so that neighbouring filters lie side by side: [filter][channel][tap], as ONNX writes
 * them, to [tap][channel][filter]. Every packing that kernels ask for is this move over some range of filters; the
 * targets differ in padding and in how many filters stand in a row.
 *
 * Reads run along four filters at a time, and the lines written to stay in the cache until every filter of a block
 * has filled its place in them. Bits move, not numbers.
 */
import { type OperandArray, type PackingMemory, sameKind } from '@onegpu/core';

export interface FilterMove {
  readonly filters: number;
  readonly channels: number;
  readonly taps: number;
  /** First element of the first filter in the source; filters follow one another. Default 0. */
  readonly from?: number;
  /** Element of the target for filter 0, channel 0, tap 0. Default 0. */
  readonly to?: number;
  /** Elements of the target between neighbouring channels; filters are neighbours. */
  readonly channelStride: number;
  /** Elements of the target between neighbouring taps. */
  readonly tapStride: number;
}

/** Filters whose places share a cache line of 64 bytes. */
const BLOCK_FILTERS = 16;
/** Terms whose lines stay in the second cache until the block's last filter. */
const BLOCK_TERMS = 1024;

export interface FilterPacking {
  /** Elements of the target; where no move puts one it is zero. */
  readonly length: number;
  readonly moves: readonly FilterMove[];
}

export function packFilters<T extends OperandArray>(
  source: T,
  { length, moves }: FilterPacking,
  memory: PackingMemory = sameKind,
): T {
  const packed = memory(source, length);
  const [from, to] = [bitsOf(source), bitsOf(packed)];
  for (const move of moves) moveFilters(from, to, move);
  return packed;
}

type Bits = Int32Array | Int16Array | Int8Array;

function bitsOf({ buffer, byteOffset, length, BYTES_PER_ELEMENT }: OperandArray): Bits {
  if (BYTES_PER_ELEMENT === 4) return new Int32Array(buffer, byteOffset, length);
  return BYTES_PER_ELEMENT === 2
    ? new Int16Array(buffer, byteOffset, length)
    : new Int8Array(buffer, byteOffset, length);
}

function moveFilters(source: Bits, target: Bits, move: FilterMove): void {
  const { filters, channels, taps, from = 0, to = 0, channelStride, tapStride } = move;
  const size = channels * taps;
  const blockChannels = Math.max(1, Math.floor(BLOCK_TERMS / taps));
  for (let block = 0; block < filters; block += BLOCK_FILTERS) {
    const blockEnd = Math.min(filters, block + BLOCK_FILTERS);
    for (let channel = 0; channel < channels; channel += blockChannels) {
      const terms = Math.min(blockChannels, channels - channel) * taps;
      for (let filter = block; filter < blockEnd; filter += 4) {
        const run: Run = {
          from: from + filter * size + channel * taps,
          to: to + filter + channel * channelStride,
          terms,
          taps,
          size,
          channelStride,
          tapStride,
        };
        if (filter + 4 <= blockEnd) moveFour(source, target, run);
        else for (let next = 0; next < blockEnd - filter; next++) moveOne(source, target, run, next);
      }
    }
  }
}

/** Neighbouring terms of a filter, whole channels of them. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly terms: number;
  readonly taps: number;
  /** Elements of the source from one filter to the next. */
  readonly size: number;
  readonly channelStride: number;
  readonly tapStride: number;
}

/** Four filters side by side: reads along each of them, four neighbours written. */
function moveFour(source: Bits, target: Bits, run: Run): void {
  const { terms, taps, size, tapStride } = run;
  const nextChannel = run.channelStride - (taps - 1) * tapStride;
  const end = run.from + terms;
  let place = run.to;
  let tap = 0;
  for (let at = run.from; at < end; at++) {
    target[place] = source[at] as number;
    target[place + 1] = source[at + size] as number;
    target[place + 2] = source[at + 2 * size] as number;
    target[place + 3] = source[at + 3 * size] as number;
    tap++;
    if (tap === taps) {
      tap = 0;
      place += nextChannel;
    } else {
      place += tapStride;
    }
  }
}

/** The run of one of up to three filters that are left over. */
function moveOne(source: Bits, target: Bits, run: Run, next: number): void {
  const { taps } = run;
  const from = run.from + next * run.size;
  for (let term = 0; term < run.terms; term++) {
    const channel = Math.floor(term / taps);
    const place = run.to + next + channel * run.channelStride + (term - channel * taps) * run.tapStride;
    target[place] = source[from + term] as number;
  }
}
