/** Typed element-wise problems for tests: every function over every class it takes, then ways to broadcast. */
import type { MapElement } from './element.ts';
import {
  BINARY_MAP_FUNCTIONS,
  COMPARISON_FUNCTIONS,
  FLOAT_TESTS,
  type MapFunction,
  UNARY_MAP_FUNCTIONS,
} from './functions.wgsl.ts';
import { type MapProblem, makeMapProblem } from './problem.ts';

export interface MapCase {
  readonly name: string;
  readonly problem: MapProblem;
}

const INTEGERS: readonly MapElement[] = ['i32', 'u32', 'i64', 'u64'];
const ELEMENTS: readonly MapElement[] = ['f32', 'bool', ...INTEGERS];
/** More elements than one invocation of a software adapter takes, and no multiple of a workgroup. */
const COUNT = 601;

function row(
  name: MapFunction,
  element: MapElement,
  operands: readonly (readonly number[])[],
  to: MapElement = element,
): MapCase {
  const problem = makeMapProblem({ function: name, element, to, operands });
  const shapes = operands.map((dims) => `[${dims.join(', ')}]`).join(' ');
  return { name: `${name} of ${element}${to === element ? '' : ` to ${to}`}: ${shapes}`, problem };
}

const dense = (count: number): readonly (readonly number[])[] =>
  new Array<readonly number[]>(count).fill([COUNT]);

export const MAP_CASES: readonly MapCase[] = [
  ...INTEGERS.flatMap((element) => [
    ...UNARY_MAP_FUNCTIONS.map((name) => row(name, element, dense(1))),
    ...BINARY_MAP_FUNCTIONS.map((name) => row(name, element, dense(2))),
    row('clip', element, [[7, 11], [], []]),
  ]),
  ...(['and', 'or', 'xor'] as const).map((name) => row(name, 'bool', dense(2))),
  row('not', 'bool', dense(1)),
  row('equal', 'bool', dense(2)),
  ...(['f32', ...INTEGERS] as const).flatMap((element) =>
    COMPARISON_FUNCTIONS.map((name) => row(name, element, dense(2))),
  ),
  ...FLOAT_TESTS.map((name) => row(name, 'f32', dense(1))),
  ...ELEMENTS.flatMap((from) => ELEMENTS.map((to) => row('convert', from, dense(1), to))),
  ...(['u32', 'i64'] as const).map((element) => row('where', element, dense(3))),
  row('where', 'u32', [
    [5, 1, 7],
    [3, 7],
    [2, 1, 3, 1],
  ]),
  row('where', 'u64', [[], [3, 1], [1, 7]]),
  row('add', 'i64', [
    [5, 1],
    [1, 7],
  ]),
  row('less', 'i32', [
    [2, 1, 3, 1, 5, 1],
    [1, 3, 1, 2, 1, 7],
  ]),
  row('mul', 'i32', [[], []]),
  row('equal', 'u64', [
    [3, 0, 5],
    [1, 5],
  ]),
];
