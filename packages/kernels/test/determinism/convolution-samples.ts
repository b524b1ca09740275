/** Convolutions of every kind; their operands are long enough that an order of summation would show. */
import { makeConvProblem } from '../../src/conv/problem.ts';
import { convAlgorithms, planarAlgorithms, shortcutAlgorithms } from '../../src/conv/select.ts';
import { makeConvTransposeProblem } from '../../src/conv-transpose/problem.ts';
import { CONV_TRANSPOSE_ALGORITHMS } from '../../src/conv-transpose/select.ts';
import {
  CONV_TRANSPOSE_PAIR_ALGORITHMS,
  makeConvTransposePairProblem,
} from '../../src/conv-transpose-pair/index.ts';
import { makeDeformConvProblem } from '../../src/deform-conv/problem.ts';
import { DEFORM_CONV_ALGORITHMS } from '../../src/deform-conv/select.ts';
import { PLAIN_EPILOGUE } from '../../src/shared/epilogue.ts';
import { makeVolumeConvProblem } from '../../src/volume-conv/problem.ts';
import { VOLUME_CONV_ALGORITHMS } from '../../src/volume-conv/select.ts';
import { makeVolumeConvTransposeProblem } from '../../src/volume-conv-transpose/problem.ts';
import { VOLUME_CONV_TRANSPOSE_ALGORITHMS } from '../../src/volume-conv-transpose/select.ts';
import { type DeterminismSample, each, floats, type ListedAlgorithms } from './sample.ts';

const constant = { weightsConstant: true } as const;
const SAME = { pads: [1, 1, 1, 1], epilogue: PLAIN_EPILOGUE, ...constant } as const;

export const CONVOLUTION_SAMPLES: readonly DeterminismSample[] = [
  ...each(
    'conv',
    convAlgorithms,
    makeConvProblem({ src: [2, 72, 5, 7], weights: [40, 72, 3, 3], layout: 'nhwc4', ...SAME }),
    floats({ src: [2, 72, 5, 7], weights: [40, 72, 3, 3] }, 2 * 40 * 35),
  ),
  ...each(
    'conv',
    convAlgorithms,
    makeConvProblem({ src: [2, 8, 5, 7], weights: [8, 1, 3, 3], groups: 8, layout: 'nhwc4', ...SAME }),
    floats({ src: [2, 8, 5, 7], weights: [8, 1, 3, 3] }, 2 * 8 * 35),
  ).filter(({ algorithm }) => algorithm.startsWith('depthwise')),
  ...each(
    'conv',
    shortcutAlgorithms,
    makeConvProblem({
      ...{
        src: [2, 20, 3, 4],
        weights: [12, 20, 1, 1],
        layout: 'nhwc4',
        epilogue: PLAIN_EPILOGUE,
        ...constant,
      },
      shortcut: { src: [2, 36, 5, 7], weights: [12, 36, 1, 1], strides: [2, 2] },
    }),
    floats(
      {
        ...{ src: [2, 20, 3, 4], weights: [12, 20, 1, 1] },
        ...{ shortcutSrc: [2, 36, 5, 7], shortcutWeights: [12, 36, 1, 1] },
      },
      2 * 12 * 12,
    ),
  ).map((sample) => ({ ...sample, name: `${sample.name}/shortcut` })),
  ...each(
    'conv',
    planarAlgorithms,
    makeConvProblem({ src: [2, 3, 5, 7], weights: [12, 3, 3, 3], planes: true, layout: 'nhwc4', ...SAME }),
    floats({ src: [2, 3, 5, 7], weights: [12, 3, 3, 3] }, 2 * 12 * 35),
  ).map((sample) => ({ ...sample, name: `${sample.name}/planes` })),
  ...each(
    'conv-transpose-pair',
    CONV_TRANSPOSE_PAIR_ALGORITHMS,
    makeConvTransposePairProblem({
      ...{ srcDims: [2, 20, 5, 7], firstWeightsDims: [20, 12, 2, 2], weightsDims: [12, 1, 2, 2] },
    }),
    floats({ src: [2, 5, 7, 20], firstWeights: [20, 12, 2, 2], weights: [12, 1, 2, 2] }, 2 * 20 * 28),
  ),
  ...(['nchw', 'nhwc4'] as const).flatMap((layout) =>
    each(
      'conv-transpose',
      CONV_TRANSPOSE_ALGORITHMS,
      makeConvTransposeProblem({
        ...{ srcDims: [2, 20, 5, 7], weightsDims: [20, 12, 2, 2], strides: [2, 2], layout, ...constant },
      }),
      floats({ src: [2, 20, 5, 7], weights: [20, 12, 2, 2] }, 2 * 12 * 140),
    ).map((sample) => ({ ...sample, name: `${sample.name}/${layout}` })),
  ),
  ...each(
    'deform-conv',
    DEFORM_CONV_ALGORITHMS,
    makeDeformConvProblem({
      ...{ src: [2, 6, 5, 7], weights: [9, 6, 3, 3], offset: [2, 18, 5, 7], mask: [2, 9, 5, 7], ...SAME },
    }),
    floats(
      { src: [2, 6, 5, 7], weights: [9, 6, 3, 3], offset: [2, 18, 5, 7], mask: [2, 9, 5, 7] },
      2 * 9 * 35,
    ),
  ),
  ...each(
    'deform-conv',
    DEFORM_CONV_ALGORITHMS,
    makeDeformConvProblem({
      ...{ src: [1, 6, 4, 3, 5], weights: [9, 6, 3, 1, 3], offset: [1, 27, 2, 3, 3] },
      ...{ epilogue: PLAIN_EPILOGUE, ...constant },
    }),
    floats({ src: [1, 6, 4, 3, 5], weights: [9, 6, 3, 1, 3], offset: [1, 27, 2, 3, 3] }, 9 * 18),
  ).map((sample) => ({ ...sample, name: `${sample.name}/volume` })),
  ...each(
    'volume-conv',
    VOLUME_CONV_ALGORITHMS,
    makeVolumeConvProblem({
      ...{ src: [2, 12, 3, 5, 4], weights: [9, 12, 3, 3, 3], pads: [1, 1, 1, 1, 1, 1] },
      ...{ epilogue: PLAIN_EPILOGUE, ...constant },
    }),
    floats({ src: [2, 12, 3, 5, 4], weights: [9, 12, 3, 3, 3] }, 2 * 9 * 60),
  ),
  ...each(
    'volume-conv-transpose',
    VOLUME_CONV_TRANSPOSE_ALGORITHMS,
    makeVolumeConvTransposeProblem({ srcDims: [2, 5, 3, 2, 4], weightsDims: [5, 7, 3, 3, 3] }),
    floats({ src: [2, 5, 3, 2, 4], weights: [5, 7, 3, 3, 3] }, 2 * 7 * 5 * 4 * 6),
  ),
];

export const CONVOLUTION_ALGORITHMS: readonly ListedAlgorithms[] = [
  ['conv', convAlgorithms],
  ['conv-transpose', CONV_TRANSPOSE_ALGORITHMS],
  ['deform-conv', DEFORM_CONV_ALGORITHMS],
  ['volume-conv', VOLUME_CONV_ALGORITHMS],
  ['volume-conv-transpose', VOLUME_CONV_TRANSPOSE_ALGORITHMS],
];
