/**
 * The one epilogue: what happens to an accumulator before it is stored. Steps, each rounded to float32:
 * sum, + bias[channel], + residual[same index], activation steps in order. Every kernel splices the same text.
 */
import type { PassBinding, PlanTable } from '@onegpu/core';
import { type Activation, activationConstants, activationLabel, activationWgsl } from './activation.ts';

export interface Epilogue {
  /** Operand `bias`, [channels]; for `vec4f` kernels padded with zeros to a multiple of 4. */
  readonly bias: boolean;
  /** Operand `residual`, same layout as `dst`, and same dims where `upsample` says nothing else. */
  readonly residual: boolean;
  readonly upsample?: ResidualUpsample | undefined;
  readonly activation: readonly Activation[];
}

/**
 * The residual is a smaller map, nhwc4, each of its pixels read by `factors` rows and columns of dst, whose extents are
 * multiples of them. For kernels whose uniform `params` has dst's width as `ow`.
 */
export interface ResidualUpsample {
  readonly factors: readonly [vertical: number, horizontal: number];
  readonly channels: number;
}

export const PLAIN_EPILOGUE: Epilogue = { bias: false, residual: false, activation: [] };

export interface EpilogueSplice {
  /** Bindings `bias`, `residual` and `constants`, where present, from `firstBinding` on. */
  readonly bindings: readonly PassBinding[];
  /** The table `constants`, where present: the plan must hand it on. */
  readonly tables: readonly PlanTable[];
  /**
   * WGSL of those bindings and of `fn finish(sum: T, channel: u32, dst_index: u32) -> T`. For `vec4f`, `channel`
   * counts groups of four channels and `dst_index` counts vec4 elements of `dst`.
   */
  readonly wgsl: string;
}

export function spliceEpilogue(
  epilogue: Epilogue,
  type: 'f32' | 'vec4f',
  firstBinding: number,
): EpilogueSplice {
  const bindings: PassBinding[] = [];
  const declarations: string[] = [];
  const declare = (operand: string, element: string = type): void => {
    const index = firstBinding + bindings.length;
    bindings.push({ operand, access: 'read' });
    declarations.push(`@group(0) @binding(${index}) var<storage, read> ${operand}: array<${element}>;`);
  };
  if (epilogue.bias) declare('bias');
  if (epilogue.residual) declare('residual');
  const constants = activationConstants(epilogue.activation);
  if (constants.length > 0) declare('constants', 'f32');
  const wgsl = `
${declarations.join('\n')}
${activationWgsl(epilogue.activation, type, 'array')}
${upsampleWgsl(epilogue, type)}
fn finish(sum: ${type}, channel: u32, dst_index: u32) -> ${type} {
  var value = sum;
  ${epilogue.bias ? 'value = value + bias[channel];' : ''}
  ${epilogue.residual ? `value = value + residual[${epilogue.upsample ? 'residual_at(dst_index)' : 'dst_index'}];` : ''}
  return activate(value);
}`;
  const tables = constants.length === 0 ? [] : [{ operand: 'constants', data: Float32Array.from(constants) }];
  return { bindings, tables, wgsl };
}

/** `fn residual_at(dst_index: u32) -> u32`, where the residual is a smaller map. */
function upsampleWgsl({ upsample }: Epilogue, type: 'f32' | 'vec4f'): string {
  if (upsample === undefined) return '';
  const quads = Math.ceil(upsample.channels / 4);
  const [rows, columns] = upsample.factors;
  return `const PIXEL_ELEMENTS = ${type === 'vec4f' ? quads : 4 * quads}u;
fn residual_at(dst_index: u32) -> u32 {
  let pixel = dst_index / PIXEL_ELEMENTS;
  let row = pixel / params.ow / ${rows}u; // of all images: their heights are multiples of the factor
  let column = pixel % params.ow / ${columns}u;
  return (row * (params.ow / ${columns}u) + column) * PIXEL_ELEMENTS + dst_index % PIXEL_ELEMENTS;
}`;
}

/** Label part of an epilogue: `bias+residual+relu`, or an empty string. */
export function epilogueLabel(epilogue: Epilogue): string {
  const parts = [
    epilogue.bias ? 'bias' : '',
    epilogue.residual ? `residual${epilogue.upsample ? `-${epilogue.upsample.factors.join('x')}` : ''}` : '',
    activationLabel(epilogue.activation),
  ];
  return parts.filter((part) => part !== '').join('+');
}
