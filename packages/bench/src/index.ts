export {
  adapterCeilings,
  CeilingError,
  type CeilingsOptions,
  type CeilingsProgress,
} from './ceilings/index.ts';
export * from './environment.ts';
export { type FoundModel, findModel } from './find-model.ts';
export * from './layers/bench-layers.ts';
export { formatLayersReport, type LayersTextOptions } from './layers/layers-report.ts';
export { LAYER_NETWORK_NAMES, LAYER_NETWORKS, type LayerNetwork } from './layers/networks.ts';
export * from './memory/bench-memory.ts';
export { formatMemoryReport } from './memory/memory-report.ts';
export * from './model-source.ts';
export * from './numerics-models.ts';
export { PeerAbsentError } from './ort-runner.ts';
export * from './report.ts';
export * from './report-column.ts';
export * from './run-benchmark.ts';
export { PEER_NAMES, type PeerName, type RunnerName } from './runner.ts';
export * from './scaled-error.ts';
export * from './seeded-values.ts';
export { type ConvLayer, layerLabel, layerRequest } from './shapes/conv-layer.ts';
export * from './statistics.ts';
