/** How one element narrower than a word lies in memory, as WGSL; `ARRAY` stands for the array's name. */

export interface Storage {
  readonly element: string;
  /** One or more statements that return the element at `index`. */
  readonly read: string;
  /** One or more statements that put `value` at `index`. */
  readonly write: string;
  /** Whether writes are atomic, which makes the array atomic. */
  readonly atomic: boolean;
  readonly functions: readonly string[];
}

/** Writes the `bits` of the part of a word that `index` names; neighbours keep theirs. */
export function writePart(parts: 2 | 4, bits: string): string {
  const width = 32 / parts;
  const mask = parts === 2 ? '0xffffu' : '0xffu';
  const shift = `let shift = (index % ${parts}u) * ${width}u;`;
  const word = `&ARRAY[index / ${parts}u]`;
  return `${shift} atomicAnd(${word}, ~(${mask} << shift)); atomicOr(${word}, (${bits}) << shift);`;
}

/** Four elements of sixteen bits, zero-extended. */
export const PACKED_16_VECTOR: Storage = {
  element: 'vec2u',
  read: 'let words = ARRAY[index]; return vec4u(words.x & 0xffffu, words.x >> 16u, words.y & 0xffffu, words.y >> 16u);',
  write: 'ARRAY[index] = vec2u(value.x | (value.y << 16u), value.z | (value.w << 16u));',
  atomic: false,
  functions: [],
};
