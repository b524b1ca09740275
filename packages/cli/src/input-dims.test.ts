/** Extents chosen for inputs that nobody gave. */

import type { GraphValue } from '@onegpu/onnx';
import { describe, expect, it } from 'vitest';
import { checkInputNames, chooseDims } from './input-dims.ts';

const value = (name: string, dims: GraphValue['dims']): GraphValue => ({ name, type: 'float32', dims });
const rule = { software: false, shapes: new Map<string, readonly number[]>() };
const scores = [value('scores', ['N', 1000])];
const map = [value('map', ['N', 1, 'H', 'W'])];

describe('chooseDims', () => {
  it('keeps what the model fixes', () => {
    const chosen = chooseDims(value('x', [1, 3, 224, 224]), scores, rule);
    expect(chosen).toEqual({ dims: [1, 3, 224, 224], assumed: '' });
  });

  it('takes batch 1 and 224 for classifiers, 640 or 320 for networks that give a map', () => {
    const free = value('x', ['N', 3, 'H', 'W']);
    expect(chooseDims(free, scores, rule).dims).toEqual([1, 3, 224, 224]);
    expect(chooseDims(free, map, rule)).toEqual({
      dims: [1, 3, 640, 640],
      assumed: 'batch 1, height 640, width 640',
    });
    expect(chooseDims(free, map, { ...rule, software: true }).dims).toEqual([1, 3, 320, 320]);
    expect(chooseDims(value('ids', ['N', 'length']), scores, rule).dims).toEqual([1, 1]);
  });

  it('takes the extents of a test model for those that are free, of its picture alone', () => {
    const testDims = [1, 3, 48, 192];
    expect(chooseDims(value('x', ['N', 3, 'H', 'W']), scores, { ...rule, testDims })).toEqual({
      dims: [1, 3, 48, 192],
      assumed: 'batch 1, height 48, width 192',
    });
    expect(chooseDims(value('x', ['N', 3, 224, 224]), scores, { ...rule, testDims }).dims).toEqual([
      1, 3, 224, 224,
    ]);
    expect(chooseDims(value('ids', ['N', 'length']), scores, { ...rule, testDims }).dims).toEqual([1, 1]);
    const shapes = new Map([['x', [2, 3, 96, 96]]]);
    expect(chooseDims(value('x', ['N', 3, 'H', 'W']), scores, { ...rule, testDims, shapes }).dims).toEqual([
      2, 3, 96, 96,
    ]);
  });

  it('lets --shape win, also over fixed extents', () => {
    const shapes = new Map([['x', [2, 3, 96, 96]]]);
    expect(chooseDims(value('x', [1, 3, 224, 224]), scores, { ...rule, shapes }).dims).toEqual([
      2, 3, 96, 96,
    ]);
  });

  it('asks for --shape where there is no rank, and for names the model has', () => {
    expect(() => chooseDims(value('x', undefined), scores, rule)).toThrow('--shape x=');
    expect(() => checkInputNames('--shape', ['y'], [value('x', [1])])).toThrow('it has x');
  });
});
