import { describe, expect, test } from 'vitest';
import { type FilterMove, packFilters } from './move-filters.ts';

/** The move as its own definition says it, an element at a time. */
function movedByElement(source: Int32Array, length: number, moves: readonly FilterMove[]): Int32Array {
  const target = new Int32Array(length);
  for (const { filters, channels, taps, from = 0, to = 0, channelStride, tapStride } of moves) {
    for (let filter = 0; filter < filters; filter++) {
      for (let channel = 0; channel < channels; channel++) {
        for (let tap = 0; tap < taps; tap++) {
          const at = from + (filter * channels + channel) * taps + tap;
          target[to + filter + channel * channelStride + tap * tapStride] = source[at] ?? 0;
        }
      }
    }
  }
  return target;
}

function tiles(oc: number, ic: number, taps: number, width: number): FilterMove[] {
  return Array.from({ length: Math.ceil(oc / width) }, (_, tile) => ({
    filters: Math.min(width, oc - tile * width),
    channels: ic,
    taps,
    from: tile * width * ic * taps,
    to: tile * width * ic * taps,
    channelStride: width,
    tapStride: ic * width,
  }));
}

describe('packFilters', () => {
  test.each([
    { oc: 7, ic: 5, taps: 9, width: 4 },
    { oc: 37, ic: 3, taps: 1, width: 32 },
    { oc: 19, ic: 1031, taps: 1, width: 24 },
    { oc: 33, ic: 130, taps: 9, width: 64 },
    { oc: 6, ic: 1, taps: 25, width: 8 },
  ])('moves $oc filters of $ic x $taps into tiles of $width', ({ oc, ic, taps, width }) => {
    const moves = tiles(oc, ic, taps, width);
    const length = moves.length * width * ic * taps;
    const source = Int32Array.from({ length: oc * ic * taps }, (_, index) => index + 1);
    expect(packFilters(source, { length, moves })).toEqual(movedByElement(source, length, moves));
  });

  test('moves the bits of floats, halves and bytes', () => {
    const moves = tiles(5, 2, 3, 4);
    const length = 2 * 4 * 2 * 3;
    for (const arrayClass of [Float32Array, Uint16Array, Int8Array]) {
      const source = new arrayClass(30);
      new Uint8Array(source.buffer).forEach((_, index, bytes) => {
        bytes[index] = 0x7f + 31 * index; // Among the floats: NaN with a payload, -0, denormals.
      });
      const bits = Int32Array.from(source, (_, index) => index);
      const order = movedByElement(
        bits.map((index) => index + 1),
        length,
        moves,
      );
      const packed = packFilters(source, { length, moves });
      const width = source.BYTES_PER_ELEMENT;
      const [from, to] = [new Uint8Array(source.buffer), new Uint8Array(packed.buffer)];
      order.forEach((place, index) => {
        const expected = place === 0 ? new Uint8Array(width) : from.slice((place - 1) * width, place * width);
        expect(to.slice(index * width, (index + 1) * width)).toEqual(expected);
      });
    }
  });
});
