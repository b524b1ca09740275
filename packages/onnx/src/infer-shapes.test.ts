import { GpuKernelShapeError } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import { buildModel, type ModelDescription } from '../test/model-builder.ts';
import { foldConstants } from './constant-folding.ts';
import type { Graph } from './graph.ts';
import { importModel } from './import.ts';
import { inferShapes, type ShapeInference } from './infer-shapes.ts';
import { decodeModel } from './proto/decode-model.ts';
import { resolveInputs } from './resolve-inputs.ts';
import { Tensor } from './tensor.ts';

function graphOf(model: ModelDescription): Graph {
  return importModel(decodeModel(buildModel(model))).graph;
}

function inferred(model: ModelDescription, dims: readonly number[]): ShapeInference {
  const graph = graphOf({ inputs: { x: {} }, ...model });
  return inferShapes(graph, resolveInputs(graph, { x: { type: 'float32', dims } }));
}

const int64 = (...values: readonly number[]): Tensor => new Tensor('int64', values.map(BigInt));

describe('inferShapes', () => {
  it('follows shapes through nodes and evaluates shape arithmetic on the host', () => {
    const { values, hostNodes } = inferred(
      {
        outputs: ['y'],
        nodes: [
          { op: 'Shape', name: 'shape', inputs: ['x'], outputs: ['s'] },
          { op: 'Unsqueeze', name: 'unsqueeze', inputs: ['s', 'zero'], outputs: ['u'] },
          { op: 'Squeeze', name: 'squeeze', inputs: ['u', 'zero'], outputs: ['target'] },
          { op: 'Flatten', name: 'flatten', inputs: ['x'], outputs: ['f'] },
          { op: 'Reshape', name: 'reshape', inputs: ['f', 'target'], outputs: ['y'] },
        ],
        initializers: { zero: int64(0) },
      },
      [2, 3, 5],
    );
    expect(values.get('f')?.dims).toEqual([2, 15]);
    expect(values.get('y')).toEqual({ type: 'float32', dims: [2, 3, 5] });
    expect(values.get('u')?.constant).toEqual(new Tensor('int64', [2n, 3n, 5n], [1, 3]));
    expect(hostNodes.map(({ node, elements }) => [node.name, elements])).toEqual([
      ['shape', 3],
      ['unsqueeze', 3],
      ['squeeze', 3],
    ]);
  });

  it('leaves nodes over 1024 elements to the GPU, and refuses those it cannot', () => {
    const fill = { op: 'ConstantOfShape', name: 'fill', inputs: ['s'], outputs: ['c'] };
    const nodes = [{ op: 'Shape', inputs: ['x'], outputs: ['s'] }, fill];
    expect(inferred({ outputs: ['c'], nodes }, [32, 32]).hostNodes).toHaveLength(2);
    expect(() => inferred({ outputs: ['c'], nodes }, [32, 33])).toThrow(GpuKernelShapeError);
    expect(() => inferred({ outputs: ['c'], nodes }, [32, 33])).toThrow(/"fill".*host only.*1056 elements/);
    const large = { w: new Tensor('float32', new Float32Array(1025)) };
    const alias = [{ op: 'Identity', name: 'alias', inputs: ['w'], outputs: ['y'] }];
    const { values, hostNodes } = inferred({ outputs: ['y'], nodes: alias, initializers: large }, [1]);
    expect(hostNodes).toEqual([]);
    expect(values.get('y')).toEqual({ type: 'float32', dims: [1025] });
  });

  it('refuses a host operator whose input only the GPU knows', () => {
    const nodes = [{ op: 'NonZero', name: 'where', inputs: ['x'], outputs: ['y'] }];
    expect(() => inferred({ outputs: ['y'], nodes }, [4])).toThrow(/NonZero "where".*only the GPU/);
  });

  it('names the node whose shapes do not fit', () => {
    const nodes = [{ op: 'Reshape', name: 'squash', inputs: ['x', 'to'], outputs: ['y'] }];
    const model = { outputs: ['y'], nodes, initializers: { to: int64(4) } };
    expect(() => inferred(model, [5])).toThrow(GpuKernelShapeError);
    expect(() => inferred(model, [5])).toThrow(/Reshape "squash".*got \[4\], expected 5 elements/);
  });

  it('refuses a node with more outputs than its operator has', () => {
    const nodes = [{ op: 'Identity', name: 'two', inputs: ['x'], outputs: ['y', 'z'] }];
    expect(() => inferred({ outputs: ['z'], nodes }, [5])).toThrow(/"two".*more outputs/);
  });
});

describe('foldConstants', () => {
  it('evaluates constant nodes of any size and drops what nobody reads', () => {
    const graph = graphOf({
      inputs: { x: {} },
      outputs: ['y', 'c'],
      nodes: [
        { op: 'Range', name: 'range', inputs: ['zero', 'many', 'one'], outputs: ['r'] },
        { op: 'Unsqueeze', name: 'row', inputs: ['r', 'axis'], outputs: ['c'] },
        { op: 'Identity', name: 'kept', inputs: ['x'], outputs: ['y'] },
        { op: 'Identity', name: 'unread', inputs: ['x'], outputs: ['z'] },
      ],
      initializers: {
        zero: new Tensor('int64', [0n], []),
        many: new Tensor('int64', [5000n], []),
        one: new Tensor('int64', [1n], []),
        axis: int64(0),
      },
    });
    expect(foldConstants(graph).map((node) => node.name)).toEqual(['range', 'row']);
    expect(graph.nodes.map((node) => node.name)).toEqual(['kept']);
    expect([...graph.constants.keys()]).toEqual(['c']);
    expect(graph.constants.get('c')?.dims).toEqual([1, 5000]);
  });

  it('names a constant node that cannot be evaluated', () => {
    const graph = graphOf({
      outputs: ['y'],
      nodes: [{ op: 'Reshape', name: 'wrong', inputs: ['w', 'to'], outputs: ['y'] }],
      initializers: { w: int64(1, 2, 3), to: int64(2, -1) },
    });
    expect(() => foldConstants(graph)).toThrow(/Reshape "wrong"/);
  });
});
