/** Every operator a session knows, by domain and name: those of the entry for browsers here, one line a family. */
// biome-ignore-all assist/source/organizeImports: alike operators stand together, as in the index of the kernels.
import { findExtension } from '../extension.ts';
import type { OperatorDefinition } from '../op-definition.ts';

// Element by element
import { BINARY_OPERATORS } from './binary.ts';
import { VARIADIC_OPERATORS } from './variadic.ts';
import { UNARY_OPERATORS } from './unary.ts';
import { LOGIC_OPERATORS } from './logic.ts';
import { CAST_OPERATORS } from './cast.ts';
import { WHERE_OPERATORS } from './where.ts';

// Along an axis
import { SOFTMAX_OPERATORS } from './softmax.ts';
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

// Products of matrices
import { MATMUL_OPERATORS } from './matmul.ts';
import { GEMM_OPERATORS } from './gemm.ts';

// Convolutions
import { CONV_OPERATORS } from './conv.ts';
import { CONV_TRANSPOSE_OPERATORS } from './conv-transpose.ts';

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
  GATHER_OPERATORS,
  GEMM_OPERATORS,
  MATMUL_OPERATORS,
  NORMALIZATION_OPERATORS,
  POOL_OPERATORS,
  REDUCE_OPERATORS,
  RESHAPE_OPERATORS,
  RESIZE_OPERATORS,
  SHAPE_OPERATORS,
  SOFTMAX_OPERATORS,
];

const DEFINITIONS = operatorsByName(FAMILIES);

/** As `findOperator` looks them up; of two with one name the later. */
export function operatorsByName(families: typeof FAMILIES): ReadonlyMap<string, OperatorDefinition> {
  return new Map(
    families.flat().map((definition) => [operatorKey(definition.domain, definition.opType), definition]),
  );
}

/** The definition of an operator; undefined when we lack it. `ai.onnx` is ONNX's own domain spelled out. */
export function findOperator(domain: string, opType: string): OperatorDefinition | undefined {
  const key = operatorKey(domain, opType);
  return findExtension()?.operators.get(key) ?? DEFINITIONS.get(key);
}

/** All definitions, for the support table. */
export function allOperators(): readonly OperatorDefinition[] {
  return [...new Map([...DEFINITIONS, ...(findExtension()?.operators ?? [])]).values()];
}

/** Whether the entry for browsers has the operator too, if not in all its forms. */
export function isInBrowserEntry({ domain, opType }: OperatorDefinition): boolean {
  return DEFINITIONS.has(operatorKey(domain, opType));
}

/** One text for an operator, whichever way its domain is written. */
export function operatorKey(domain: string, opType: string): string {
  return `${domain === 'ai.onnx' ? '' : domain}:${opType}`;
}
