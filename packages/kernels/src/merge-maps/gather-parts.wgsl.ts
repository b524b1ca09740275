/**
 * Merges resampled pictures: an invocation makes one vec4 of dst. Parts without a gate that lie side by side move
 * words, so every bit pattern arrives as it left.
 *   src_i [batch, ih_i, iw_i, quads_i], gate_i [batch, quads_i], dst [batch, height, width, DST_QUADS]
 */
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';

export interface GatherPart {
  /** Its number in names of operands. */
  readonly number: number;
  readonly quads: number;
  readonly gated: boolean;
  /** vec4 of dst before it. */
  readonly first: number;
}

export interface GatherPartsSpec {
  readonly merge: 'concat' | 'sum';
  readonly parts: readonly GatherPart[];
  /** vec4 of channels the dispatch makes, from the first part's on, and those of a pixel of dst. */
  readonly quads: number;
  readonly dstQuads: number;
}

/** Binding order: sources, gates of gated parts, `taps`, `dst`, parameters. */
export function gatherPartsWgsl({ merge, parts, quads, dstQuads }: GatherPartsSpec): string {
  const gated = parts.filter((part) => part.gated);
  const moves = (part: GatherPart): boolean => merge === 'concat' && !part.gated;
  const after = parts.length + gated.length;
  const declare = (binding: number, name: string, element: string): string =>
    `@group(0) @binding(${binding}) var<storage, read> ${name}: array<${element}>;`;
  return `${FLAT_INDEX}
struct Params {
  total: u32,
  height: u32,
  width: u32,
  unused: u32,
  // ih, iw, and where the taps of the rows and of the columns begin
  parts: array<vec4u, ${parts.length}>,
}
const QUADS = ${quads}u;
const DST_QUADS = ${dstQuads}u;
const FIRST = ${parts[0]?.first ?? 0}u;
${parts.map((part, i) => declare(i, `src${part.number}`, moves(part) ? 'vec4u' : 'vec4f')).join('\n')}
${gated.map((part, i) => declare(parts.length + i, `gate${part.number}`, 'vec4f')).join('\n')}
${declare(after, 'taps', 'u32')}
@group(0) @binding(${after + 1}) var<storage, read_write> dst: array<vec4u>;
@group(0) @binding(${after + 2}) var<uniform> params: Params;

${parts.map((part, i) => partWgsl(part, i, moves(part))).join('\n')}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let quad = index % QUADS;
  let pixel = index / QUADS;
  let x = pixel % params.width;
  let y = pixel / params.width % params.height;
  let image = pixel / params.width / params.height;
  ${merge === 'sum' ? sumLines(parts) : concatLines(parts, moves)}
  dst[pixel * DST_QUADS + FIRST + quad] = value;
}`;
}

/** `fn part_i(image, y, x, quad)`. */
function partWgsl({ number, quads, gated }: GatherPart, index: number, moves: boolean): string {
  return `fn part${number}(image: u32, y: u32, x: u32, quad: u32) -> ${moves ? 'vec4u' : 'vec4f'} {
  let part = params.parts[${index}];
  let at = (image * part.x + taps[part.z + y]) * part.y + taps[part.w + x];
  return src${number}[at * ${quads}u + quad]${gated ? ` * gate${number}[image * ${quads}u + quad]` : ''};
}`;
}

function sumLines(parts: readonly GatherPart[]): string {
  const calls = parts.map(({ number }) => `part${number}(image, y, x, quad)`);
  return `let value = bitcast<vec4u>(${calls.join(' + ')});`;
}

function concatLines(parts: readonly GatherPart[], moves: (part: GatherPart) => boolean): string {
  const [origin] = parts;
  const branches = parts.map((part) => {
    const begin = part.first - (origin?.first ?? 0);
    const call = `part${part.number}(image, y, x, quad - ${begin}u)`;
    const made = moves(part) ? call : `bitcast<vec4u>(${call})`;
    return `if ((quad >= ${begin}u) & (quad < ${begin + part.quads}u)) { value = ${made}; }`;
  });
  return `var value = vec4u();\n  ${branches.join('\n  ')}`;
}
