/**
 * WGSL of sums made by one workgroup: `quads` vec4 results side by side, the terms of each shared by `parts`
 * invocations. Invocation (part, quad) adds the terms part, part + parts, ... in blocks of eight, so that eight loads
 * are in flight; the parts are then added in order. The order depends on the spread and the number of terms alone.
 */

/** How a workgroup's invocations are spread over results and terms; quads * parts is at most their number. */
export interface Spread {
  readonly quads: number;
  readonly parts: number;
}

/** Terms a part adds before it adds them to its total. */
const BLOCK = 8;
/** Most parts of one result: they are added one after the other. */
const MOST_PARTS = 64;

/** @param terms of each result; undefined where a run decides */
export function spreadOf(quads: number, invocations: number, terms?: number): Spread {
  const useful = terms === undefined ? MOST_PARTS : Math.ceil(terms / 4);
  return { quads, parts: Math.max(1, Math.min(MOST_PARTS, Math.floor(invocations / quads), useful)) };
}

export interface SumLines {
  readonly spread: Spread;
  /** WGSL of the number of terms, at least 1. */
  readonly terms: string;
  /** Whether result `quad` is wanted at all. */
  readonly wanted?: string;
  /** WGSL of `block` with term `k` of result `quad` added. */
  readonly add: string;
  /** Statements for the invocations of the first part, which have `quad` and its sum `total`. */
  readonly finish: string;
}

/** Uses `local` and the workgroup array `parts`; ends behind a barrier. */
export function sumLines({ spread, terms, wanted = 'true', add, finish }: SumLines): string {
  const { quads, parts } = spread;
  return `{
    let quad = local % ${quads}u;
    let part = local / ${quads}u;
    let terms = ${terms};
    var total = vec4f();
    if ((part < ${parts}u) & (${wanted})) {
      let blocks = (terms + ${parts * BLOCK - 1}u) / ${parts * BLOCK}u;
      for (var b = 0u; b < blocks; b++) {
        var block = vec4f();
        for (var j = 0u; j < ${BLOCK}u; j++) {
          let at = (b * ${BLOCK}u + j) * ${parts}u + part;
          let k = min(at, terms - 1u);
          block = select(block, ${add}, at < terms);
        }
        total = total + block;
      }
    }
    parts[local] = total;
    workgroupBarrier();
    if ((local < ${quads}u) & (${wanted})) {
      for (var other = 1u; other < ${parts}u; other++) { total = total + parts[other * ${quads}u + quad]; }
      ${finish}
    }
    workgroupBarrier();
  }`;
}
