/** Moving operators on the host: any type, the forms of each opset, refusals. */
import { describe, expect, it } from 'vitest';
import { evaluateNode } from '../../test/evaluate-node.ts';
import { Tensor } from '../tensor.ts';

const int64 = (...values: number[]): Tensor => new Tensor('int64', values.map(BigInt));
const grid = (...dims: number[]): Tensor =>
  new Tensor(
    'int64',
    Array.from({ length: dims.reduce((a, b) => a * b, 1) }, (_, i) => BigInt(i)),
    dims,
  );

describe('Slice', () => {
  it('reads attributes before opset 10 and inputs from then on', () => {
    const attributes = { axes: [1], starts: [1], ends: [3] };
    const expected = new Tensor('int64', [1n, 2n, 5n, 6n], [2, 2]);
    expect(evaluateNode({ op: 'Slice', attributes }, [grid(2, 4)], 9)).toEqual(expected);
    expect(evaluateNode({ op: 'Slice' }, [grid(2, 4), int64(1), int64(3), int64(1)])).toEqual(expected);
  });

  it('takes the largest integers as "to the end", and runs backwards', () => {
    const end = new Tensor('int64', [2n ** 63n - 1n]);
    expect(evaluateNode({ op: 'Slice' }, [int64(1, 2, 3), int64(1), end])).toEqual(int64(2, 3));
    const start = new Tensor('int64', [-(2n ** 63n)]);
    const reversed = evaluateNode({ op: 'Slice' }, [int64(1, 2, 3), int64(-1), start, int64(0), int64(-1)]);
    expect(reversed).toEqual(int64(3, 2, 1));
  });
});

describe('Concat and Gather', () => {
  it('join shapes as exporters do', () => {
    expect(evaluateNode({ op: 'Concat', attributes: { axis: 0 } }, [int64(1), int64(), int64(2, 3)])).toEqual(
      int64(1, 2, 3),
    );
    const one = new Tensor('int64', [-1n], []);
    expect(evaluateNode({ op: 'Gather' }, [int64(4, 5, 6), one])).toEqual(new Tensor('int64', [6n], []));
  });

  it('refuse an index out of range', () => {
    expect(() => evaluateNode({ op: 'Gather' }, [int64(4), int64(1)])).toThrow(/indices/);
  });
});

describe('Pad', () => {
  const src = grid(3);

  it('has the forms of opsets 2, 11 and 18', () => {
    const attributes = { pads: [1, 0], value: { float: 7 } };
    const floats = new Tensor('float32', [1, 2]);
    expect(evaluateNode({ op: 'Pad', attributes }, [floats], 2)).toEqual(new Tensor('float32', [7, 1, 2]));
    const nine = new Tensor('int64', [9n], []);
    expect(evaluateNode({ op: 'Pad' }, [src, int64(1, 1), nine], 11)).toEqual(int64(9, 0, 1, 2, 9));
    const padded = evaluateNode({ op: 'Pad' }, [grid(2, 2), int64(1, 0), undefined, int64(-1)], 18);
    expect(padded).toEqual(new Tensor('int64', [0n, 0n, 1n, 0n, 2n, 3n], [2, 3]));
  });

  it.each([
    ['reflect', [2, 1, 0, 1, 2, 1]],
    ['edge', [0, 0, 0, 1, 2, 2]],
    ['wrap', [1, 2, 0, 1, 2, 0]],
  ])('%s', (mode, expected) => {
    expect(evaluateNode({ op: 'Pad', attributes: { mode } }, [src, int64(2, 1)], 19)).toEqual(
      int64(...expected),
    );
  });

  it('refuses amounts that are not two an axis', () => {
    expect(() => evaluateNode({ op: 'Pad' }, [src, int64(1)])).toThrow(/two an axis/);
  });
});

describe('Transpose, Expand, Tile, DepthToSpace', () => {
  it('move any type', () => {
    const text = new Tensor('string', ['a', 'b', 'c', 'd'], [2, 2]);
    expect(evaluateNode({ op: 'Transpose' }, [text]).data).toEqual(['a', 'c', 'b', 'd']);
    expect(evaluateNode({ op: 'Expand' }, [new Tensor('bool', [1, 0], [2, 1]), int64(2, 2)]).data).toEqual(
      Uint8Array.of(1, 1, 0, 0),
    );
    expect(evaluateNode({ op: 'Tile' }, [int64(1, 2), int64(2)])).toEqual(int64(1, 2, 1, 2));
    const half = new Tensor('float16', Uint16Array.of(2), [1]);
    expect(() => evaluateNode({ op: 'Tile' }, [int64(1, 2), half])).toThrow(
      /must hold integers \(got float16\)/,
    );
    const deep = evaluateNode({ op: 'DepthToSpace', attributes: { blocksize: 2 } }, [grid(1, 4, 1, 2)]);
    expect(deep).toEqual(new Tensor('int64', [0, 2, 1, 3, 4, 6, 5, 7].map(BigInt), [1, 1, 2, 4]));
  });
});
