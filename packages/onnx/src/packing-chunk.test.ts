import { describe, expect, test } from 'vitest';
import { PackingChunk } from './packing-chunk.ts';

describe('PackingChunk', () => {
  test('packs one constant behind the other, aligned, zeros between them', () => {
    const chunk = new PackingChunk(512, 64);
    const first = chunk.memory(new Float32Array(1), 3);
    first.set([1, 2, 3]);
    expect(chunk.take(first)).toBe(0);
    expect(chunk.take(Uint8Array.of(7, 8))).toBe(64);
    expect([...new Float32Array(chunk.filled.buffer, 0, 5)]).toEqual([1, 2, 3, 0, 0]);
    expect([...chunk.filled.subarray(64, 68)]).toEqual([7, 8, 0, 0]);
    expect(chunk.filled.byteLength).toBe(128);
  });

  test('gives zeros where other bytes were before', () => {
    const chunk = new PackingChunk(64, 64);
    chunk.take(new Uint8Array(64).fill(255));
    expect(chunk.fits(1)).toBe(false);
    chunk.clear();
    const again = chunk.memory(new Uint16Array(1), 9);
    expect([...again]).toEqual(new Array(9).fill(0));
    again[0] = 5;
    chunk.take(again);
    expect([...chunk.filled.subarray(0, 20)]).toEqual([5, ...new Array(19).fill(0)]);
    expect([...chunk.filled.subarray(20)]).toEqual(new Array(44).fill(0));
  });

  test('gives memory of its own to what does not fit', () => {
    const chunk = new PackingChunk(64, 16);
    const large = chunk.memory(new Float32Array(1), 17);
    expect(large.length).toBe(17);
    expect(chunk.filled.byteLength).toBe(0);
  });

  test('a constant larger than a chunk is packed in memory that is used again, one of them at a time', () => {
    const bytes = 5 * 2 ** 20;
    const chunk = new PackingChunk(3 * bytes, 16, bytes);
    const first = chunk.memory(new Uint8Array(1), bytes);
    expect(chunk.suits(first)).toBe(true);
    chunk.take(first);
    expect(chunk.fits(1)).toBe(false);
    chunk.clear();
    expect(chunk.memory(new Uint8Array(1), bytes).buffer).toBe(first.buffer);
  });

  test('does not copy what is large and lies elsewhere, nor puts small ones behind each other beyond a chunk', () => {
    const bytes = 5 * 2 ** 20;
    const chunk = new PackingChunk(3 * bytes, 16, bytes);
    expect(chunk.suits(new Uint8Array(bytes))).toBe(false);
    chunk.take(new Uint8Array(4 * 2 ** 20));
    expect(chunk.fits(16)).toBe(false);
  });
});
