/** Deformable convolutions: one feature varied a row, prime extents. */
import { type Epilogue, PLAIN_EPILOGUE } from '../shared/epilogue.ts';
import { elementCount } from '../shared/layout.ts';
import { type DeformConvProblem, type DeformConvRequest, makeDeformConvProblem } from './problem.ts';

export interface DeformConvCase {
  readonly name: string;
  readonly problem: DeformConvProblem;
}

interface Attributes extends Partial<Omit<DeformConvRequest, 'src' | 'weights' | 'offset' | 'mask'>> {
  readonly mask?: boolean;
}

/** Offsets and mask of the output's spatial extents. */
function row(
  name: string,
  [src, weights, dst]: readonly [readonly number[], readonly number[], readonly number[]],
  { mask = false, ...attributes }: Attributes = {},
): DeformConvCase {
  const taps = elementCount(weights.slice(2)) * (attributes.offsetGroups ?? 1);
  const batch = src[0] ?? 0;
  const problem = makeDeformConvProblem({
    ...{ src, weights, epilogue: PLAIN_EPILOGUE, weightsConstant: true, ...attributes },
    offset: [batch, dst.length * taps, ...dst],
    ...(mask ? { mask: [batch, taps, ...dst] } : {}),
  });
  return { name, problem };
}

const SAME_3X3: Attributes = { pads: [1, 1, 1, 1] };
const WHOLE: Epilogue = { bias: true, residual: true, activation: [{ kind: 'relu' }] };

export const DEFORM_CONV_CASES: readonly DeformConvCase[] = [
  ...([1, 2, 3, 4, 17, 33] as const).map((ic) =>
    row(`channels ${ic} to ${34 - ic}`, [
      [1, ic, 5, 7],
      [34 - ic, ic, 2, 3],
      [4, 5],
    ]),
  ),
  row(
    '3x3 with mask',
    [
      [2, 4, 7, 5],
      [6, 4, 3, 3],
      [7, 5],
    ],
    { mask: true, ...SAME_3X3 },
  ),
  row(
    '1x1',
    [
      [2, 5, 3, 7],
      [4, 5, 1, 1],
      [3, 7],
    ],
    { mask: true },
  ),
  row(
    'strides, asymmetric pads',
    [
      [1, 3, 13, 9],
      [5, 3, 3, 3],
      [7, 4],
    ],
    {
      ...{ strides: [2, 3], pads: [0, 1, 2, 2] },
    },
  ),
  row(
    'dilations',
    [
      [1, 3, 13, 9],
      [5, 3, 3, 2],
      [9, 6],
    ],
    { dilations: [2, 3] },
  ),
  row(
    '2 offset groups',
    [
      [1, 6, 5, 7],
      [4, 6, 3, 3],
      [5, 7],
    ],
    { offsetGroups: 2, mask: true, ...SAME_3X3 },
  ),
  row(
    'an offset group a channel',
    [
      [2, 3, 5, 7],
      [4, 3, 2, 2],
      [4, 6],
    ],
    { offsetGroups: 3 },
  ),
  row(
    '2 groups',
    [
      [1, 6, 5, 7],
      [4, 3, 3, 3],
      [5, 7],
    ],
    { groups: 2, ...SAME_3X3 },
  ),
  row(
    '3 groups over 2 offset groups',
    [
      [1, 6, 5, 7],
      [9, 2, 3, 3],
      [5, 7],
    ],
    {
      ...{ groups: 3, offsetGroups: 2, mask: true, ...SAME_3X3 },
    },
  ),
  row(
    'depthwise',
    [
      [1, 5, 5, 7],
      [5, 1, 3, 3],
      [5, 7],
    ],
    { groups: 5, ...SAME_3X3 },
  ),
  row(
    'several blocks of terms',
    [
      [1, 60, 3, 5],
      [5, 60, 3, 3],
      [3, 5],
    ],
    { mask: true, ...SAME_3X3 },
  ),
  row(
    'bias, residual and relu',
    [
      [2, 4, 5, 7],
      [6, 4, 3, 3],
      [5, 7],
    ],
    {
      ...{ mask: true, epilogue: WHOLE, ...SAME_3X3 },
    },
  ),
  row(
    'weights that are not constant',
    [
      [1, 4, 5, 7],
      [6, 4, 3, 3],
      [5, 7],
    ],
    {
      ...{ weightsConstant: false, ...SAME_3X3 },
    },
  ),
  row(
    'no images',
    [
      [0, 4, 5, 7],
      [6, 4, 3, 3],
      [5, 7],
    ],
    SAME_3X3,
  ),
  row('one axis, several offset groups', [[2, 6, 13], [5, 6, 3], [7]], {
    strides: [2],
    dilations: [2],
    pads: [2, 3],
    offsetGroups: 3,
    mask: true,
    epilogue: WHOLE,
  }),
  row('one axis, 3 groups', [[1, 6, 11], [9, 2, 2], [10]], { groups: 3 }),
  row(
    'three axes with mask',
    [
      [2, 4, 3, 5, 4],
      [6, 4, 3, 2, 3],
      [3, 4, 4],
    ],
    { pads: [1, 0, 1, 1, 0, 1], mask: true },
  ),
  row(
    'three axes, strides and dilations, 2 groups over 3 offset groups',
    [
      [1, 6, 7, 5, 9],
      [4, 3, 2, 2, 3],
      [4, 4, 3],
    ],
    {
      ...{ strides: [2, 1, 3], dilations: [1, 2, 1], pads: [1, 0, 1, 1, 1, 0] },
      ...{ groups: 2, offsetGroups: 3, mask: true },
    },
  ),
  row(
    'three axes, bias, residual and relu',
    [
      [1, 3, 4, 3, 5],
      [7, 3, 2, 3, 1],
      [3, 3, 5],
    ],
    { pads: [0, 1, 0, 0, 1, 0], epilogue: WHOLE },
  ),
  row(
    'three axes, weights that are not constant',
    [
      [1, 2, 3, 2, 5],
      [3, 2, 1, 1, 1],
      [3, 2, 5],
    ],
    { weightsConstant: false },
  ),
];
