/** Operators that compute every element by itself. */
import type { Tensor } from '../../src/tensor.ts';
import { bools, floats, type OperatorRow, PICTURE, positive, scalar, small } from './operator-row.ts';

/** Where a function is not defined on (-2, 2). */
const DOMAINS: Readonly<Record<string, Tensor>> = {
  Log: positive,
  Sqrt: positive,
  Asin: positive,
  Acos: positive,
  Atanh: positive,
  Acosh: floats(PICTURE, 3, 1.1, 4),
};

const LOGIC: readonly OperatorRow[] = [
  ...['Equal', 'Greater', 'GreaterOrEqual', 'Less', 'LessOrEqual'].map((op) => ({
    op,
    feeds: [small('int32', PICTURE), small('int32', [7, 1], 2)],
  })),
  ...['And', 'Or', 'Xor'].map((op) => ({ op, feeds: [bools(PICTURE), bools([11], 2)] })),
  ...['BitwiseAnd', 'BitwiseOr', 'BitwiseXor', 'Add', 'Mul', 'Mod', 'Max'].map((op) => ({
    op,
    feeds: [small('uint8', PICTURE), small('uint8', [11], 2)],
    opset: 18,
  })),
  { op: 'Not', feeds: [bools(PICTURE)] },
  { op: 'BitwiseNot', feeds: [small('uint8', PICTURE)], opset: 18 },
  { op: 'IsNaN', feeds: [floats(PICTURE)] },
  { op: 'IsInf', feeds: [floats(PICTURE)] },
  { op: 'Where', feeds: [bools(PICTURE), floats([11]), floats([7, 1], 2)] },
  { op: 'Cast', feeds: [floats(PICTURE, 1, -200, 200)], attributes: { to: 3 } },
];

const UNARY = (
  'Relu Sigmoid Tanh Exp Log Sqrt Reciprocal Abs Neg Floor Ceil Softplus Softsign Sin Cos Tan Asin Acos Atan Sinh Cosh ' +
  'Asinh Acosh Atanh Erf Sign Round HardSwish Mish LeakyRelu Elu Selu Celu ThresholdedRelu HardSigmoid Shrink Gelu ' +
  'Swish Identity Dropout'
).split(' ');

export const ELEMENT_WISE: readonly OperatorRow[] = [
  ...LOGIC,
  ...UNARY.map((op) => ({ op, feeds: [DOMAINS[op] ?? floats(PICTURE)], opset: 24 })),
  ...['Add', 'Sub', 'Mul', 'Div', 'PRelu'].map((op) => ({
    op,
    feeds: [floats(PICTURE), floats([5, 1, 11], 2)],
  })),
  { op: 'Pow', feeds: [positive, floats([11], 4)] },
  { op: 'Mod', feeds: [floats(PICTURE), floats([1], 2, 1, 3)], attributes: { fmod: 1 } },
  ...['Sum', 'Mean', 'Min', 'Max'].map((op) => ({
    op,
    feeds: [floats(PICTURE), floats([7, 1], 2), floats([2, 5, 1, 1], 3)],
  })),
  { op: 'Clip', feeds: [floats(PICTURE)], constants: [scalar(-0.5), scalar(0.7)] },
  { op: 'Cast', feeds: [floats(PICTURE)], attributes: { to: 1 } },
  { op: 'CastLike', feeds: [floats(PICTURE)], constants: [scalar(1)] },
];
