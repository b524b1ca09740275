/** Reads a Pad node of any opset whose pads are constants. https://onnx.ai/onnx/operators/onnx__Pad.html */
import { AttributeReader } from '../attributes.ts';
import type { GraphNode } from '../graph.ts';
import type { GraphRewriter } from './rewriter.ts';

export interface PadReading {
  /** Before all axes, then after all axes, of the rank the node pads. */
  readonly pads: readonly number[];
  /** Axes the pads are for; undefined: all, in order. */
  readonly axes: readonly number[] | undefined;
  readonly mode: string;
  /** The padding value; undefined when it is not a float32 constant. */
  readonly value: number | undefined;
}

export function readPads(rewriter: GraphRewriter, node: GraphNode): PadReading | undefined {
  const attributes = new AttributeReader(node);
  const [, padsName = '', valueName = '', axesName = ''] = node.inputs;
  const pads = padsName === '' ? attributes.ints('pads') : rewriter.integers(padsName);
  const axes = axesName === '' ? undefined : rewriter.integers(axesName);
  if (pads === undefined || (axesName !== '' && axes === undefined)) return undefined;
  const value = valueName === '' ? attributes.float('value', 0) : rewriter.scalar(valueName);
  return { pads, axes, mode: attributes.string('mode', 'constant'), value };
}

/**
 * Pads of the axes behind batch and channels, before all then after all, of a tensor of `rank` dims; undefined
 * when the node pads anything else, crops, or pads otherwise than with a constant.
 */
export function spatialPads(reading: PadReading, rank: number): readonly number[] | undefined {
  if (reading.mode !== 'constant' || reading.pads.some((extent) => extent < 0)) return undefined;
  const axes = reading.axes ?? Array.from({ length: rank }, (_, axis) => axis);
  if (reading.pads.length !== 2 * axes.length) return undefined;
  const before = new Array<number>(rank).fill(0);
  const after = new Array<number>(rank).fill(0);
  axes.forEach((axis, position) => {
    const at = axis < 0 ? axis + rank : axis;
    before[at] = reading.pads[position] ?? 0;
    after[at] = reading.pads[axes.length + position] ?? 0;
  });
  const others = [before[0], before[1], after[0], after[1]];
  return others.some((extent) => extent !== 0) ? undefined : [...before.slice(2), ...after.slice(2)];
}
