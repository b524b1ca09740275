export type { Dimension, GraphValue } from './graph.ts';
export { type LoadedModel, type LoadOptions, loadModel } from './load-model.ts';
export type { LoadProgress, LoadStage, ProgressListener } from './load-progress.ts';
export { type ModelInfo, type ModelInfoOptions, modelInfo } from './model-info.ts';
export type { ModelInput } from './model-source.ts';
export { decodeTensor, type NamedTensor } from './proto/decode-tensor.ts';
export type { FreeDimension } from './resolve-inputs.ts';
export * from './tensor.ts';
