/**
 * A dispatch plan is what an operator hands to the device: pure data, no GPU object in it, so kernels are
 * planned and tested without a GPU. A plan is one or more passes; a pass is one WGSL program and one dispatch.
 */

/** How a pass binds an operand. One buffer may not be bound as both in the same pass. */
export type OperandAccess = 'read' | 'read_write';

/** `@group(0) @binding(i)` of pass `p` is `p.bindings[i]`, a storage buffer. */
export interface PassBinding {
  /** Name of the operand: `src`, `weights`, `bias`, `residual`, `dst`, `scratch`, a table's name, ... */
  readonly operand: string;
  readonly access: OperandAccess;
  /**
   * `float32`: its u32 or vec4u elements are the bits of float32 numbers, not patterns that the kernel only moves.
   * `raw`: its elements are the words that the operand lies in, whatever its type; the kernel takes them apart.
   */
  readonly bits?: 'float32' | 'raw';
}

export interface DispatchPass {
  /** Row name in timings: `operator/algorithm/type/tile/epilogue`. */
  readonly label: string;
  /** Complete WGSL; its entry point is `main`. */
  readonly wgsl: string;
  readonly bindings: readonly PassBinding[];
  /**
   * Contents of the uniform buffer at `@binding(bindings.length)`, a multiple of 4 words; batch and spatial
   * extents live here so that a new picture size compiles nothing. Absent: no uniform binding.
   */
  readonly params?: Uint32Array;
  /** Workgroups in x, y, z; each at most `maxComputeWorkgroupsPerDimension`. A zero means: nothing to do. */
  readonly workgroups: readonly [number, number, number];
}

/** Scratch memory: written and read inside one plan, contents undefined before and after. */
export interface ScratchSpec {
  readonly operand: string;
  readonly bytes: number;
  /** Fewest bytes that a plan of the same algorithm and bits can make do with, in chunks; absent: all of them. */
  readonly least?: number;
}

/** Constant data computed on the host for one problem (tap tables, divisors), uploaded once. */
export interface PlanTable {
  readonly operand: string;
  readonly data: Uint32Array | Int32Array | Float32Array;
}

/**
 * A constant operand that an algorithm wants in another arrangement than ONNX's (packed convolution weights).
 * `key` identifies the arrangement: the same key and source give the same packed data, of the source's class; float16
 * is packed as its bits. The array comes from `memory`, one call of it, where that is given.
 */
export interface OperandPacking {
  readonly operand: string;
  readonly key: string;
  /** Elements of the packed array; absent where only packing tells. */
  readonly elements?: number;
  readonly pack: <T extends OperandArray>(source: T, memory?: PackingMemory) => T;
}

/** Elements of an operand on the host. */
export type OperandArray =
  | Float32Array
  | Uint32Array
  | Int32Array
  | Uint16Array
  | Int16Array
  | Uint8Array
  | Int8Array;

/**
 * Where packed operands go: `length` zeros in an array of the source's class. Fresh memory costs more than packing does,
 * so whoever packs many operands hands out the same bytes again once they are uploaded.
 */
export type PackingMemory = <T extends OperandArray>(source: T, length: number) => T;

/** Zeros, in an array of the same class; fresh memory. */
export function sameKind<T extends OperandArray>(source: T, length: number): T {
  return new (source.constructor as new (length: number) => T)(length);
}

/** Work and traffic that the problem itself asks for, whatever the algorithm. */
export interface PlanCost {
  /** Floating-point operations; a multiply-add counts two. */
  readonly flops: number;
  /** Bytes that must move at least once: inputs, weights and outputs. */
  readonly bytes: number;
}

export interface DispatchPlan {
  readonly operator: string;
  readonly algorithm: string;
  readonly label: string;
  readonly passes: readonly DispatchPass[];
  readonly scratch: readonly ScratchSpec[];
  readonly tables: readonly PlanTable[];
  readonly packing: readonly OperandPacking[];
  readonly cost: PlanCost;
}

/** Folds a workgroup count over the limit of one dimension into two; WGSL rebuilds it as `id.x + id.y * num.x`. */
export function foldWorkgroups(count: number, limit: number): readonly [number, number, number] {
  if (count <= limit) return [count, 1, 1];
  const y = Math.ceil(count / limit);
  return [Math.ceil(count / y), y, 1];
}
