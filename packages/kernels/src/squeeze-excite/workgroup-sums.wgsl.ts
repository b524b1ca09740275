/**
 * WGSL of sums made by one workgroup: `quads` vec4 results side by side, the terms of each shared by `parts`
 * invocations. Invocation (part, quad) adds the terms part, part + parts, ... in blocks of eight, so that eight loads
 * are in flight; the parts are then added in order, more than eight of them in two stages. The order depends on the
 * spread and the number of terms alone.
 */

/** How a workgroup's invocations are spread over results and terms; quads * parts is at most their number. */
export interface Spread {
  readonly quads: number;
  readonly parts: number;
}

/** Terms a part adds before it adds them to its total. */
const BLOCK = 8;
/** Most parts of one result, and the groups they are added in. */
const MOST_PARTS = 64;
const GROUPS = 8;

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
  /** WGSL of what term `k` of result `quad` loads, then of `block` with that, `term`, added. */
  readonly load: string;
  readonly add: string;
  /** Terms of each part that `earlyLines` has loaded already: all of them. */
  readonly early?: number | undefined;
  /** Statements for the invocations of the first part, which have `quad` and its sum `total`. */
  readonly finish: string;
}

/** Uses `local` and the workgroup array `parts`; ends behind a barrier. */
export function sumLines(lines: SumLines): string {
  const { spread, terms, wanted = 'true', early, finish } = lines;
  const { quads, parts } = spread;
  return `{
    let quad = local % ${quads}u;
    let part = local / ${quads}u;
    let terms = ${terms};
    var total = vec4f();
    if ((part < ${parts}u) & (${wanted})) {
      ${early === undefined ? loopLines(lines) : earlySumLines(lines, early)}
    }
    parts[local] = total;
    workgroupBarrier();
    ${parts > GROUPS ? groupLines(spread) : ''}
    if ((local < ${quads}u) & (${wanted})) {
      for (var other = 1u; other < ${Math.min(parts, GROUPS)}u; other++) { total = total + parts[other * ${quads}u + quad]; }
      ${finish}
    }
    workgroupBarrier();
  }`;
}

function loopLines({ spread: { parts }, load, add }: SumLines): string {
  return `let blocks = (terms + ${parts * BLOCK - 1}u) / ${parts * BLOCK}u;
      for (var b = 0u; b < blocks; b++) {
        var block = vec4f();
        for (var j = 0u; j < ${BLOCK}u; j++) {
          let at = (b * ${BLOCK}u + j) * ${parts}u + part;
          let k = min(at, terms - 1u);
          let term = ${load};
          block = select(block, ${add}, at < terms);
        }
        total = total + block;
      }`;
}

/** Parts past the first groups are added to these, so that no invocation adds them all. */
function groupLines({ quads, parts }: Spread): string {
  const width = GROUPS * quads;
  return `if (local < ${width}u) {
      for (var round = 1u; round < ${Math.ceil(parts / GROUPS)}u; round++) {
        let other = local + round * ${width}u;
        if (other < ${parts * quads}u) { total = total + parts[other]; }
      }
      parts[local] = total;
    }
    workgroupBarrier();`;
}

/** Terms of each part where `terms` are few enough to be loaded long before they are added. */
export function earlyTerms({ parts }: Spread, terms: number): number | undefined {
  const each = Math.ceil(terms / parts);
  return each <= BLOCK ? each : undefined;
}

/** Loads of the terms in a block of their own statements, for `sumLines` behind them. */
export function earlyLines({ spread, terms, wanted = 'true', load, early = 0 }: SumLines): string {
  const { quads, parts } = spread;
  const each = Array.from({ length: early }, (_, j) => j);
  return `${each.map((j) => `var early${j} = vec4f();`).join('\n  ')}
  {
    let quad = local % ${quads}u;
    let part = local / ${quads}u;
    if ((part < ${parts}u) & (${wanted})) {
      ${each.map((j) => `{ let k = min(${j * parts}u + part, ${terms} - 1u); early${j} = ${load}; }`).join('\n      ')}
    }
  }`;
}

function earlySumLines({ spread: { parts }, add }: SumLines, early: number): string {
  const each = Array.from({ length: early }, (_, j) => j);
  return `var block = vec4f();
      ${each
        .map(
          (j) => `{
        let at = ${j * parts}u + part;
        let k = min(at, terms - 1u);
        let term = early${j};
        block = select(block, ${add}, at < terms);
      }`,
        )
        .join('\n      ')}
      total = block;`;
}
