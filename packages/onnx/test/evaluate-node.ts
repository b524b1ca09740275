/** Runs one node on the host through the import, as constant folding does. */
import { foldConstants } from '../src/constant-folding.ts';
import { importModel } from '../src/import.ts';
import { decodeModel } from '../src/proto/decode-model.ts';
import type { Tensor } from '../src/tensor.ts';
import { buildModel, type NodeDescription } from './model-builder.ts';

/** Input `i` of the node is `inputs[i]`; undefined stands for an absent optional input. */
export function evaluateNode(
  node: Pick<NodeDescription, 'op' | 'attributes'>,
  inputs: readonly (Tensor | undefined)[],
  opset = 17,
): Tensor {
  const names = inputs.map((input, index) => (input === undefined ? '' : `in${index}`));
  const initializers = Object.fromEntries(
    inputs.flatMap((input, index) => (input === undefined ? [] : [[`in${index}`, input] as const])),
  );
  const nodes = [{ ...node, name: 'node', inputs: names, outputs: ['out'] }];
  const { graph } = importModel(decodeModel(buildModel({ opset, outputs: ['out'], nodes, initializers })));
  foldConstants(graph);
  const result = graph.constants.get('out');
  if (result === undefined) throw new Error(`${node.op} was not evaluated`);
  return result;
}
