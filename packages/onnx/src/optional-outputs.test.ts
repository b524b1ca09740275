/** Only outputs that nobody reads go, and only those that are optional. */
import { describe, expect, it } from 'vitest';
import { EMPTY_EPILOGUE, type GraphNode } from './graph.ts';
import { dropUnreadOutputs } from './optional-outputs.ts';

const node = (opType: string, inputs: readonly string[], outputs: readonly string[]): GraphNode => ({
  name: opType,
  opType,
  domain: '',
  inputs,
  outputs,
  attributes: new Map(),
  epilogue: EMPTY_EPILOGUE,
  covers: [],
});
const graphOutput = { name: 'z', type: 'float32', dims: undefined } as const;

describe('dropUnreadOutputs', () => {
  it('drops what nobody reads', () => {
    const nodes = [
      node('Dropout', ['x'], ['y', 'mask']),
      node('BatchNormalization', ['y', 's', 'b', 'm', 'v'], ['z', 'mean', '', 'saved']),
    ];
    const outputs = dropUnreadOutputs(nodes, [graphOutput]).map((entry) => entry.outputs);
    expect(outputs).toEqual([['y'], ['z']]);
  });

  it('keeps what a node or the graph reads, and outputs that are not optional', () => {
    const nodes = [
      node('Dropout', ['x'], ['y', 'mask']),
      node('MaxPool', ['mask'], ['p', 'z']),
      node('Split', ['y'], ['left', 'right']),
    ];
    const outputs = dropUnreadOutputs(nodes, [graphOutput]).map((entry) => entry.outputs);
    expect(outputs).toEqual([
      ['y', 'mask'],
      ['p', 'z'],
      ['left', 'right'],
    ]);
  });
});
