export {
  type GraphPass,
  type OptimizeOptions,
  optimizeGraph,
  PASSES,
  type PassReport,
} from './optimize-graph.ts';
export type { Fusion } from './rewriter.ts';
export type { ShapeProbe } from './value-facts.ts';
