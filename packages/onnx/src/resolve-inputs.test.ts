import { InvalidInputError } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import type { Graph } from './graph.ts';
import { type FeedShape, freeDimensions, resolveInputs, withInputDims } from './resolve-inputs.ts';

const GRAPH: Graph = {
  name: 'g',
  opset: 17,
  inputs: [
    { name: 'x', type: 'float32', dims: ['n', 3, '?', '?'] },
    { name: 'mask', type: 'bool', dims: ['n', 4] },
    { name: 'any', type: 'int64', dims: undefined },
  ],
  outputs: [],
  nodes: [],
  constants: new Map(),
};

const FEEDS: Readonly<Record<string, FeedShape>> = {
  x: { type: 'float32', dims: [2, 3, 8, 9] },
  mask: { type: 'bool', dims: [2, 4] },
  any: { type: 'int64', dims: [] },
};

describe('resolveInputs', () => {
  it('gives the feeds as values', () => {
    expect([...resolveInputs(GRAPH, FEEDS)]).toEqual(Object.entries(FEEDS));
  });

  it('tells what is free', () => {
    expect(freeDimensions(GRAPH)).toEqual([
      { input: 'x', axis: 0, symbol: 'n' },
      { input: 'x', axis: 2, symbol: '?' },
      { input: 'x', axis: 3, symbol: '?' },
      { input: 'mask', axis: 0, symbol: 'n' },
    ]);
  });

  const refusals: readonly (readonly [string, Readonly<Record<string, FeedShape | undefined>>, RegExp])[] = [
    ['an unknown name', { y: { type: 'float32', dims: [] } }, /feeds\.y.*no such input.*"x", "mask", "any"/],
    ['a missing feed', { mask: undefined }, /feeds\.mask.*not fed/],
    ['another type', { x: { type: 'uint8', dims: [2, 3, 8, 9] } }, /"x"\.type.*got uint8, expected float32/],
    ['another rank', { x: { type: 'float32', dims: [3, 8, 9] } }, /"x"\.dims.*\[3, 8, 9\].*\[n, 3, \?, \?\]/],
    ['another extent', { x: { type: 'float32', dims: [2, 4, 8, 9] } }, /"x"\.dims\[1\].*got 4, expected 3/],
    [
      'two extents for one symbol',
      { mask: { type: 'bool', dims: [5, 4] } },
      /"mask"\.dims\[0\].*got 5, expected 2, as "n" is in input "x" axis 0/,
    ],
  ];

  it.each(refusals)('refuses %s', (_, change, message) => {
    const feeds = Object.fromEntries(
      Object.entries({ ...FEEDS, ...change }).filter(
        (entry): entry is [string, FeedShape] => entry[1] !== undefined,
      ),
    );
    expect(() => resolveInputs(GRAPH, feeds)).toThrow(InvalidInputError);
    expect(() => resolveInputs(GRAPH, feeds)).toThrow(message);
  });
});

describe('withInputDims', () => {
  it('overrides fixed and free extents in a copy', () => {
    const changed = withInputDims(GRAPH, { mask: [7, 5] });
    expect(changed.inputs[1]?.dims).toEqual([7, 5]);
    expect(GRAPH.inputs[1]?.dims).toEqual(['n', 4]);
  });

  it('refuses unknown inputs and other ranks', () => {
    expect(() => withInputDims(GRAPH, { y: [1] })).toThrow(/no such input/);
    expect(() => withInputDims(GRAPH, { mask: [1] })).toThrow(/rank/);
  });
});
