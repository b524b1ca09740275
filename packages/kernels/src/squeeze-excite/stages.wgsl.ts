/**
 * The stages of squeeze-excite as WGSL, in workgroup memory: means of channels, what they add to the hidden sums, hidden
 * values, factors. A dispatch makes all of them for a picture, or some for a block of channels.
 */
import { type Activation, activateWgsl, activationMath } from '../shared/activation.ts';
import { divideExactWgsl } from '../shared/exact-divide.ts';
import { mathWgsl } from '../shared/math.wgsl.ts';
import { FOLDED_WORKGROUP, maskLanesWgsl } from '../shared/prelude.ts';
import { earlyLines, earlyTerms, type SumLines, spreadOf, sumLines } from './workgroup-sums.wgsl.ts';

export interface ExciteSpec {
  readonly invocations: number;
  readonly channels: number;
  readonly hidden: number;
  readonly outputs: number;
  readonly hiddenActivation: readonly Activation[];
  readonly activation: readonly Activation[];
}

/** Blocks of channels that two dispatches are cut into, in vec4. */
export interface BlockSpec extends ExciteSpec {
  readonly blockQuads: number;
  /** Blocks of source channels, each of which leaves a share of the hidden sums. */
  readonly srcBlocks: number;
}

const PARAMS = `struct Params {
  batch: u32,
  pixels: u32,
  // Runs of pixels that workgroups share a picture by, and the pixels of each; the last may be shorter.
  slices: u32,
  slice_pixels: u32,
}`;

/** vec4 of src, of the hidden values and of dst. */
export function stageQuads({ channels, hidden, outputs }: ExciteSpec) {
  return { src: Math.ceil(channels / 4), hidden: Math.ceil(hidden / 4), dst: Math.ceil(outputs / 4) };
}

/** Parameters and constants every stage uses. */
export function stageHead(spec: ExciteSpec): string {
  const { src, hidden, dst } = stageQuads(spec);
  return `${FOLDED_WORKGROUP}
${PARAMS}
const SRC_QUADS = ${src}u;
const HIDDEN = ${spec.hidden}u;
const HIDDEN_QUADS = ${hidden}u;
const DST_QUADS = ${dst}u;
${divideExactWgsl(4)}`;
}

/** Workgroup arrays: the sums in the making, the means of `meanQuads` vec4 of channels, the hidden values. */
export function workgroupMemory(spec: ExciteSpec, meanQuads: number): string {
  return `var<workgroup> parts: array<vec4f, ${spec.invocations}>;
var<workgroup> means: array<f32, ${4 * meanQuads}>;
var<workgroup> hidden: array<f32, ${4 * stageQuads(spec).hidden}>;`;
}

/** `main` up to its body. */
export function stageMain({ invocations }: ExciteSpec): string {
  return `@compute @workgroup_size(${invocations})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) local: u32,
)`;
}

/** What `pixels` pixels from `begin` on add to the means of `blockQuads` vec4 of channels from `first` on. */
export function meanLines(
  spec: ExciteSpec,
  blockQuads: number,
  { first, begin, pixels }: { readonly first: string; readonly begin: string; readonly pixels: string },
): string {
  return sumLines({
    spread: spreadOf(blockQuads, spec.invocations),
    terms: pixels,
    load: `src[(image * params.pixels + ${begin} + k) * SRC_QUADS + min(${first} + quad, SRC_QUADS - 1u)]`,
    add: 'block + term',
    finish: `let mean = select(vec4f(), divide_exact(total, params.pixels), ${first} + quad < SRC_QUADS);
      means[4u * quad] = mean.x;
      means[4u * quad + 1u] = mean.y;
      means[4u * quad + 2u] = mean.z;
      means[4u * quad + 3u] = mean.w;`,
  });
}

/** What those channels add to every hidden sum; `keep` uses `quad` and `total`. */
export function shareLines(spec: ExciteSpec, blockQuads: number, first: string, keep: string): string {
  const terms = 4 * blockQuads;
  return sumLines({
    spread: spreadOf(stageQuads(spec).hidden, spec.invocations, terms),
    terms: `${terms}u`,
    load: `squeeze_weights[(4u * ${first} + k) * HIDDEN_QUADS + quad]`,
    add: 'fma(vec4f(means[k]), term, block)',
    finish: keep,
  });
}

/** `blockQuads` vec4 of dst from `first` on. */
export function factorLines(spec: ExciteSpec, blockQuads: number, first: string): string {
  const finish = `dst[image * DST_QUADS + ${first} + quad] = factor(${first} + quad, total, excite_bias[${first} + quad]);`;
  return sumLines({ ...factorSum(spec, blockQuads, first), finish });
}

/** The same in two texts: what loads weights and bias, and what adds and stores once the hidden values are there. */
export function earlyFactorLines(
  spec: ExciteSpec,
  blockQuads: number,
  first: string,
): { readonly load: string; readonly add: string } {
  const sum = factorSum(spec, blockQuads, first);
  const early = earlyTerms(sum.spread, spec.hidden);
  const finish = `dst[image * DST_QUADS + ${first} + quad] = factor(${first} + quad, total, factor_bias);`;
  const bias = `let factor_bias = excite_bias[min(${first} + local % ${blockQuads}u, DST_QUADS - 1u)];`;
  const lines = { ...sum, early, finish };
  return {
    load: early === undefined ? bias : `${bias}\n  ${earlyLines(lines)}`,
    add: sumLines(lines),
  };
}

function factorSum(spec: ExciteSpec, blockQuads: number, first: string): Omit<SumLines, 'finish'> {
  return {
    spread: spreadOf(blockQuads, spec.invocations, spec.hidden),
    terms: 'HIDDEN',
    wanted: `${first} + quad < DST_QUADS`,
    load: `excite_weights[k * DST_QUADS + ${first} + quad]`,
    add: 'fma(vec4f(hidden[k]), term, block)',
  };
}

/** `fn keep_hidden(quad: u32, sum: vec4f, bias: vec4f)`. */
export function hiddenWgsl({ hiddenActivation, activation }: ExciteSpec): string {
  return `${mathWgsl([...activationMath(hiddenActivation), ...activationMath(activation)])}
${activateWgsl(hiddenActivation, 'vec4f').replace('fn activate(', 'fn activate_hidden(')}
fn keep_hidden(quad: u32, sum: vec4f, bias: vec4f) {
  let value = activate_hidden(sum + bias);
  hidden[4u * quad] = value.x;
  hidden[4u * quad + 1u] = value.y;
  hidden[4u * quad + 2u] = value.z;
  hidden[4u * quad + 3u] = value.w;
}`;
}

/** `fn factor(quad: u32, sum: vec4f, bias: vec4f) -> vec4f`. */
export function factorWgsl({ activation, outputs }: ExciteSpec): string {
  return `${activateWgsl(activation, 'vec4f')}
${maskLanesWgsl(outputs)}
fn factor(quad: u32, sum: vec4f, bias: vec4f) -> vec4f {
  return mask_lanes(activate(sum + bias), quad);
}`;
}
