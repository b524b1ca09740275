/**
 * How the invocations of a software adapter read weights that all of them share. SwiftShader runs four invocations
 * as one vector and loads each scalar of each of them by itself, so a load costs as much as some seventeen vector
 * multiply-adds. Where subgroups are exactly those four, each one loads one lane of a vec4 and broadcasts it:
 * a quarter of the loads. Callers keep whole subgroups on one stream and all of their invocations alive.
 */
import type { GpuCapabilities } from '@onegpu/core';

/** `own`: every invocation loads its weights; `broadcast`: four share the load. */
export type WeightsLoad = 'own' | 'broadcast';

export function weightsLoad({ software, subgroupSize }: GpuCapabilities): WeightsLoad {
  return software && subgroupSize?.min === 4 && subgroupSize.max === 4 ? 'broadcast' : 'own';
}

export interface WeightsStreamText {
  /** Head of the module. */
  readonly directives: string;
  /** Further parameters of `main`. */
  readonly builtins: string;
  /** Declares `weights` (binding 1). */
  readonly binding: string;
  /** Statements that declare `NAME`, the vec4 of weights at `index`. */
  load(name: string, index: string): string;
}

export function weightsStreamWgsl(load: WeightsLoad): WeightsStreamText {
  if (load === 'own') {
    return {
      directives: '',
      builtins: '',
      binding: '@group(0) @binding(1) var<storage, read> weights: array<vec4f>;',
      load: (name, index) => `let ${name} = weights[${index}];`,
    };
  }
  return {
    directives: 'enable subgroups;\ndiagnostic(off, subgroup_uniformity);',
    builtins: ', @builtin(subgroup_invocation_id) subgroup_lane: u32',
    binding: '@group(0) @binding(1) var<storage, read> weights: array<f32>;',
    load: (name, index) => {
      const lanes = [0, 1, 2, 3].map((lane) => `subgroupBroadcast(${name}_lane, ${lane}u)`);
      return `let ${name}_lane = weights[(${index}) * 4u + subgroup_lane];
      let ${name} = vec4f(${lanes.join(', ')});`;
    },
  };
}
