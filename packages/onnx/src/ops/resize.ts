/**
 * Resize and its predecessor Upsample. Forms by opset: Upsample 7 has the scales as an attribute, 9 as an input;
 * Resize 10 is Upsample 9 in both directions; 11 brings roi, sizes, coordinate modes and cubic; 13 makes scales
 * optional; 18 brings axes, antialias and keep_aspect_ratio_policy; 19 half_pixel_symmetric.
 * https://onnx.ai/onnx/operators/onnx__Resize.html
 */
import { GpuKernelShapeError, halfToNumber } from '@onegpu/core';
import {
  type Algorithm,
  type AspectRatioPolicy,
  CORE_RESIZE_ALGORITHMS,
  type CoordinateMode,
  type Epilogue,
  isInteger,
  type Layout,
  makeResizeProblem,
  type NearestMode,
  PLAIN_EPILOGUE,
  type ResizeElement,
  type ResizeMode,
  type ResizeProblem,
  type Sampling,
  selectAlgorithm,
} from '@onegpu/kernels/core';
import type { AttributeReader } from '../attributes.ts';
import { extensionForNode } from '../extension.ts';
import { notBuilt } from '../not-built.ts';
import type { LowerContext, Lowering, NodeContext, OperatorDefinition } from '../op-definition.ts';
import type { TensorType } from '../tensor.ts';
import { integerInput, requireConstant, requireInput } from './host-input.ts';
import { followLayout, kernelOptions, loweringOf, srcLayout } from './kernel-lowering.ts';

const MODES: readonly string[] = ['nearest', 'linear', 'cubic'] satisfies ResizeMode[];
const COORDINATES: readonly string[] = [
  'half_pixel',
  'half_pixel_symmetric',
  'pytorch_half_pixel',
  'align_corners',
  'asymmetric',
  'tf_crop_and_resize',
] satisfies CoordinateMode[];
const NEAREST: readonly string[] = [
  'round_prefer_floor',
  'round_prefer_ceil',
  'floor',
  'ceil',
] satisfies NearestMode[];
const POLICIES: readonly string[] = ['stretch', 'not_larger', 'not_smaller'] satisfies AspectRatioPolicy[];

