/**
 * A dispatch plan whose kernels count the array accesses that fall outside, for tests: Dawn runs ours without its
 * bounds checks, so every index a kernel makes has to be inside by construction. Rewrites the WGSL text:
 * `src[i]` becomes `src[inside_bounds(u32(i), arrayLength(&src))]`, for storage and for arrays of fixed length.
 */
import { type DispatchPass, type DispatchPlan, rewriteAccesses } from '@onegpu/core';

/** The operand that counts: one word, zero before the run and zero after it unless an access fell outside. */
export const VIOLATIONS = 'violations';

/**
 * The same plan with every access counted; passes get one more storage binding, {@link VIOLATIONS}. A pass that
 * already binds `mostBuffers` stays as it is.
 */
export function checkBounds(plan: DispatchPlan, mostBuffers: number): DispatchPlan {
  const passes = plan.passes.map((pass) => (pass.bindings.length < mostBuffers ? checkPass(pass) : pass));
  return { ...plan, passes };
}

function checkPass(pass: DispatchPass): DispatchPass {
  const binding = pass.bindings.length;
  let wgsl = pass.wgsl;
  for (const { name, length } of arraysOf(pass.wgsl)) wgsl = checkArray(wgsl, name, length);
  // The uniform block is bound behind the storage buffers.
  wgsl = wgsl.replace(new RegExp(`@binding\\(${binding}\\)(\\s*var<uniform>)`), `@binding(${binding + 1})$1`);
  return {
    ...pass,
    wgsl: `${wgsl}
@group(0) @binding(${binding}) var<storage, read_write> ${VIOLATIONS}: array<atomic<u32>>;
fn inside_bounds(index: u32, length: u32) -> u32 {
  if (index >= length) { atomicAdd(&${VIOLATIONS}[0], 1u); }
  return min(index, length - 1u);
}`,
    bindings: [...pass.bindings, { operand: VIOLATIONS, access: 'read_write' }],
  };
}

interface ArrayDeclaration {
  readonly name: string;
  /** WGSL of its number of elements. */
  readonly length: string;
}

function arraysOf(wgsl: string): ArrayDeclaration[] {
  const storage = wgsl.matchAll(/var<storage[^>]*>\s*(\w+)\s*:\s*array</g);
  const fixed = wgsl.matchAll(
    /(?:var(?:<\w+>)?|const|let)\s+(\w+)\s*(?::|=)\s*array<[^;=]*?,\s*([^,>;]+?)\s*>\s*[(;=]/g,
  );
  return [
    ...[...storage].map(([, name = '']) => ({ name, length: `arrayLength(&${name})` })),
    ...[...fixed].map(([, name = '', length = '']) => ({ name, length: `u32(${length})` })),
  ];
}

/** Literal indices of fixed arrays are left: the compiler refuses those outside. */
function checkArray(wgsl: string, name: string, length: string): string {
  const fixed = !length.startsWith('arrayLength');
  return rewriteAccesses(wgsl, name, {
    read: (index) => {
      if (fixed && /^\s*\d+u?\s*$/.test(index)) return `${name}[${index}]`;
      return `${name}[inside_bounds(u32(${index}), ${length})]`;
    },
  });
}
