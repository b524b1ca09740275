/**
 * The step down a feature pyramid: a lateral Conv plus a coarser map, nearest Resize by whole factors. The Resize holds
 * the sum since `fuse-residual`; here the Conv takes it and reads the coarser map in its epilogue, as an `onegpu`
 * UpsampleSumConv, and the lateral map is never stored. Inputs: X, W, B, the coarser map and the scales of Resize;
 * attributes are those of both. For hardware adapters: the kernels of software adapters read residuals of dst's extents.
 */

import { AttributeReader } from '../attributes.ts';
import { UPSAMPLE_SUM_CONV } from '../fused-operators.ts';
import type { GraphNode } from '../graph.ts';
import { EMPTY_EPILOGUE } from '../graph.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, hasPlainEpilogue, isOperator } from './rewriter.ts';

const PASS = 'upsample-into-conv';
export function addUpsampled(rewriter: GraphRewriter): void {
  if (rewriter.graph.opset < 11) return; // Resize of opset 10 has its scales elsewhere.
  for (const resize of rewriter.nodes()) {
    const lateral = lateralOf(rewriter, resize);
    const scales = rewriter.floats(resize.inputs[2] ?? '');
    if (lateral === undefined || scales === undefined || wholeFactors(scales.data) === undefined) continue;
    const [x = '', w = '', b = ''] = lateral.inputs;
    rewriter.replace(PASS, [lateral, resize], {
      ...lateral,
      domain: 'onegpu',
      opType: UPSAMPLE_SUM_CONV,
      inputs: [x, w, b, resize.inputs[0] ?? '', resize.inputs[2] ?? ''],
      outputs: resize.outputs,
      attributes: new Map([...lateral.attributes, ...resize.attributes]),
      epilogue: { ...EMPTY_EPILOGUE, activation: resize.epilogue.activation },
      covers: coversOf(lateral, resize),
    });
  }
}

/** Rows and columns that one source pixel becomes under scales [1, 1, rows, columns]; undefined for any other. */
export function wholeFactors(scales: ArrayLike<number>): readonly [number, number] | undefined {
  const [batch, channels, rows = 0, columns = 0] = Array.from(scales);
  const whole = [rows, columns].every((scale) => Number.isInteger(scale) && scale >= 1);
  return scales.length === 4 && batch === 1 && channels === 1 && whole ? [rows, columns] : undefined;
}

/** The Conv of constants whose result only `resize` reads, and adds to what it repeats. */
function lateralOf(rewriter: GraphRewriter, resize: GraphNode): GraphNode | undefined {
  const { residual } = resize.epilogue;
  const lateral = rewriter.producer(residual);
  if (residual === '' || !repeats(resize) || rewriter.soleReader(residual) !== resize) return undefined;
  if (!isOperator(lateral, 'Conv') || !hasPlainEpilogue(lateral)) return undefined;
  const weights = rewriter.constant(lateral.inputs[1] ?? '');
  const bias = lateral.inputs[2] ?? '';
  const constant = weights?.dims.length === 4 && (bias === '' || rewriter.constant(bias) !== undefined);
  return constant && new AttributeReader(lateral).int('group', 1) === 1 ? lateral : undefined;
}

/** Whether a Resize by whole factors takes output position x from source position floor(x / factor). */
function repeats(node: GraphNode): boolean {
  if (!isOperator(node, 'Resize') || node.attributes.has('axes')) return false;
  const attributes = new AttributeReader(node);
  const nearest = attributes.string('nearest_mode', 'round_prefer_floor');
  const coordinates = attributes.string('coordinate_transformation_mode', 'half_pixel');
  const floors = coordinates === 'asymmetric' && nearest === 'floor';
  // (x + 1/2) / factor - 1/2 never lies half-way between two positions, and rounds to the floor.
  const rounds = coordinates === 'half_pixel' && nearest.startsWith('round');
  return attributes.string('mode', 'nearest') === 'nearest' && (floors || rounds);
}
