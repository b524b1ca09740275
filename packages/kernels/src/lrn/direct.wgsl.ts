/**
 * Local response normalisation, one element (nchw) or four channels of a pixel (nhwc4) an invocation. Squares are
 * added in the order of the channels, in blocks of at most 256; both layouts give the same bits, also where a compiler
 * contracts products and sums: alpha, bias and the zero a block starts from are parameters, so that no multiply-add
 * turns into a bare product or a bare sum, and both layouts call the same functions.
 *
 *   nchw   src, dst [outer, CHANNELS, plane]       element (o, c, p) reads (o, c - BEFORE .. c + AFTER, p)
 *   nhwc4  src, dst [outer * plane, GROUPS] of vec4; a lane adds the squares of its own window
 */
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';
import { floatLiteral } from '../shared/float-literal.ts';
import { mathWgsl } from '../shared/math.wgsl.ts';
import { type ParamsRecord, paramsStruct } from '../shared/params-block.ts';
import type { LrnProblem } from './problem.ts';

const CHAIN = 256;

/** Channels of a window before and after its own, no more than there are. */
function reach({ before, after, channels }: LrnProblem): readonly [number, number] {
  return [Math.min(before, channels), Math.min(after, channels)];
}

/** Words of the kernels of both layouts, for so many invocations; alpha, bias and zero are float32 bits. */
export function lrnParams({ plane, size, alpha, bias }: LrnProblem, total: number): ParamsRecord {
  const [alphaBits = 0, biasBits = 0] = new Uint32Array(Float32Array.of(alpha / size, bias).buffer);
  return { total, plane: Math.max(plane, 1), alpha: alphaBits, bias: biasBits, zero: 0 };
}

function constants(problem: LrnProblem): string {
  const { channels, beta } = problem;
  const [before, after] = reach(problem);
  return `
const CHANNELS = ${channels}u;
const BEFORE = ${before}u;
const AFTER = ${after}u;
const BETA = ${floatLiteral(beta)};
${mathWgsl(['m_pow'])}
${paramsStruct(lrnParams(problem, 0))}
@group(0) @binding(2) var<uniform> params: Params;
${FLAT_INDEX}
fn zero() -> f32 { return bitcast<f32>(params.zero); }
fn add_square(sum: f32, value: f32) -> f32 { return fma(value, value, sum); }
fn normalise(value: f32, squares: f32) -> f32 {
  return value / m_pow(fma(bitcast<f32>(params.alpha), squares, bitcast<f32>(params.bias)), BETA);
}`;
}

export function lrnPlanarWgsl(problem: LrnProblem): string {
  const [before, after] = reach(problem);
  const window = before + after + 1;
  return `
@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;
${constants(problem)}
const BLOCKS = ${Math.ceil(window / CHAIN)}u;
const TERMS = ${Math.min(window, CHAIN)}u;

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let channel = index / params.plane % CHANNELS;
  let first = index - channel * params.plane;
  var squares = zero();
  for (var b = 0u; b < BLOCKS; b++) {
    var block = zero();
    for (var t = 0u; t < TERMS; t++) {
      let k = b * TERMS + t;
      let other = channel + k - BEFORE;
      let inside = k <= BEFORE + AFTER && channel + k >= BEFORE && other < CHANNELS;
      let value = src[first + select(channel, other, inside) * params.plane];
      block = select(block, add_square(block, value), inside);
    }
    squares = squares + block;
  }
  dst[index] = normalise(src[index], squares);
}`;
}

export function lrnChannelsLastWgsl(problem: LrnProblem): string {
  const groups = Math.max(Math.ceil(problem.channels / 4), 1);
  const [before, after] = reach(problem);
  return `
@group(0) @binding(0) var<storage, read> src: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4f>;
${constants(problem)}
const GROUPS = ${groups}u;
const WINDOW = ${before + after + 1}u;
const SPAN = ${Math.ceil(before / 4)}u;
const READ = ${Math.ceil(before / 4) + Math.ceil(after / 4) + 1}u;

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let group = index % GROUPS;
  let first = index - group;
  var squares = vec4f(zero());
  var block = vec4f(zero());
  let lanes = vec4u(0u, 1u, 2u, 3u);
  for (var g = 0u; g < READ; g++) {
    let other = group + g - SPAN;
    let there = group + g >= SPAN && other < GROUPS;
    let values = src[first + select(group, other, there)];
    for (var lane = 0u; lane < 4u; lane++) {
      let value = values[lane];
      // Number of this channel in each lane's window, from 0; huge before its first.
      let k = vec4u(4u * g + lane + BEFORE - 4u * SPAN) - lanes;
      let inside = (k < vec4u(WINDOW)) & vec4<bool>(there && 4u * other + lane < CHANNELS);
      let ends = (k % vec4u(${CHAIN}u) == vec4u(${CHAIN - 1}u)) & (k < vec4u(WINDOW));
      let longer = vec4f(
        add_square(block.x, value),
        add_square(block.y, value),
        add_square(block.z, value),
        add_square(block.w, value),
      );
      block = select(block, longer, inside);
      squares = select(squares, squares + block, ends);
      block = select(block, vec4f(zero()), ends);
    }
  }
  squares = squares + block;
  let value = src[index];
  let result = vec4f(
    normalise(value.x, squares.x),
    normalise(value.y, squares.y),
    normalise(value.z, squares.z),
    normalise(value.w, squares.w),
  );
  dst[index] = select(vec4f(), result, vec4u(4u * group) + lanes < vec4u(CHANNELS));
}`;
}
