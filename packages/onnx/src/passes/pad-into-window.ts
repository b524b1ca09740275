/**
 * Pad by a constant moves into the window operator behind it, where that is exact:
 *
 *   Conv         padding value 0
 *   AveragePool  padding value 0, the pads counted in the divisor, whole windows only (no ceil_mode)
 *   MaxPool      padding value at or below the lowest float32, or 0 behind a relu where every window holds a real tap;
 *                no ceil_mode, no indices
 */
import { AttributeReader } from '../attributes.ts';
import type { AttributeValue, GraphNode } from '../graph.ts';
import { readPads, spatialPads } from './pad-reading.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, isOperator } from './rewriter.ts';

const PASS = 'pad-into-window';

const LOWEST_FLOAT = -3.4028234663852886e38;

export function foldPad(rewriter: GraphRewriter): void {
  for (const pad of rewriter.nodes()) {
    if (rewriter.has(pad) && isOperator(pad, 'Pad')) foldIntoReader(rewriter, pad);
  }
}

function foldIntoReader(rewriter: GraphRewriter, pad: GraphNode): void {
  const value = pad.outputs[0] ?? '';
  const window = rewriter.soleReader(value);
  const reading = readPads(rewriter, pad);
  if (window === undefined || reading?.value === undefined || window.inputs[0] !== value) return;
  const rank = windowRank(rewriter, window);
  const added = rank === undefined ? undefined : spatialPads(reading, rank);
  const own = added && explicitPads(window, added.length);
  if (added === undefined || own === undefined) return;
  const pads = own.map((extent, index) => extent + (added[index] ?? 0));
  const attributes = new Map<string, AttributeValue>(window.attributes);
  if (!allows(rewriter, { pad, window, value: reading.value, own, pads })) return;
  if (isOperator(window, 'AveragePool')) attributes.set('count_include_pad', { kind: 'int', value: 1n });
  attributes.set('pads', { kind: 'ints', value: pads.map((extent) => BigInt(extent)) });
  attributes.delete('auto_pad');
  rewriter.replace(PASS, [pad, window], {
    ...window,
    inputs: [pad.inputs[0] ?? '', ...window.inputs.slice(1)],
    attributes,
    covers: coversOf(pad, window),
  });
}

/** Rank of the window's input from what the window itself says. */
function windowRank(rewriter: GraphRewriter, window: GraphNode): number | undefined {
  const kernel = new AttributeReader(window).ints('kernel_shape');
  if (kernel !== undefined) return kernel.length + 2;
  return isOperator(window, 'Conv') ? rewriter.constant(window.inputs[1] ?? '')?.dims.length : undefined;
}

/** The window's own pads; undefined where auto_pad derives them from the extents. */
function explicitPads(window: GraphNode, length: number): readonly number[] | undefined {
  const attributes = new AttributeReader(window);
  const automatic = attributes.string('auto_pad', 'NOTSET');
  if (automatic === 'VALID') return new Array<number>(length).fill(0);
  if (automatic !== 'NOTSET' && automatic !== '') return undefined;
  const pads = attributes.ints('pads') ?? new Array<number>(length).fill(0);
  return pads.length === length ? pads : undefined;
}

interface Candidate {
  readonly pad: GraphNode;
  readonly window: GraphNode;
  readonly value: number;
  readonly own: readonly number[];
  readonly pads: readonly number[];
}

function allows(rewriter: GraphRewriter, candidate: Candidate): boolean {
  const { window, value, own } = candidate;
  if (isOperator(window, 'Conv')) return value === 0;
  const attributes = new AttributeReader(window);
  if (attributes.int('ceil_mode', 0) !== 0) return false;
  if (isOperator(window, 'AveragePool')) {
    const counted = attributes.int('count_include_pad', 0) === 1;
    return value === 0 && (counted || own.every((extent) => extent === 0));
  }
  if (!isOperator(window, 'MaxPool') || window.outputs.length !== 1) return false;
  if (value <= LOWEST_FLOAT) return true;
  return (
    value === 0 && isNonNegative(rewriter, candidate.pad.inputs[0] ?? '') && everyWindowHasATap(candidate)
  );
}

/** Whether the last thing done to the value is a relu or a clip from zero up. */
function isNonNegative(rewriter: GraphRewriter, value: string): boolean {
  const producer = rewriter.producer(value);
  if (producer === undefined) return false;
  const last = producer.epilogue.activation.at(-1);
  if (last === undefined) return isOperator(producer, 'Relu', 'Sigmoid', 'HardSigmoid');
  return last.kind === 'relu' || last.kind === 'sigmoid' || (last.kind === 'clip' && last.min >= 0);
}

/** With pads smaller than the kernel on every side no window lies in the padding alone. */
function everyWindowHasATap({ window, pads }: Candidate): boolean {
  const attributes = new AttributeReader(window);
  const kernel = attributes.ints('kernel_shape') ?? [];
  const undilated = (attributes.ints('dilations') ?? []).every((dilation) => dilation === 1);
  return undilated && pads.every((extent, index) => extent < (kernel[index % kernel.length] ?? 0));
}
