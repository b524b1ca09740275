/** What tools around a session need and running a model does not: `@onegpu/onnx/tools`. */
export { type LoadedModel, type LoadOptions, loadModel } from './load-model.ts';
export { type ModelInfo, type ModelInfoOptions, modelInfo } from './model-info.ts';
export { attachCeilings, rowCeiling } from './profile-ceilings.ts';
export { decodeTensor, type NamedTensor } from './proto/decode-tensor.ts';
export { median, quantile, trimmed } from './statistics.ts';
