/** The steps that the status line tells of, and how much of its bar each has. */
import type { LoadStage } from '@onegpu/onnx';
import type { ProfileStage } from './profiler.ts';
import type { ProgressStep } from './staged-progress.ts';

export type Stage = LoadStage | ProfileStage | 'run';

const step = (words: string, share: number, ...stages: readonly Stage[]): ProgressStep => ({
  words: `${words} …`,
  share,
  stages,
});

/** From a model's file to a result. */
export const RUN_STEPS: readonly ProgressStep[] = [
  step('Reading the model', 0.4, 'read'),
  step('Importing the model', 0.05, 'import'),
  step('Measuring kernels', 0, 'tune'),
  step('Compiling kernels, uploading weights', 0.45, 'compile', 'upload'),
  step('Running', 0.1, 'run'),
];

/** To a profile, whose model may have to be loaded again. */
export const PROFILE_STEPS: readonly ProgressStep[] = [
  step('Reading the model', 0.2, 'read'),
  step('Importing the model', 0.05, 'import'),
  step('Measuring kernels', 0, 'tune'),
  step('Compiling kernels, uploading weights', 0.25, 'compile', 'upload'),
  step('Measuring what the adapter can do at most', 0.2, 'ceilings'),
  step('Timing every layer', 0.3, 'layers'),
];
