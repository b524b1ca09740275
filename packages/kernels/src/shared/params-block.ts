/**
 * A uniform block made from one record: the names become the WGSL struct, the values its words, so the two cannot
 * drift apart. Kernels that many layers share take channels and windows from here instead of literals.
 */

/** Words of a block by field name, in the order of the struct; unsigned 32-bit. */
export type ParamsRecord = Readonly<Record<string, number>>;

/** `struct Params`, padded to whole vec4. */
export function paramsStruct(record: ParamsRecord): string {
  const names = Object.keys(record);
  const padding = Array.from({ length: -names.length & 3 }, (_, i) => `unused${i}`);
  return `struct Params {
${[...names, ...padding].map((name) => `  ${name}: u32,`).join('\n')}
}`;
}

/** The words of that struct. */
export function paramsBlock(record: ParamsRecord): Uint32Array {
  const values = Object.values(record);
  const words = new Uint32Array(Math.ceil(values.length / 4) * 4);
  words.set(values);
  return words;
}
