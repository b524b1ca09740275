/**
 * What each reduction does to an element (`enter`), to two partial results (`fold`) and to the finished one
 * (`leave`), as WGSL, and what it gives for no elements at all. Maxima and minima run on ordered u32 keys.
 */
import { divideExactWgsl } from '../shared/exact-divide.ts';
import { type ElementType, elementType } from '../shared/image-view.ts';
import { mathWgsl } from '../shared/math.wgsl.ts';
import { orderedBitsWgsl } from '../shared/ordered-bits.ts';
import type { ReduceOperation, ReduceProblem } from './problem.ts';

/** Operations that fold a number an element; log-sum-exp and the norms have kernels of their own. */
export type FoldOperation = Exclude<ReduceOperation, 'log-sum-exp' | 'l2' | 'lp'>;

export interface FoldText {
  readonly src: ElementType;
  readonly accumulator: ElementType;
  readonly dst: ElementType;
  readonly functions: string;
  readonly identity: string;
}

const ENTER: Partial<Record<FoldOperation, string>> = {
  l1: 'abs(x)',
  'sum-square': 'x * x',
};

const LEAVE: Partial<Record<FoldOperation, string>> = {
  mean: 'divide_exact(x, params.count)',
  'log-sum': 'm_log(x)',
};

/** Text of one pass; `first` and `last` say whether elements enter and results leave in it. */
export function foldText(
  operation: FoldOperation,
  { lanes }: Pick<ReduceProblem, 'lanes'>,
  place: { readonly first: boolean; readonly last: boolean },
): FoldText {
  if (operation === 'max' || operation === 'min' || operation === 'pool-max') {
    return extremeText(operation, lanes, place);
  }
  const type = elementType('f32', lanes);
  const enter = place.first ? (ENTER[operation] ?? 'x') : 'x';
  const leave = place.last ? (LEAVE[operation] ?? 'x') : 'x';
  return {
    src: type,
    accumulator: type,
    dst: type,
    identity: operation === 'prod' ? '1.0f' : '0.0f',
    functions: `${divideExactWgsl(lanes)}
${operation === 'log-sum' ? mathWgsl(['m_log']) : ''}
fn enter(x: ${type}, row: u32) -> ${type} { return ${enter}; }
fn fold(a: ${type}, b: ${type}) -> ${type} { return a ${operation === 'prod' ? '*' : '+'} b; }
fn leave(x: ${type}) -> ${type} { return ${leave}; }`,
  };
}

function extremeText(
  operation: 'max' | 'min' | 'pool-max',
  lanes: 1 | 4,
  place: { readonly first: boolean; readonly last: boolean },
): FoldText {
  const type = lanes === 1 ? 'u32' : 'vec4u';
  return {
    src: type,
    accumulator: type,
    dst: type,
    identity: operation === 'min' ? '0xffffffffu' : '0u',
    functions: `${orderedBitsWgsl(type, operation === 'max' ? 'wins' : 'loses')}
fn enter(x: ${type}, row: u32) -> ${type} { return ${place.first ? 'to_key(x)' : 'x'}; }
fn fold(a: ${type}, b: ${type}) -> ${type} { return ${operation === 'min' ? 'min' : 'max'}(a, b); }
fn leave(x: ${type}) -> ${type} { return ${place.last ? 'from_key(x)' : 'x'}; }`,
  };
}

/** Float32 bits of the result over no elements. */
export const EMPTY_RESULT_BITS: Readonly<Record<ReduceOperation, number>> = {
  sum: 0,
  mean: 0x7fc00000,
  prod: 0x3f800000,
  l1: 0,
  l2: 0,
  lp: 0,
  'sum-square': 0,
  'log-sum': 0xff800000,
  'log-sum-exp': 0xff800000,
  max: 0xff800000,
  min: 0x7f800000,
  'pool-max': 0xff7fffff,
};
