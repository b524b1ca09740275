/**
 * What the results of each operator are sums of: the arguments of `sumTolerance`, by operator, with the error that
 * the functions around the sum may add (in ulp). Tests of kernels and `onegpu verify` take their bounds from here.
 */
import type { BinaryFunction } from '../binary/functions.wgsl.ts';
import { type ConvProblem, convTerms } from '../conv/problem.ts';
import { axisPhases } from '../conv-transpose/phases.ts';
import type { ConvTransposeProblem } from '../conv-transpose/problem.ts';
import type { DeformConvProblem } from '../deform-conv/problem.ts';
import type { GemmProblem } from '../gemm/problem.ts';
import type { LrnProblem } from '../lrn/problem.ts';
import type { RowNormProblem } from '../normalization/problem.ts';
import type { PoolProblem } from '../pool/problem.ts';
import type { ReduceOperation, ReduceProblem } from '../reduce/problem.ts';
import { tapCount } from '../resize/plan.ts';
import type { ResizeProblem } from '../resize/problem.ts';
import { ACTIVATION_ULP, type Activation } from '../shared/activation.ts';
import type { SumTolerance } from '../shared/tolerance.ts';
import type { SoftmaxProblem } from '../softmax/problem.ts';

/** Steps that round once or twice or not at all; every other one is a function of `ACTIVATION_ULP`. */
const ARITHMETIC_STEPS: ReadonlySet<Activation['kind']> = new Set<Activation['kind']>([
  'relu',
  'clip',
  'abs',
  'neg',
  'floor',
  'ceil',
  'round',
  'sign',
  'leaky-relu',
  'thresholded-relu',
  'hard-sigmoid',
  'shrink',
  'affine',
]);

/** Error of a chain of steps in ulp. */
export function activationUlp(steps: readonly Activation[]): number {
  return steps.filter((step) => !ARITHMETIC_STEPS.has(step.kind)).length * ACTIVATION_ULP;
}

export function unarySum(steps: readonly Activation[]): SumTolerance {
  return { terms: Math.max(steps.length, 1), activationUlp: activationUlp(steps) };
}

/** `terms` operands combined one after the other. Division is WGSL's, 2.5 ulp; powers are ours. */
export function binarySum(name: BinaryFunction, terms = 2): SumTolerance {
  const ulp: Partial<Record<BinaryFunction, number>> = { pow: ACTIVATION_ULP, div: 2.5 };
  return { terms, activationUlp: ulp[name] ?? 0 };
}

export function convSum(problem: ConvProblem): SumTolerance {
  return { terms: convTerms(problem) };
}

/** Taps that can reach one output element, times the input channels of a group. */
export function convTransposeSum({ ic, groups, vertical, horizontal }: ConvTransposeProblem): SumTolerance {
  return { terms: (ic / groups) * axisPhases(vertical).taps * axisPhases(horizontal).taps };
}

/**
 * A sample is four shares of pixels times the mask: the subtractions and products of a share, the products with pixels,
 * three sums and the mask round some eight times, each by half an ulp. Of voxels there are eight: fourteen times.
 */
export function deformConvSum({ conv, axes }: DeformConvProblem): SumTolerance {
  return { terms: convTerms(conv), activationUlp: axes === 3 ? 7 : 4 };
}

export function gemmSum({ gemmK }: GemmProblem): SumTolerance {
  return { terms: gemmK };
}

export function poolSum({ operation, depth, height, width }: PoolProblem): SumTolerance {
  const terms = depth.kernel * height.kernel * width.kernel;
  return { terms, activationUlp: operation === 'lp' ? 2 * ACTIVATION_ULP : 0 };
}

/** Ulp that WGSL allows the function behind the sum: sqrt and log 3; exp of an argument down to -20, 3 + 2*20. */
const REDUCE_ULP: Partial<Record<ReduceOperation, number>> = {
  l2: 3,
  lp: 2 * ACTIVATION_ULP,
  'log-sum': 3,
  'log-sum-exp': 43,
};

/** A norm takes powers and a root in every pass, and a pass of a large GPU folds 64 terms at least. */
export function reduceSum({ operation, count, groups }: ReduceProblem): SumTolerance {
  const norm = operation === 'l2' || operation === 'lp';
  const passesOf = (extent: number): number => Math.max(Math.ceil(Math.log(extent) / Math.log(64)), 1);
  const passes = norm ? groups.reduce((sum, { extent }) => sum + passesOf(extent), 0) : 1;
  return { terms: count, activationUlp: passes * (REDUCE_ULP[operation] ?? 0) };
}

/** WGSL allows exp 3 + 2|x| ulp (terms with |x| above 8 weigh less than 2^-11) and 2.5 for the division. */
export function softmaxSum({ extent }: SoftmaxProblem): SumTolerance {
  return { terms: extent, activationUlp: 3 + 2 * 8 + 2.5 };
}

/** WGSL allows sqrt and the division 2.5 ulp each. */
const ROOT_AND_DIVISION_ULP = 5;

export function batchNormSum(): SumTolerance {
  return { terms: 2, activationUlp: ROOT_AND_DIVISION_ULP };
}

export function rowNormSum({ extent }: RowNormProblem): SumTolerance {
  return { terms: extent, activationUlp: ROOT_AND_DIVISION_ULP };
}

/** A power and a division behind the sum. */
export function lrnSum({ size }: LrnProblem): SumTolerance {
  return { terms: size, activationUlp: ACTIVATION_ULP + 2.5 };
}

/** Taps of all axes. */
export function resizeSum({ axes, sampling }: ResizeProblem): SumTolerance {
  return { terms: axes.reduce((terms, axis) => terms * tapCount(axis, sampling), 1) };
}
