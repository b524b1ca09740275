/** What a session runs for given input shapes, and why: for people, and for tests that ask which kernel ran. */
import type { Layout, NumericMode, Refusal } from '@onegpu/kernels/core';
import type { Fusion } from './passes/index.ts';
import type { PreparedModel } from './prepare-model.ts';
import type { PreparedPlan } from './prepared-plan.ts';

export interface ExplainStep {
  readonly nodes: readonly string[];
  readonly operator: string;
  readonly algorithm: string;
  readonly labels: readonly string[];
  readonly shape: readonly number[];
  readonly layout: Layout;
  /** Algorithms that come before the chosen one and why they were refused. */
  readonly refused: readonly Refusal[];
  /** Label of what the rules choose, where tuning found the algorithm, or its tile, to be quicker here. */
  readonly tunedFrom?: string;
}

export interface ExplainReport {
  readonly adapter: string;
  /**
   * `browser`: without what `@onegpu/onnx/full` adds, launch fusions among it, which a session does not get any more
   * where that was imported after it was created.
   */
  readonly entry: 'browser' | 'full';
  readonly mode: NumericMode;
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  readonly steps: readonly ExplainStep[];
  /** Nodes computed on the host while planning (shape arithmetic); constants folded at load are not among them. */
  readonly hostNodes: readonly {
    readonly node: string;
    readonly operator: string;
    readonly elements: number;
  }[];
  /** What fusion did, in order. */
  readonly fusions: readonly Fusion[];
  readonly memory: {
    readonly arenaBytes: readonly number[];
    readonly peakBytes: number;
    readonly lowerBoundBytes: number;
  };
}

export function explainPlan(request: {
  adapter: string;
  mode: NumericMode;
  plan: PreparedPlan;
  model: PreparedModel;
  dims: Readonly<Record<string, readonly number[]>>;
}): ExplainReport {
  const { adapter, mode, plan, model, dims } = request;
  return {
    adapter,
    entry: model.entry,
    mode,
    inputs: dims,
    steps: plan.execution.steps.map((step) => ({
      nodes: step.covers,
      operator: step.plan.operator,
      algorithm: step.plan.algorithm,
      labels: step.plan.passes.map((pass) => pass.label),
      shape: step.dims,
      layout: step.layout,
      refused: step.refused,
      ...(step.tunedFrom === undefined ? {} : { tunedFrom: step.tunedFrom }),
    })),
    hostNodes: plan.inferred.hostNodes.map(({ node, elements }) => ({
      node: node.name,
      operator: node.opType,
      elements,
    })),
    fusions: model.fusions,
    memory: {
      arenaBytes: plan.memory.arenaBytes,
      peakBytes: plan.memory.peakBytes,
      lowerBoundBytes: plan.memory.lowerBoundBytes,
    },
  };
}