/** What Resize of opset 11 and later may have. */
export const RESIZE_ATTRIBUTES = [
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

type Algorithms = readonly Algorithm<ResizeProblem>[];

export const RESIZE_OPERATORS = resizeOperators(CORE_RESIZE_ALGORITHMS);

/** By these algorithms; what none of them takes is refused where `algorithms` are not all. */
export function resizeOperators(algorithms: Algorithms): readonly OperatorDefinition[] {
  const resize: OperatorDefinition = {
    opType: 'Resize',
    domain: '',
    opsets: [10, 28],
    arity: [1, 4],
    attributes: RESIZE_ATTRIBUTES,
    check: checkResize,
    infer: (context) => {
      const form = { layout: 'nchw', epilogue: PLAIN_EPILOGUE } as const;
      return [{ type: requireInput(context, 0).type, dims: resizeProblemOf(context, form).dstDims }];
    },
    layouts: resizeLayouts,
    lower: (context) => lower(context, algorithms),
  };
  return [
    resize,
    { ...resize, opType: 'Upsample', opsets: [7, 9], arity: [1, 2], attributes: ['mode', 'scales'] },
  ];
}

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

/** @throws NotBuiltError where no algorithm of the entry for browsers takes it */
function lower(context: LowerContext, algorithms: Algorithms): Lowering {
  const { capabilities, residual, activation } = context;
  const epilogue = { bias: false, residual, activation };
  const problem = resizeProblemOf(context, { layout: srcLayout(context), epilogue });
  if (algorithms.every((algorithm) => algorithm.impossible(problem, capabilities) !== undefined)) {
    extensionForNode(context.node.opType, 'X', `${problem.element} [${problem.srcDims.join(', ')}]`);
  }
  const options = kernelOptions(context);
  return loweringOf(context, selectAlgorithm('Resize', algorithms, problem, capabilities, options));
}

/** Channels last only where batch and channels pass through, and never for integers that are weighed. */
function resizeLayouts(context: NodeContext, available: readonly Layout[]): ReturnType<typeof followLayout> {
  const { touched, srcDims, element, sampling } = resizeProblemOf(context, {
    layout: 'nchw',
    epilogue: PLAIN_EPILOGUE,
  });
  const built = element === 'float32' || (sampling.mode === 'nearest' && isInteger(element));
  const spatial = built && srcDims.length >= 3 && touched.every((axis) => axis >= 2);
  return followLayout(context, spatial ? available : []);
}

/** The problem of a node's first input; its attributes and further inputs say how. */
export function resizeProblemOf(
  context: NodeContext,
  form: { readonly layout: Layout; readonly epilogue: Epilogue },
): ResizeProblem {
  const { node, attributes, opset } = context;
  const scales = scalesOf(context);
  if (node.opType === 'Upsample') requireGrowth(scales);
  const policy = attributes.string('keep_aspect_ratio_policy', 'stretch') as AspectRatioPolicy;
  return makeResizeProblem({
    dims: requireInput(context, 0).dims,
    element: elementOf(context),
    roi: roiOf(context),
    axes: attributes.ints('axes'),
    scales,
    sizes: scales === undefined ? nonEmpty(integerInput(context, 3)) : undefined,
    aspectRatio: policy,
    sampling: opset >= 11 ? samplingOf(attributes) : oldSampling(attributes),
    ...form,
  });
}

function requireGrowth(scales: readonly number[] = []): void {
  if (scales.every((scale) => scale >= 1)) return;
  throw new GpuKernelShapeError('Upsample only makes larger', {
    subject: 'Upsample',
    field: 'scales',
    got: `[${scales.join(', ')}]`,
    expected: 'at least 1 each',
    remedy: 'Resize shrinks, from opset 10 on.',
  });
}

const ELEMENTS: Partial<Record<TensorType, ResizeElement>> = {
  float32: 'float32',
  float16: 'float32',
  int8: 'int8',
  uint8: 'uint8',
  bool: 'uint8',
  int16: 'int16',
  uint16: 'uint16',
  int32: 'int32',
  uint32: 'uint32',
  int64: 'int64',
  uint64: 'uint64',
};

function elementOf(context: NodeContext): ResizeElement {
  const { type } = requireInput(context, 0);
  const element = ELEMENTS[type];
  const moves = modeName(context.attributes.string('mode', 'nearest')) === 'nearest';
  const weighs = type !== 'bool' && type !== 'int64' && type !== 'uint64';
  if (element !== undefined && (moves || weighs)) return element;
  throw notBuilt(
    context.node.opType,
    'inputs[0]',
    type,
    moves ? Object.keys(ELEMENTS).join(', ') : 'floats of up to 32 bits and integers of up to 32 bits',
  );
}

/** The region of `tf_crop_and_resize`, the second input from opset 11 on; no other mode looks at it. */
function roiOf(context: NodeContext): readonly number[] | undefined {
  const { attributes, opset, inputs } = context;
  if (attributes.string('coordinate_transformation_mode', 'half_pixel') !== 'tf_crop_and_resize')
    return undefined;
  if (opset < 11 || inputs[1] === undefined) return undefined;
  const { type, data } = requireConstant(context, 1);
  return Array.from(data as ArrayLike<number>, type === 'float16' ? halfToNumber : Number);
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
    extrapolation: attributes.float('extrapolation_value', 0),
  };
}

/**
 * Before opset 11 there was one way: x / scale; nearest took the position below along an axis that grows and, as
 * runtimes agreed, the one above along one that shrinks.
 */
function oldSampling(attributes: AttributeReader): Partial<Sampling> {
  const mode = modeName(attributes.string('mode', 'nearest')) as ResizeMode;
  return { mode, coordinates: 'asymmetric', nearest: 'by_direction' };
}
