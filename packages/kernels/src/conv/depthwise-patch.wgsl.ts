/**
 * Depthwise convolution of hardware adapters, channels last: one invocation makes a patch of columns x rows output
 * pixels for four channels, neighbouring invocations neighbouring channels. Every source pixel the patch touches is
 * loaded once and meets all its taps from registers; windows are literals and everything is unrolled, so that many loads
 * are under way at once and no register is indexed. Channels are parameters: layers that differ in them share a pipeline.
 *   dst[n, y, x, c] = sum over (r, s) of src[n, y * strideH - padTop + r * dilationH, ..., c] * weights[r, s, c]
 */
import { type ParamsRecord, paramsStruct } from '../shared/params-block.ts';
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';

export const PATCH_INVOCATIONS = 64;

/** Output pixels an invocation makes. */
export interface Patch {
  readonly columns: number;
  readonly rows: number;
}

export interface DepthwisePatchSpec {
  readonly patch: Patch;
  readonly kh: number;
  readonly kw: number;
  readonly strideH: number;
  readonly strideW: number;
  readonly dilationH: number;
  readonly dilationW: number;
  /** Only the names go into the text. */
  readonly params: ParamsRecord;
  readonly paramsBinding: number;
  /** WGSL of the epilogue for vec4f, and of `mask_lanes`. */
  readonly epilogue: string;
}

export function depthwisePatchWgsl(spec: DepthwisePatchSpec): string {
  const { patch, kh, kw } = spec;
  const columns = touched(patch.columns, spec.strideW, kw, spec.dilationW);
  const rows = touched(patch.rows, spec.strideH, kh, spec.dilationH);
  return `// src [batch, ih, iw, quads], weights [kh, kw, quads], dst [batch, oh, ow, quads] of vec4f
${FOLDED_WORKGROUP}
${paramsStruct(spec.params)}

@group(0) @binding(0) var<storage, read> src: array<vec4f>;
@group(0) @binding(1) var<storage, read> weights: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> dst: array<vec4f>;
@group(0) @binding(${spec.paramsBinding}) var<uniform> params: Params;
${spec.epilogue}

@compute @workgroup_size(${PATCH_INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let id = folded_workgroup(workgroup, count) * ${PATCH_INVOCATIONS}u + lane;
  let quad = id % params.quads;
  let patch_index = id / params.quads;
  let line = patch_index / params.across;
  let image = line / params.down;
  if (image >= params.batch) { return; }
  let out_x = (patch_index - line * params.across) * ${patch.columns}u;
  let out_y = (line - image * params.down) * ${patch.rows}u;
  let left = i32(out_x * ${spec.strideW}u) - i32(params.pad_left);
  let top = i32(out_y * ${spec.strideH}u) - i32(params.pad_top);
  ${lines(
    columns,
    (q) => `let x${q} = u32(left + ${q});
  let inside_x${q} = x${q} < params.iw;
  let column${q} = select(0u, x${q}, inside_x${q}) * params.quads + quad;`,
  )}
  ${lines(pixelsOf(patch), ([y, x]) => `var sum${y}_${x} = vec4f();`)}
  ${lines(rows, (row) => rowWgsl(spec, row, columns))}
  let at = ((image * params.oh + out_y) * params.ow + out_x) * params.quads + quad;
  ${lines(pixelsOf(patch), ([y, x]) => storeWgsl(y, x))}
}
`;
}

/** Loads the source line `row` below the patch's first one and adds its products. */
function rowWgsl(spec: DepthwisePatchSpec, row: number, columns: readonly number[]): string {
  const { patch, kh, kw, strideH, strideW, dilationH, dilationW } = spec;
  const products = pixelsOf(patch).flatMap(([y, x]) => {
    const r = (row - y * strideH) / dilationH;
    if (!Number.isInteger(r) || r < 0 || r >= kh) return [];
    return upTo(kw).map((s) => {
      const value = `v${row}_${x * strideW + s * dilationW}`;
      return `sum${y}_${x} = fma(${value}, w${r}_${s}, sum${y}_${x});`;
    });
  });
  // Taps that no line above this one has met.
  const met = upTo(kh).filter((r) => r * dilationH === row);
  return `${lines(met, (r) => lines(upTo(kw), (s) => `let w${r}_${s} = weights[${r * kw + s}u * params.quads + quad];`))}
  let y${row} = u32(top + ${row});
  let inside_y${row} = y${row} < params.ih;
  let line${row} = (image * params.ih + select(0u, y${row}, inside_y${row})) * params.iw * params.quads;
  ${lines(columns, (q) => `let v${row}_${q} = select(vec4f(), src[line${row} + column${q}], inside_y${row} & inside_x${q});`)}
  ${products.join('\n  ')}`;
}

function storeWgsl(y: number, x: number): string {
  const inside = [
    ...(x === 0 ? [] : [`(out_x + ${x}u < params.ow)`]),
    ...(y === 0 ? [] : [`(out_y + ${y}u < params.oh)`]),
  ].join(' & ');
  const at = `at${y}_${x}`;
  const store = `let ${at} = at + (${y}u * params.ow + ${x}u) * params.quads;
    dst[${at}] = mask_lanes(finish(sum${y}_${x}, quad, ${at}), quad);`;
  return inside === '' ? store : `if (${inside}) {\n    ${store}\n  }`;
}

/** Positions along an axis that a patch of `pixels` outputs touches, counted from its first. */
export function touched(pixels: number, stride: number, taps: number, dilation: number): number[] {
  const positions = new Set<number>();
  for (let pixel = 0; pixel < pixels; pixel++) {
    for (let tap = 0; tap < taps; tap++) positions.add(pixel * stride + tap * dilation);
  }
  return [...positions].sort((a, b) => a - b);
}

function pixelsOf({ columns, rows }: Patch): readonly (readonly [y: number, x: number])[] {
  return upTo(rows).flatMap((y) => upTo(columns).map((x) => [y, x] as const));
}

/** 0 to `count` - 1. */
function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function lines<T>(items: readonly T[], line: (item: T) => string): string {
  return items.map(line).join('\n  ');
}
