/** As `sums.ts`, of convolutions of volumes. */
import type { SumTolerance } from '../shared/tolerance.ts';
import { type VolumeConvProblem, volumeConvTerms } from '../volume-conv/problem.ts';
import { type VolumeConvTransposeProblem, volumeTransposeTerms } from '../volume-conv-transpose/problem.ts';

export function volumeConvSum(problem: VolumeConvProblem): SumTolerance {
  return { terms: volumeConvTerms(problem) };
}

export function volumeConvTransposeSum(problem: VolumeConvTransposeProblem): SumTolerance {
  return { terms: volumeTransposeTerms(problem) };
}
