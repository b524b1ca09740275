/** Every operator a session knows, by domain and name. One line a family. */
// biome-ignore-all assist/source/organizeImports: alike operators stand together, as in the index of the kernels.
import type { OperatorDefinition } from '../op-definition.ts';

// Element by element
import { BINARY_OPERATORS } from './binary.ts';
import { VARIADIC_OPERATORS } from './variadic.ts';
import { UNARY_OPERATORS } from './unary.ts';
import { LOGIC_OPERATORS } from './logic.ts';
import { CAST_OPERATORS } from './cast.ts';
import { WHERE_OPERATORS } from './where.ts';

// Along an axis
import { MAX_UNPOOL_OPERATORS } from './max-unpool.ts';
import { SOFTMAX_OPERATORS } from './softmax.ts';
import { LRN_OPERATORS } from './lrn.ts';
import { NORMALIZATION_OPERATORS } from './normalization.ts';

// Rows, slices and windows
import { REDUCE_OPERATORS } from './reduce.ts';
import { POOL_OPERATORS } from './pool.ts';
import { GATHER_OPERATORS } from './gather.ts';
import { CONCAT_OPERATORS } from './concat.ts';
import { SPLIT_OPERATORS } from './split.ts';
import { SLICE_OPERATORS } from './slice.ts';
import { PAD_OPERATORS } from './pad.ts';
import { REARRANGE_OPERATORS } from './rearrange.ts';
import { REPEAT_OPERATORS } from './repeat.ts';
import { RESHAPE_OPERATORS } from './reshape.ts';
import { SHAPE_OPERATORS } from './shape.ts';
import { CONSTANT_OPERATORS } from './constant.ts';

// Products of matrices, of bytes first
import { QUANTIZE_OPERATORS } from './quantize.ts';
import { QLINEAR_OPERATORS } from './qlinear.ts';
import { INTEGER_OPERATORS } from './integer.ts';
import { MATMUL_OPERATORS } from './matmul.ts';
import { GEMM_OPERATORS } from './gemm.ts';

// Convolutions
import { CONV_OPERATORS } from './conv.ts';
import { CONV_TRANSPOSE_OPERATORS } from './conv-transpose.ts';
import { DEFORM_CONV_OPERATORS } from './deform-conv.ts';
import { EXPAND_DEPTHWISE_OPERATORS } from './expand-depthwise.ts';
import { MAP_EXCITE_OPERATORS } from './map-excite.ts';

// Maps as a whole
import { SQUEEZE_EXCITE_OPERATORS } from './squeeze-excite.ts';
import { CONV_TRANSPOSE_PAIR_OPERATORS } from './conv-transpose-pair.ts';
import { MERGE_MAPS_OPERATORS } from './merge-maps.ts';
import { RESIZE_OPERATORS } from './resize.ts';

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
