/**
 * The outputs of a node alone (without epilogue) from the values of its inputs, which are all there as constants: float
 * arithmetic in float64, data moved as it is. A node on the GPU is held against them. One line an operator or family.
 */
import type { NodeContext, OperatorDefinition, ReferenceOutput } from '../op-definition.ts';
import { BINARY_OPERATORS, binaryReferenceOf } from '../ops/binary.ts';
import { CAST_OPERATORS } from '../ops/cast.ts';
import { CONCAT_OPERATORS } from '../ops/concat.ts';
import { FULL_CONV_OPERATORS } from '../ops/conv-full.ts';
import { convReference } from '../ops/conv-reference.ts';
import { CONV_TRANSPOSE_OPERATORS } from '../ops/conv-transpose.ts';
import { CONV_TRANSPOSE_PAIR_OPERATORS, convTransposePairReference } from '../ops/conv-transpose-pair.ts';
import { convTransposeReferenceOf } from '../ops/conv-transpose-reference.ts';
import { DEFORM_CONV_OPERATORS, deformConvReference } from '../ops/deform-conv.ts';
import { EXPAND_DEPTHWISE_OPERATORS, expandDepthwiseReference } from '../ops/expand-depthwise.ts';
import { GATHER_OPERATORS } from '../ops/gather.ts';
import { GEMM_OPERATORS, gemmReferenceOf } from '../ops/gemm.ts';
import { convIntegerReference, matmulIntegerReference } from '../ops/integer.ts';
import { LOGIC_OPERATORS } from '../ops/logic.ts';
import { LRN_OPERATORS, lrnReference } from '../ops/lrn.ts';
import { MAP_EXCITE_OPERATORS, mapExciteReference } from '../ops/map-excite.ts';
import { MATMUL_OPERATORS, matmulReference } from '../ops/matmul.ts';
import { MAX_UNPOOL_OPERATORS, maxUnpoolReference } from '../ops/max-unpool.ts';
import { MERGE_MAPS_OPERATORS, mergeMapsReference } from '../ops/merge-maps.ts';
import { batchNormReference, instanceNormReference, layerNormReference } from '../ops/normalization.ts';
import { PAD_OPERATORS } from '../ops/pad.ts';
import { globalPoolReference, windowPoolReference } from '../ops/pool.ts';
import { qlinearConvReference, qlinearMatMulReference } from '../ops/qlinear.ts';
import { QUANTIZE_OPERATORS } from '../ops/quantize.ts';
import { REARRANGE_OPERATORS } from '../ops/rearrange.ts';
import { REDUCE_OPERATORS, reduceReference } from '../ops/reduce.ts';
import { exact } from '../ops/reference.ts';
import { operatorKey } from '../ops/registry.ts';
import { REPEAT_OPERATORS } from '../ops/repeat.ts';
import { RESHAPE_OPERATORS } from '../ops/reshape.ts';
import { RESIZE_OPERATORS } from '../ops/resize.ts';
import { resizeReference } from '../ops/resize-reference.ts';
import { SLICE_OPERATORS } from '../ops/slice.ts';
import { SOFTMAX_OPERATORS, softmaxReference } from '../ops/softmax.ts';
import { SPLIT_OPERATORS } from '../ops/split.ts';
import { SQUEEZE_EXCITE_OPERATORS, squeezeExciteReference } from '../ops/squeeze-excite.ts';
import { UNARY_OPERATORS, unaryReference } from '../ops/unary.ts';
import { VARIADIC_OPERATORS, variadicReference } from '../ops/variadic.ts';
import { WHERE_OPERATORS } from '../ops/where.ts';

export type Reference = (context: NodeContext) => readonly ReferenceOutput[];

type Names = readonly Pick<OperatorDefinition, 'domain' | 'opType'>[];

/** Operators of ONNX's own domain. */
const onnx = (...opTypes: readonly string[]): Names => opTypes.map((opType) => ({ domain: '', opType }));

/** Operators whose evaluation on the host is exact: it is their reference. */
const EVALUATED: readonly (readonly OperatorDefinition[])[] = [
  CAST_OPERATORS,
  CONCAT_OPERATORS,
  GATHER_OPERATORS,
  LOGIC_OPERATORS,
  PAD_OPERATORS,
  QUANTIZE_OPERATORS,
  REARRANGE_OPERATORS,
  REPEAT_OPERATORS,
  RESHAPE_OPERATORS,
  SLICE_OPERATORS,
  SPLIT_OPERATORS,
  WHERE_OPERATORS,
];

const COMPUTED: readonly (readonly [Names, Reference])[] = [
  [BINARY_OPERATORS, binaryReferenceOf],
  [FULL_CONV_OPERATORS, convReference],
  [CONV_TRANSPOSE_OPERATORS, convTransposeReferenceOf],
  [CONV_TRANSPOSE_PAIR_OPERATORS, convTransposePairReference],
  [DEFORM_CONV_OPERATORS, deformConvReference],
  [EXPAND_DEPTHWISE_OPERATORS, expandDepthwiseReference],
  [GEMM_OPERATORS, gemmReferenceOf],
  [LRN_OPERATORS, lrnReference],
  [MAP_EXCITE_OPERATORS, mapExciteReference],
  [MATMUL_OPERATORS, matmulReference],
  [MAX_UNPOOL_OPERATORS, maxUnpoolReference],
  [MERGE_MAPS_OPERATORS, mergeMapsReference],
  [REDUCE_OPERATORS, reduceReference],
  [RESIZE_OPERATORS, resizeReference],
  [SOFTMAX_OPERATORS, softmaxReference],
  [SQUEEZE_EXCITE_OPERATORS, squeezeExciteReference],
  [UNARY_OPERATORS, unaryReference],
  [VARIADIC_OPERATORS, variadicReference],
  [onnx('BatchNormalization'), batchNormReference],
  [onnx('ConvInteger'), convIntegerReference],
  [onnx('GlobalAveragePool', 'GlobalLpPool', 'GlobalMaxPool'), globalPoolReference],
  [onnx('InstanceNormalization'), instanceNormReference],
  [onnx('LayerNormalization'), layerNormReference],
  [onnx('MatMulInteger'), matmulIntegerReference],
  [onnx('AveragePool', 'LpPool', 'MaxPool'), windowPoolReference],
  [onnx('QLinearConv'), qlinearConvReference],
  [onnx('QLinearMatMul'), qlinearMatMulReference],
];

const REFERENCES: ReadonlyMap<string, Reference> = new Map([
  ...EVALUATED.flat().flatMap(({ domain, opType, evaluate }): [string, Reference][] =>
    evaluate === undefined ? [] : [[operatorKey(domain, opType), (context) => exact(evaluate(context))]],
  ),
  ...COMPUTED.flatMap(([names, reference]) =>
    names.map(({ domain, opType }) => [operatorKey(domain, opType), reference] as const),
  ),
]);

/** The reference of an operator; undefined where it never runs on the GPU. */
export function findReference(domain: string, opType: string): Reference | undefined {
  return REFERENCES.get(operatorKey(domain, opType));
}
