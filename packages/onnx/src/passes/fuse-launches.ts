/**
 * The fusions for hardware adapters, where every dispatch costs more than what it computes: they run once, behind
 * `optimizeGraph`. No part of the entry for browsers; `extension.ts`.
 */
import type { Graph } from '../graph.ts';
import { fuseExciteOfMap } from './excite-of-map.ts';
import { fuseExpansion } from './expand-into-depthwise.ts';
import { gateConvolutions } from './gate-into-conv.ts';
import { mergeMaps } from './merge-maps.ts';
import type { GraphPass } from './optimize-graph.ts';
import { pairTransposed } from './pair-transposed.ts';
import { readPlanes } from './planes-into-conv.ts';
import { type Fusion, GraphRewriter } from './rewriter.ts';
import { foldShortcut } from './shortcut-into-conv.ts';
import { fuseSqueezeExcite } from './squeeze-excite.ts';
import { addUpsampled } from './upsample-into-conv.ts';
import type { ShapeProbe } from './value-facts.ts';

/** What only hardware adapters gain from: fewer dispatches of kernels that wait at barriers or read more. */
const LAUNCH_PASSES: readonly GraphPass[] = [
  foldShortcut,
  fuseSqueezeExcite,
  gateConvolutions,
  mergeMaps,
  addUpsampled,
  pairTransposed,
  fuseExpansion,
  fuseExciteOfMap,
  readPlanes,
];

/**
 * Fusions for hardware adapters, once behind `optimizeGraph`: rewrites `graph.nodes` in place.
 * @param graph an optimized graph; no pass knows the operators this one makes
 * @param probes as `OptimizeOptions.probes`
 */
export function fuseLaunches(graph: Graph, probes: readonly ShapeProbe[]): readonly Fusion[] {
  const rewriter = new GraphRewriter(graph, probes);
  for (const pass of LAUNCH_PASSES) pass(rewriter);
  rewriter.commit();
  return rewriter.fusions;
}
