/** Binary problems for tests and benchmarks: functions, then ways to broadcast, in both layouts. */
import { BINARY_FUNCTIONS } from './functions.wgsl.ts';
import { type BinaryOperand, type BinaryProblem, type BinaryRequest, makeBinaryProblem } from './problem.ts';

export interface BinaryCase {
  readonly name: string;
  readonly problem: BinaryProblem;
}

const dense = (...dims: number[]): BinaryOperand => ({ dims, layout: 'nchw', constant: false });
const image = (...dims: number[]): BinaryOperand => ({ dims, layout: 'nhwc4', constant: false });
const constant = (...dims: number[]): BinaryOperand => ({ dims, layout: 'nchw', constant: true });

function row(
  name: string,
  lhs: BinaryOperand,
  rhs: BinaryOperand,
  more: Partial<BinaryRequest> = {},
): BinaryCase {
  const layout = lhs.layout === 'nhwc4' || rhs.layout === 'nhwc4' ? 'nhwc4' : 'nchw';
  return { name, problem: makeBinaryProblem({ function: 'add', lhs, rhs, layout, activation: [], ...more }) };
}

export const BINARY_CASES: readonly BinaryCase[] = [
  ...BINARY_FUNCTIONS.flatMap((name) => [
    row(`${name}, nchw`, dense(3, 7, 11), dense(7, 11), { function: name }),
    row(`${name}, nhwc4`, image(1, 6, 7, 11), image(1, 6, 7, 11), { function: name }),
  ]),
  row('two scalars', dense(), dense()),
  row('empty', dense(3, 0, 5), dense(1, 5)),
  row('scalar on the left', dense(1), dense(2, 3, 5), { function: 'sub' }),
  row('inner and outer', dense(5, 1), dense(1, 7)),
  row('alternating axes of rank 6', dense(2, 1, 3, 1, 5, 1), dense(1, 3, 1, 2, 1, 7)),
  row('middle axis', dense(2, 3, 5, 7), dense(1, 3, 1, 1), { function: 'mul' }),
  row('constant per channel', image(2, 6, 5, 7), constant(6, 1, 1), { function: 'sub' }),
  row('constant on the left', constant(1, 6, 1, 1), image(2, 6, 5, 7), { function: 'div' }),
  row('constant vector over the width', image(1, 5, 3, 7), constant(7)),
  row('constant picture', image(2, 5, 3, 7), constant(3, 7)),
  row('constant scalar', image(1, 5, 3, 7), constant(), { function: 'pow' }),
  row('scalar tensor', image(1, 5, 3, 7), dense(1, 1, 1, 1), { function: 'div' }),
  row('squeeze and excite', image(2, 6, 5, 7), image(2, 6, 1, 1), { function: 'mul' }),
  row('attention over pixels', image(2, 6, 5, 7), image(2, 1, 5, 7), { function: 'mul' }),
  row('both grow', image(2, 1, 5, 1), image(1, 9, 1, 7)),
  row('one channel', image(2, 1, 5, 7), image(1, 1, 5, 7)),
  row('rows of a batch of one', image(3, 8, 13), image(1, 8, 13)),
  row('activation behind', image(1, 6, 5, 7), constant(6, 1, 1), {
    activation: [{ kind: 'relu' }, { kind: 'affine', scale: 2, shift: 1 }],
  }),
];
