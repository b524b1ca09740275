/**
 * An UpsampleSumConv adds maps of equal extents; whether they are equal was judged at probed extents. For extents where
 * one broadcasts to the other after all, the node is taken apart into the Conv and a Resize with its sum, for that plan
 * alone (`split-residual.ts` then takes the sum apart).
 */

import { UPSAMPLE_SUM_CONV } from './fused-operators.ts';
import { EMPTY_EPILOGUE, type GraphNode } from './graph.ts';
import type { ValueInfo } from './op-definition.ts';
import { wholeFactors } from './passes/upsample-into-conv.ts';
import { freshValue } from './split-residual.ts';

/** Attributes of Conv; the others are those of Resize. */
const CONV_ATTRIBUTES = new Set(['auto_pad', 'dilations', 'group', 'kernel_shape', 'pads', 'strides']);

/**
 * The nodes that compute what `node` does: itself, or Conv and Resize.
 * @param own dims of the convolution's result
 * @param values what is known so far; the coarser map is among it
 */
export function splitUpsample(
  node: GraphNode,
  own: readonly number[],
  values: ReadonlyMap<string, ValueInfo>,
): readonly GraphNode[] {
  if (node.domain !== 'onegpu' || node.opType !== UPSAMPLE_SUM_CONV) return [node];
  const [x = '', w = '', b = '', coarse = '', scales = ''] = node.inputs;
  const [rows = 1, columns = 1] =
    wholeFactors((values.get(scales)?.constant?.data ?? []) as Float32Array) ?? [];
  const [batch, channels, height = 0, width = 0] = values.get(coarse)?.dims ?? [];
  if (String([batch, channels, height * rows, width * columns]) === String(own)) return [node];
  const lateral = freshValue(`${node.outputs[0] ?? node.name}/before-sum`, values);
  const { covers } = node;
  const attributes = [...node.attributes];
  return [
    {
      ...{ name: node.name, opType: 'Conv', domain: '', inputs: [x, w, b], outputs: [lateral] },
      ...{ attributes: new Map(attributes.filter(([name]) => CONV_ATTRIBUTES.has(name))) },
      ...{ epilogue: EMPTY_EPILOGUE, covers },
    },
    {
      ...{ name: `${node.name}/resize`, opType: 'Resize', domain: '', inputs: [coarse, '', scales] },
      ...{
        outputs: node.outputs,
        attributes: new Map(attributes.filter(([name]) => !CONV_ATTRIBUTES.has(name))),
      },
      ...{ epilogue: { ...node.epilogue, residual: lateral }, covers },
    },
  ];
}
