/**
 * Resize and its predecessor Upsample. Forms by opset: Upsample 7 has the scales as an attribute, 9 as an input;
 * Resize 10 is Upsample 9 in both directions; 11 brings roi, sizes, coordinate modes and cubic; 13 makes scales
 * optional; 18 brings axes, antialias and keep_aspect_ratio_policy; 19 half_pixel_symmetric.
 * https://onnx.ai/onnx/operators/onnx__Resize.html
 */
import { GpuKernelShapeError } from '@onegpu/core';
import {
  type AspectRatioPolicy,
  type CoordinateMode,
  type Epilogue,
  type Layout,
  makeResizeProblem,
  type NearestMode,
  PLAIN_EPILOGUE,
  planResize,
  type ResizeMode,
  type ResizeProblem,
  referenceResize,
  resizeSum,
  type Sampling,
} from '@onegpu/kernels';
import type { AttributeReader } from '../attributes.ts';
import type { LowerContext, Lowering, NodeContext, OperatorDefinition } from '../op-definition.ts';
import { floatInput } from './float-operands.ts';
import { integerInput, requireConstant, requireInput } from './host-input.ts';
import { followLayout, kernelOptions, loweringOf, srcLayout } from './kernel-lowering.ts';
import { floatsOf, picks, sums } from './reference.ts';

const MODES: readonly string[] = ['nearest', 'linear', 'cubic'] satisfies ResizeMode[];
const COORDINATES: readonly string[] = [
  'half_pixel',
  'half_pixel_symmetric',
  'pytorch_half_pixel',
  'align_corners',
  'asymmetric',
] satisfies CoordinateMode[];
const NEAREST: readonly string[] = [
  'round_prefer_floor',
  'round_prefer_ceil',
  'floor',
  'ceil',
] satisfies NearestMode[];
const POLICIES: readonly string[] = ['stretch', 'not_larger', 'not_smaller'] satisfies AspectRatioPolicy[];

const ATTRIBUTES = [
  'antialias',
  'axes',
  'coordinate_transformation_mode',
  'cubic_coeff_a',
  'exclude_outside',
  'extrapolation_value',
  'keep_aspect_ratio_policy',
  'mode',
  'nearest_mode',
];

const resize: OperatorDefinition = {
  opType: 'Resize',
  domain: '',
  opsets: [10, 28],
  arity: [1, 4],
  attributes: ATTRIBUTES,
  check: checkResize,
  infer: (context) => [
    {
      type: requireInput(context, 0).type,
      dims: problemOf(context, { layout: 'nchw', epilogue: PLAIN_EPILOGUE }).dstDims,
    },
  ],
  layouts: resizeLayouts,
  reference: (context) => {
    const problem = problemOf(context, { layout: 'nchw', epilogue: PLAIN_EPILOGUE });
    const { dstDims, sampling } = problem;
    const values = referenceResize(problem, floatsOf(context, 0));
    return [sampling.mode === 'nearest' ? picks(dstDims, values) : sums(dstDims, values, resizeSum(problem))];
  },
  lower,
};

const upsample: OperatorDefinition = {
  ...resize,
  opType: 'Upsample',
  opsets: [7, 9],
  arity: [1, 2],
  attributes: ['mode', 'scales'],
};

export const RESIZE_OPERATORS: readonly OperatorDefinition[] = [resize, upsample];

function checkResize(_node: unknown, attributes: AttributeReader): string | undefined {
  const fixed: readonly (readonly [string, readonly string[], string])[] = [
    ['mode', MODES, 'nearest'],
    ['coordinate_transformation_mode', COORDINATES, 'half_pixel'],
    ['nearest_mode', NEAREST, 'round_prefer_floor'],
    ['keep_aspect_ratio_policy', POLICIES, 'stretch'],
  ];
  for (const [name, known, fallback] of fixed) {
    const value = attributes.string(name, fallback);
    if (!known.includes(name === 'mode' ? modeName(value) : value)) return `${name} "${value}" is not built`;
  }
  return undefined;
}

/** Opset 7 wrote `bilinear` in places. */
function modeName(mode: string): string {
  return mode === 'bilinear' ? 'linear' : mode;
}

function lower(context: LowerContext): Lowering {
  const epilogue = { bias: false, residual: context.residual, activation: context.activation };
  const problem = problemOf(context, { layout: srcLayout(context), epilogue });
  return loweringOf(context, planResize(problem, context.capabilities, kernelOptions(context)));
}

/** Channels last only where batch and channels pass through. */
function resizeLayouts(context: NodeContext, available: readonly Layout[]): ReturnType<typeof followLayout> {
  const { touched, srcDims } = problemOf(context, { layout: 'nchw', epilogue: PLAIN_EPILOGUE });
  const spatial = (srcDims.length === 3 || srcDims.length === 4) && touched.every((axis) => axis >= 2);
  return followLayout(context, spatial ? available : []);
}

function problemOf(
  context: NodeContext,
  form: { readonly layout: Layout; readonly epilogue: Epilogue },
): ResizeProblem {
  const { attributes, opset } = context;
  const scales = scalesOf(context);
  const policy = attributes.string('keep_aspect_ratio_policy', 'stretch') as AspectRatioPolicy;
  return makeResizeProblem({
    dims: floatInput(context, 0).dims,
    axes: attributes.ints('axes'),
    scales,
    sizes: scales === undefined ? nonEmpty(integerInput(context, 3)) : undefined,
    aspectRatio: policy,
    sampling: opset >= 11 ? samplingOf(attributes) : oldSampling(attributes, scales ?? []),
    ...form,
  });
}

function nonEmpty(list: readonly number[] | undefined): readonly number[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

/** From the attribute, the second input (before opset 11) or the third; an empty tensor counts as absent. */
function scalesOf(context: NodeContext): readonly number[] | undefined {
  const attribute = context.attributes.floats('scales');
  if (attribute !== undefined) return attribute;
  const index = context.opset >= 11 ? 2 : 1;
  if (context.inputs[index] === undefined) return undefined;
  return nonEmpty(Array.from(requireConstant(context, index).data as ArrayLike<number>));
}

function samplingOf(attributes: AttributeReader): Partial<Sampling> {
  return {
    mode: modeName(attributes.string('mode', 'nearest')) as ResizeMode,
    coordinates: attributes.string('coordinate_transformation_mode', 'half_pixel') as CoordinateMode,
    nearest: attributes.string('nearest_mode', 'round_prefer_floor') as NearestMode,
    cubicCoefficient: attributes.float('cubic_coeff_a', -0.75),
    excludeOutside: attributes.int('exclude_outside', 0) !== 0,
    antialias: attributes.int('antialias', 0) !== 0,
  };
}

/**
 * Before opset 11 there was one way: x / scale; nearest took the position below when growing and, as runtimes
 * agreed, the one above when shrinking.
 */
function oldSampling(attributes: AttributeReader, scales: readonly number[]): Partial<Sampling> {
  const mode = modeName(attributes.string('mode', 'nearest')) as ResizeMode;
  const shrinks = scales.some((scale) => scale < 1);
  if (mode === 'nearest' && shrinks && scales.some((scale) => scale > 1)) {
    throw new GpuKernelShapeError(
      'nearest that grows one axis and shrinks another is not built before opset 11',
      {
        subject: 'Resize',
        field: 'scales',
        got: `[${scales.join(', ')}]`,
      },
    );
  }
  return { mode, coordinates: 'asymmetric', nearest: shrinks ? 'ceil' : 'floor' };
}
