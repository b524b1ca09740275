/**
 * What a workgroup's block of channels and band of rows add to the hidden sums of a squeeze-excite: the sum of each
 * channel over the band, divided by the pixels of dst, times the weights. These are loaded at the kernel's start.
 *   shares [batch, bands, blocks, HIDDEN_QUADS]
 */
import { divideExactWgsl } from '../shared/exact-divide.ts';
import { type MapTile, SUM_GROUPS, tileInvocations } from './map-tile.ts';

export interface Shares {
  readonly tile: MapTile;
  readonly hidden: number;
}

/** Invocations that share one vec4 of hidden values, a power of two, and the channels each takes. */
function spreadOf({ tile, hidden }: Shares): { readonly parts: number; readonly channels: number } {
  const most = Math.floor(tileInvocations(tile) / Math.ceil(hidden / 4));
  const parts = Math.min(4 * tile.quads, 2 ** Math.floor(Math.log2(Math.max(1, most))));
  return { parts, channels: (4 * tile.quads) / parts };
}

export function squeezeBindings({ hidden }: Shares): string {
  return `@group(0) @binding(6) var<storage, read> squeeze_weights: array<vec4f>; // [wide channels, HIDDEN_QUADS]
@group(0) @binding(7) var<storage, read_write> shares: array<vec4f>;
const HIDDEN_QUADS = ${Math.ceil(hidden / 4)}u;
${divideExactWgsl(4)}`;
}

export function shareLoadLines(shares: Shares): string {
  const { parts, channels } = spreadOf(shares);
  const rows = Array.from({ length: channels }, (_, c) => c);
  return `let hidden_quad = local % HIDDEN_QUADS;
  let part = local / HIDDEN_QUADS;
  ${rows.map((c) => `var weight_row${c} = vec4f();`).join('\n  ')}
  if (part < ${parts}u) {
    let row = 4u * first_quad + part * ${channels}u;
    ${rows.map((c) => `weight_row${c} = squeeze_weights[(row + ${c}u) * HIDDEN_QUADS + hidden_quad];`).join('\n    ')}
  }`;
}

/** Uses `total`, the invocation's sum, and `quad`. */
export function shareLines(shares: Shares): string {
  const { tile } = shares;
  const { parts, channels } = spreadOf(shares);
  const width = SUM_GROUPS * tile.quads;
  const rounds = Math.ceil(tileInvocations(tile) / width);
  const quads = Array.from({ length: Math.ceil(channels / 4) }, (_, q) => q);
  return `let share_at = ((image * params.bands + workgroup.y) * params.blocks + workgroup.x) * HIDDEN_QUADS;
  tiles[local] = total;
  workgroupBarrier();
  if (local < ${Math.min(width, tileInvocations(tile))}u) {
    for (var n = 1u; n < ${rounds}u; n++) {
      if (local + n * ${width}u < INVOCATIONS) { total = total + tiles[local + n * ${width}u]; }
    }
    tiles[local] = total;
  }
  workgroupBarrier();
  var share = vec4f();
  if (part < ${parts}u) {
    ${quads.map((q) => quadShareWgsl(shares, q)).join('\n    ')}
    ${parts > 1 ? '' : 'shares[share_at + local] = share;'}
  }
  ${parts > 1 ? partsWgsl(parts) : ''}`;
}

/** What the part's channels of one vec4 add. */
function quadShareWgsl(shares: Shares, q: number): string {
  const { channels } = spreadOf(shares);
  const { quads } = shares.tile;
  const groups = Math.min(SUM_GROUPS, tileInvocations(shares.tile) / quads);
  const rows = Array.from({ length: Math.min(4, channels) }, (_, c) => c);
  const terms = Array.from({ length: groups }, (_, group) => `tiles[${group}u * QUADS + channel / 4u]`);
  return `{
      let channel = part * ${channels}u + ${4 * q}u;
      let mean = divide_exact(${terms.join(' + ')}, params.oh * params.ow);
      ${rows.map((c) => `share = fma(vec4f(mean[channel % 4u + ${c}u]), weight_row${4 * q + c}, share);`).join('\n      ')}
    }`;
}

function partsWgsl(parts: number): string {
  return `tiles[INVOCATIONS + local] = share;
  workgroupBarrier();
  if (local < HIDDEN_QUADS) {
    for (var other = 1u; other < ${parts}u; other++) {
      share = share + tiles[INVOCATIONS + other * HIDDEN_QUADS + local];
    }
    shares[share_at + local] = share;
  }`;
}
