/**
 * A gated convolution multiplies src by one factor an image and input channel as it reads it, which saves the pass that
 * squeeze-excite would scale the picture in. The product is rounded, so the bits are those of the separate pass.
 */
import type { PassBinding } from '@onegpu/core';
import type { ConvProblem } from './problem.ts';

export interface GateSplice {
  /** The binding of `gate`, where there is one. */
  readonly bindings: readonly PassBinding[];
  /** Declares `gate`, [batch, vec4 of channels]. */
  readonly wgsl: string;
}

/** The operand `gate`, [batch, ic, 1, 1] in the layout of src, at `binding`. */
export function spliceGate(
  { gate }: ConvProblem,
  binding: number,
  element: 'f32' | 'vec4f' = 'vec4f',
): GateSplice {
  if (!gate) return { bindings: [], wgsl: '' };
  const wgsl = `@group(0) @binding(${binding}) var<storage, read> gate: array<${element}>;\n`;
  return { bindings: [{ operand: 'gate', access: 'read' }], wgsl };
}

/** Reason against kernels that have no gate. */
export function needsNoGate(problem: ConvProblem): string | undefined {
  return problem.gate ? 'the source is gated, which this kernel does not read' : undefined;
}
