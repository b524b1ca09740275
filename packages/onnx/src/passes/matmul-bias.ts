/** MatMul of a rank-2 value with constant weights, then Add of a constant [n], is Gemm with a bias. */
import type { GraphNode } from '../graph.ts';
import { perChannel } from './channel-affine.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, hasPlainEpilogue, isOperator } from './rewriter.ts';

const PASS = 'matmul-bias';

export function gemmInsteadOfMatMul(rewriter: GraphRewriter): void {
  for (const node of rewriter.nodes()) {
    if (!rewriter.has(node) || !isOperator(node, 'MatMul') || !hasPlainEpilogue(node)) continue;
    const add = rewriter.soleReader(node.outputs[0] ?? '');
    if (isOperator(add, 'Add') && add.epilogue.residual === '') fuse(rewriter, node, add);
  }
}

function fuse(rewriter: GraphRewriter, matMul: GraphNode, add: GraphNode): void {
  const [src = '', weightsName = ''] = matMul.inputs;
  const weights = rewriter.floats(weightsName);
  const channels = weights?.dims.length === 2 ? weights.dims[1] : undefined;
  if (channels === undefined || rewriter.facts.rank(src) !== 2) return;
  const biasName = add.inputs.find((input) => input !== matMul.outputs[0]) ?? '';
  const bias = perChannel(rewriter, biasName, { channels, rank: 2 });
  if (bias === undefined) return;
  const name = rewriter.addFloats(`${matMul.name}.bias`, Float32Array.from(bias), [channels]);
  rewriter.replace(PASS, [matMul, add], {
    ...matMul,
    opType: 'Gemm',
    inputs: [src, weightsName, name],
    outputs: add.outputs,
    epilogue: add.epilogue,
    covers: coversOf(matMul, add),
  });
}
