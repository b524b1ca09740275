/** Which operators' kernels have the fused epilogue: an activation chain, and a residual operand before it. */
import type { GraphNode } from '../graph.ts';
import { isOperator } from './rewriter.ts';

const PRODUCTS = ['Conv', 'ConvTranspose', 'DeformConv', 'Gemm', 'MatMul'] as const;
const RESIZES = ['Resize', 'Upsample'] as const;

/** Whether `node` can carry (more) activation steps. */
export function takesActivation(node: GraphNode): boolean {
  return isOperator(node, ...PRODUCTS, ...RESIZES, 'Add', 'Sub', 'Mul', 'Div');
}

/** Whether `node` can carry a residual now: it has none yet, and no activation that would have to come after it. */
export function takesResidual(node: GraphNode): boolean {
  const plain = node.epilogue.residual === '' && node.epilogue.activation.length === 0;
  return plain && isOperator(node, ...PRODUCTS, ...RESIZES);
}
