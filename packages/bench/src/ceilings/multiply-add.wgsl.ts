/**
 * Multiply-adds in registers: CHAINS independent chains of `x = fma(x, factor, addend)` an invocation, each STEPS
 * long, scalars or vec4. Factor and addend are read from a buffer, so that no compiler can shorten the chains; with 1
 * and 1 a chain that starts at c ends at c + STEPS, exactly, and the stored sum over the chains proves every step.
 */
export interface MultiplyAddSpec {
  readonly type: 'f32' | 'f16';
  /** Components of a chain's value: 1 or 4. */
  readonly width: 1 | 4;
  readonly chains: number;
  /** Steps of a chain, a multiple of UNROLL. */
  readonly steps: number;
  /** Invocations of a workgroup. */
  readonly workgroup: number;
}

/** Steps written out in the body of the loop. */
export const UNROLL = 8;

export function multiplyAddWgsl(spec: MultiplyAddSpec): string {
  const { type, width, workgroup, steps } = spec;
  const value = width === 4 ? `vec4<${type}>` : type;
  const stored = width === 4 ? 'vec4f' : 'f32';
  const { declare, step, sum } = chainLines(spec, value, stored);
  return `${type === 'f16' ? 'enable f16;\n' : ''}
const WORKGROUP = ${workgroup}u;
const ROUNDS = ${steps / UNROLL}u;

// [factor, addend]
@group(0) @binding(0) var<storage, read> src: array<f32>;
// [invocations]: the sum of an invocation's chains.
@group(0) @binding(1) var<storage, read_write> dst: array<${stored}>;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(workgroup_id) id: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let factor = ${value}(${type}(src[0]));
  let addend = ${value}(${type}(src[1]));
  let start = ${type}(local % 64u);
${declare}
  for (var i = 0u; i < ROUNDS; i++) {
${step.repeat(UNROLL)}  }
  dst[id.x * WORKGROUP + local] = ${sum};
}`;
}

function chainLines(
  { type, chains }: MultiplyAddSpec,
  value: string,
  stored: string,
): { readonly declare: string; readonly step: string; readonly sum: string } {
  const names = Array.from({ length: chains }, (_, chain) => `x${chain}`);
  return {
    declare: names.map((x, chain) => `  var ${x} = ${value}(start + ${type}(${chain}));`).join('\n'),
    step: names.map((x) => `    ${x} = fma(${x}, factor, addend);\n`).join(''),
    sum: names.map((x) => `${stored}(${x})`).join(' + '),
  };
}

/** What every component of `dst` holds at `local` of its workgroup when factor and addend are 1; exact. */
export function multiplyAddResult({ chains, steps }: MultiplyAddSpec, local: number): number {
  return chains * ((local % 64) + steps) + (chains * (chains - 1)) / 2;
}
