/**
 * A ShortcutConv adds two convolutions of equal extents; whether they are equal was judged at probed extents. For
 * extents where one result broadcasts to the other after all, the node is taken apart into the two Convs and an Add, for
 * that plan alone (as `split-residual.ts` does with sums).
 */
import { AttributeReader } from './attributes.ts';
import { SHORTCUT_CONV } from './fused-operators.ts';
import { EMPTY_EPILOGUE, type GraphNode } from './graph.ts';
import type { ValueInfo } from './op-definition.ts';
import { freshValue } from './split-residual.ts';

/**
 * The nodes that compute what `node` does: itself, or Conv, Conv and Add.
 * @param own dims of the convolution of the first source
 * @param values what is known so far; the sources are among it
 */
export function splitShortcut(
  node: GraphNode,
  own: readonly number[],
  values: ReadonlyMap<string, ValueInfo>,
): readonly GraphNode[] {
  if (node.domain !== 'onegpu' || node.opType !== SHORTCUT_CONV) return [node];
  const [x = '', w = '', bias = '', secondX = '', secondW = ''] = node.inputs;
  const { dims = [] } = values.get(secondX) ?? {};
  const strides = new AttributeReader(node).ints('shortcut_strides') ?? [1, 1];
  const spatial = dims.slice(2).map((extent, axis) => Math.ceil(extent / (strides[axis] ?? 1)));
  if (String([dims[0], ...spatial]) === String([own[0], ...own.slice(2)])) return [node];
  const attributes = new Map(node.attributes);
  attributes.delete('shortcut_strides');
  const made = node.outputs[0] ?? node.name;
  const first = freshValue(`${made}/before-sum`, values);
  const second = freshValue(`${made}/shortcut`, values);
  const conv = { opType: 'Conv', domain: '', epilogue: EMPTY_EPILOGUE, covers: node.covers };
  return [
    { ...conv, name: node.name, inputs: [x, w, bias], outputs: [first], attributes },
    {
      ...{ ...conv, name: `${node.name}/shortcut`, inputs: [secondX, secondW], outputs: [second] },
      attributes: new Map([['strides', { kind: 'ints', value: strides.map(BigInt) }]]),
    },
    {
      ...{ ...conv, name: `${node.name}/sum`, opType: 'Add', inputs: [first, second] },
      ...{ outputs: node.outputs, attributes: new Map(), epilogue: node.epilogue },
    },
  ];
}
