/**
 * What browsers load as `@onegpu/onnx`: sessions that run networks of floats on pictures. `extension.ts` says what it
 * leaves to `@onegpu/onnx/full`, which is what every other environment gets as `@onegpu/onnx`.
 */

// Of @onegpu/core: devices that sessions share, and what is thrown

export {
  type AdapterChoice,
  type ErrorCode,
  type ErrorDetails,
  GpuDevice,
  GpuDeviceLostError,
  GpuKernelShapeError,
  GpuLimitError,
  GpuOutOfMemoryError,
  GpuShaderError,
  GpuUnavailableError,
  GpuValidationError,
  halfToNumber,
  InvalidInputError,
  InvalidModelError,
  LoadAbortedError,
  numberToHalf,
  OneGpuError,
  SessionReleasedError,
  type UnsupportedNode,
  UnsupportedOperatorError,
} from '@onegpu/core';

// Tuning before sessions

export { tuneModel } from './extension.ts';
export type { TuneOption } from './tuning/session-tuning.ts';
export type { TuneProgress } from './tuning/tune-layers.ts';
export type { TuneModelOptions } from './tuning/tune-model.ts';
export * from './tuning/tune-report.ts';

// Sessions

export type { ExplainReport, ExplainStep } from './explain.ts';
export type { Feeds, InputDims } from './feeds.ts';
export type { Dimension, GraphValue } from './graph.ts';
export type { LoadProgress, LoadStage, ProgressListener } from './load-progress.ts';
export type { ModelInput } from './model-source.ts';
export type { ProfileOptions } from './profile.ts';
export * from './profile-report.ts';
export type { FreeDimension } from './resolve-inputs.ts';
export type { Fetches } from './run-outputs.ts';
export { InferenceSession, type RunManyOptions } from './session.ts';
export type { SessionOptions } from './session-options.ts';
export * from './tensor.ts';
