/** Every operator a session knows, by domain and name. One line a family. */
import type { OperatorDefinition } from '../op-definition.ts';
import { BINARY_OPERATORS } from './binary.ts';
import { CAST_OPERATORS } from './cast.ts';
import { CONCAT_OPERATORS } from './concat.ts';
import { CONSTANT_OPERATORS } from './constant.ts';
import { CONV_OPERATORS } from './conv.ts';
import { CONV_TRANSPOSE_OPERATORS } from './conv-transpose.ts';
import { CONV_TRANSPOSE_PAIR_OPERATORS } from './conv-transpose-pair.ts';
import { DEFORM_CONV_OPERATORS } from './deform-conv.ts';
import { EXPAND_DEPTHWISE_OPERATORS } from './expand-depthwise.ts';
import { GATHER_OPERATORS } from './gather.ts';
import { GEMM_OPERATORS } from './gemm.ts';
import { INTEGER_OPERATORS } from './integer.ts';
import { LOGIC_OPERATORS } from './logic.ts';
import { LRN_OPERATORS } from './lrn.ts';
import { MAP_EXCITE_OPERATORS } from './map-excite.ts';
import { MATMUL_OPERATORS } from './matmul.ts';
import { MAX_UNPOOL_OPERATORS } from './max-unpool.ts';
import { MERGE_MAPS_OPERATORS } from './merge-maps.ts';
import { NORMALIZATION_OPERATORS } from './normalization.ts';
import { PAD_OPERATORS } from './pad.ts';
import { POOL_OPERATORS } from './pool.ts';
import { QLINEAR_OPERATORS } from './qlinear.ts';
import { QUANTIZE_OPERATORS } from './quantize.ts';
import { REARRANGE_OPERATORS } from './rearrange.ts';
import { REDUCE_OPERATORS } from './reduce.ts';
import { REPEAT_OPERATORS } from './repeat.ts';
import { RESHAPE_OPERATORS } from './reshape.ts';
import { RESIZE_OPERATORS } from './resize.ts';
import { SHAPE_OPERATORS } from './shape.ts';
import { SLICE_OPERATORS } from './slice.ts';
import { SOFTMAX_OPERATORS } from './softmax.ts';
import { SPLIT_OPERATORS } from './split.ts';
import { SQUEEZE_EXCITE_OPERATORS } from './squeeze-excite.ts';
import { UNARY_OPERATORS } from './unary.ts';
import { VARIADIC_OPERATORS } from './variadic.ts';
import { WHERE_OPERATORS } from './where.ts';

const FAMILIES: readonly (readonly OperatorDefinition[])[] = [
  BINARY_OPERATORS,
  CAST_OPERATORS,
  CONCAT_OPERATORS,
  LOGIC_OPERATORS,
  PAD_OPERATORS,
  REARRANGE_OPERATORS,
  REPEAT_OPERATORS,
  SLICE_OPERATORS,
  SPLIT_OPERATORS,
  UNARY_OPERATORS,
  VARIADIC_OPERATORS,
  WHERE_OPERATORS,
  CONSTANT_OPERATORS,
  CONV_OPERATORS,
  CONV_TRANSPOSE_OPERATORS,
  CONV_TRANSPOSE_PAIR_OPERATORS,
  DEFORM_CONV_OPERATORS,
  EXPAND_DEPTHWISE_OPERATORS,
  GATHER_OPERATORS,
  GEMM_OPERATORS,
  INTEGER_OPERATORS,
  LRN_OPERATORS,
  MAP_EXCITE_OPERATORS,
  MATMUL_OPERATORS,
  MAX_UNPOOL_OPERATORS,
  MERGE_MAPS_OPERATORS,
  NORMALIZATION_OPERATORS,
  POOL_OPERATORS,
  QLINEAR_OPERATORS,
  QUANTIZE_OPERATORS,
  REDUCE_OPERATORS,
  RESHAPE_OPERATORS,
  RESIZE_OPERATORS,
  SHAPE_OPERATORS,
  SOFTMAX_OPERATORS,
  SQUEEZE_EXCITE_OPERATORS,
];

const DEFINITIONS: ReadonlyMap<string, OperatorDefinition> = new Map(
  FAMILIES.flat().map((definition) => [operatorKey(definition.domain, definition.opType), definition]),
);

/** The definition of an operator; undefined when we lack it. `ai.onnx` is ONNX's own domain spelled out. */
export function findOperator(domain: string, opType: string): OperatorDefinition | undefined {
  return DEFINITIONS.get(operatorKey(domain, opType));
}

/** All definitions, for the support table. */
export function allOperators(): readonly OperatorDefinition[] {
  return [...DEFINITIONS.values()];
}

/** One text for an operator, whichever way its domain is written. */
export function operatorKey(domain: string, opType: string): string {
  return `${domain === 'ai.onnx' ? '' : domain}:${opType}`;
}
