/**
 * WGSL that every gathering kernel shares: parameters, compiled window constants and the first tap of a phase
 * (`phases.ts` has the arithmetic).
 */
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import { axisPhases } from './phases.ts';
import type { ConvTransposeProblem } from './problem.ts';

/** What the window text depends on; batch, extents and pads are parameters. */
export type WindowSpec = Pick<ConvTransposeProblem, 'groups' | 'ic' | 'oc' | 'vertical' | 'horizontal'>;

export function windowWgsl(spec: WindowSpec, paramsBinding: number): string {
  const { vertical, horizontal, groups, ic, oc } = spec;
  const rows = axisPhases(vertical);
  const columns = axisPhases(horizontal);
  return `
struct Params {
  batch: u32,
  ih: u32,
  iw: u32,
  oh: u32,
  ow: u32,
  pad_top: u32,
  pad_left: u32,
  blocks: u32,
}
@group(0) @binding(${paramsBinding}) var<uniform> params: Params;
const IC = ${ic}u;
const OC = ${oc}u;
const GROUP_IC = ${ic / groups}u;
const GROUP_OC = ${oc / groups}u;
const IC_QUADS = ${Math.ceil(ic / 4)}u;
const OC_QUADS = ${Math.ceil(oc / 4)}u;
const KH = ${vertical.kernel}u;
const KW = ${horizontal.kernel}u;
const STRIDE_H = ${vertical.stride};
const STRIDE_W = ${horizontal.stride};
const DILATION_H = ${vertical.dilation};
const DILATION_W = ${horizontal.dilation};
const PHASE_TAPS_H = ${rows.taps}u; // taps that reach one output row, at most
const PHASE_TAPS_W = ${columns.taps}u;
const TAP_STEP_H = ${rows.step}u;
const TAP_STEP_W = ${columns.step}u;
${FOLDED_WORKGROUP}
${firstTapWgsl('first_tap_h', rows.first)}
${firstTapWgsl('first_tap_w', columns.first)}
// Source index of padded output position t through tap r, exact for the taps of its phase; negative before the input.
fn source_row(t: u32, r: u32) -> i32 { return (i32(t) - i32(r) * DILATION_H) / STRIDE_H; }
fn source_column(t: u32, s: u32) -> i32 { return (i32(t) - i32(s) * DILATION_W) / STRIDE_W; }`;
}

function firstTapWgsl(name: string, first: readonly number[]): string {
  const cases = first.map((tap, phase) => `    case ${phase}u { return ${tap}u; }`).join('\n');
  return `fn ${name}(t: u32) -> u32 {
  switch t % ${first.length}u {
${cases}
    default { return 0u; }
  }
}`;
}
