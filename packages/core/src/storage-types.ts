/**
 * Element types narrower than a word, put below a finished plan: kernels are written over `f32`, `vec4f`, `u32` and
 * `vec4u` arrays, and this pass says how the elements of an operand really lie in memory.
 *
 *   float16 under f32, vec4f   `array<f16>` where the adapter has shader-f16, else two a word; sums stay float32 and
 *                              a store rounds once, to the nearest, ties to even
 *   float16 under u32, vec4u   the sixteen bits, zero-extended: kernels that move patterns; where the binding says
 *                              `bits: 'float32'`, the bits of the number as float32
 *   integers of 8 and 16 bits  `integer-storage.ts`
 *   any, bound `bits: 'raw'`   the words as they lie: the kernel takes them apart itself
 *
 * A scalar narrower than a word is written by two atomic operations on its own bits, since neighbours share the word;
 * a vec4 is written as whole words.
 */
import type { GpuCapabilities } from './capabilities.ts';
import type { DispatchPass, DispatchPlan, PlanCost } from './dispatch-plan.ts';
import { elementBytes, type GpuElementType } from './dtype.ts';
import { integerStorage } from './integer-storage.ts';
import { PACKED_16_VECTOR, type Storage, writePart } from './narrow-storage.ts';
import { rewriteAccesses, type StorageDeclaration, storageDeclarations } from './wgsl-accesses.ts';

/** Types of the operands that are no whole words; others keep the element their kernel declares. */
export type NarrowTypes = Readonly<Record<string, GpuElementType>>;

/** The same plan over operands of these types. Operands it does not bind are ignored. */
export function storeNarrow(plan: DispatchPlan, types: NarrowTypes, target: GpuCapabilities): DispatchPlan {
  const narrow = Object.entries(types).filter(([, type]) => isNarrow(type));
  if (narrow.length === 0) return plan;
  const byOperand = new Map(narrow);
  return {
    ...plan,
    label: narrowLabel(plan.label, types),
    cost: narrowCost(plan.cost, types),
    passes: plan.passes.map((pass) => narrowPass(pass, byOperand, target)),
  };
}

export function isNarrow(type: GpuElementType): boolean {
  return elementBytes(type) < 4;
}

/** Kernels count four bytes an element: half of that must move where all operands are float16. */
function narrowCost(cost: PlanCost, types: NarrowTypes): PlanCost {
  const halves = Object.values(types).every((type) => type === 'float16');
  return halves ? { ...cost, bytes: cost.bytes / 2 } : cost;
}

/** Labels say the type: `conv/direct/f32/relu` over float16 is `conv/direct/f16/relu`. */
function narrowLabel(label: string, types: NarrowTypes): string {
  return Object.values(types).includes('float16') ? label.replace('/f32', '/f16') : label;
}

function narrowPass(
  pass: DispatchPass,
  types: ReadonlyMap<string, GpuElementType>,
  target: GpuCapabilities,
): DispatchPass {
  const declarations = storageDeclarations(pass.wgsl);
  let { wgsl } = pass;
  const functions = new Set<string>();
  pass.bindings.forEach(({ operand, bits }, binding) => {
    const type = types.get(operand);
    const declaration = declarations.find((entry) => entry.binding === binding);
    if (type === undefined || bits === 'raw') return;
    if (declaration === undefined) throw new Error(`${pass.label}: no array is declared for "${operand}"`);
    const storage = storageOf(declaration, { type, bits }, target);
    wgsl = rewriteAccesses(wgsl, declaration.name, {
      read: (index) => `read_${declaration.name}(${index})`,
      write: (index, value) => `write_${declaration.name}(${index}, ${value});`,
    });
    wgsl = wgsl.replace(declaration.text, accessors(declaration, storage));
    for (const text of storage.functions) functions.add(text);
  });
  const enable = target.float16 && wgsl.includes('f16>') ? 'enable f16;\n' : '';
  return {
    ...pass,
    label: narrowLabel(pass.label, Object.fromEntries(types)),
    wgsl: enable + wgsl + [...functions].join('\n'),
  };
}

function accessors({ binding, access, name, element }: StorageDeclaration, storage: Storage): string {
  const atomic = access === 'read_write' && storage.atomic;
  const stored = atomic ? `atomic<${storage.element}>` : storage.element;
  const fill = (text: string): string => text.replaceAll('ARRAY', name);
  const read = atomic
    ? fill(storage.read).replace(/\b(\w+)\[([^\]]+)\]/, 'atomicLoad(&$1[$2])')
    : fill(storage.read);
  const write =
    access === 'read' ? '' : `\nfn write_${name}(index: u32, value: ${element}) { ${fill(storage.write)} }`;
  return `@group(0) @binding(${binding}) var<storage, ${access}> ${name}: array<${stored}>;
fn read_${name}(index: u32) -> ${element} { ${read} }${write}`;
}

function storageOf(
  { element, name }: StorageDeclaration,
  { type, bits }: { readonly type: GpuElementType; readonly bits: 'float32' | undefined },
  target: GpuCapabilities,
): Storage {
  const words = element === 'u32' || element === 'vec4u';
  const numbers = words && bits === 'float32' ? (element === 'u32' ? 'f32' : 'vec4f') : element;
  const halves = target.float16 ? NATIVE_HALF : PACKED_16;
  const storage = type === 'float16' ? halves[numbers] : integerStorage(type, element);
  if (storage === undefined) throw new Error(`"${name}", an array of ${element}, cannot hold ${type}`);
  if (numbers === element) return storage;
  return {
    ...storage,
    read: storage.read.replace(/return (.*);$/, `return bitcast<${element}>($1);`),
    write: storage.write.replaceAll('value', `bitcast<${numbers}>(value)`),
  };
}

/** To the nearest half, ties to even; overflow is infinite, NaN stays one. */
const TO_HALF = `
fn half_bits(value: f32) -> u32 {
  let bits = bitcast<u32>(value);
  let size = bits & 0x7fffffffu;
  let normal = min((size + 0xfffu + ((size >> 13u) & 1u)) >> 13u, 0x23c00u) - 0x1c000u;
  let subnormal = u32(round(min(abs(value), 1.0) * 16777216.0));
  let finite = select(subnormal, normal, size >= 0x38800000u);
  return select(finite, 0x7e00u, size > 0x7f800000u) | ((bits >> 16u) & 0x8000u);
}`;
const HALF_WORDS = `
fn half_words(value: vec4f) -> vec2u {
  return vec2u(
    half_bits(value.x) | (half_bits(value.y) << 16u),
    half_bits(value.z) | (half_bits(value.w) << 16u),
  );
}`;

const NATIVE_HALF: Readonly<Record<string, Storage>> = {
  f32: {
    element: 'f16',
    read: 'return f32(ARRAY[index]);',
    write: 'ARRAY[index] = f16(value);',
    atomic: false,
    functions: [],
  },
  vec4f: {
    element: 'vec4<f16>',
    read: 'return vec4f(ARRAY[index]);',
    write: 'ARRAY[index] = vec4<f16>(value);',
    atomic: false,
    functions: [],
  },
  u32: {
    element: 'f16',
    read: 'return bitcast<u32>(vec2<f16>(ARRAY[index], 0.0h));',
    write: 'ARRAY[index] = bitcast<vec2<f16>>(value).x;',
    atomic: false,
    functions: [],
  },
  vec4u: PACKED_16_VECTOR,
};

const PACKED_16: Readonly<Record<string, Storage>> = {
  f32: {
    element: 'u32',
    read: 'let pair = unpack2x16float(ARRAY[index / 2u]); return select(pair.x, pair.y, index % 2u == 1u);',
    write: writePart(2, 'half_bits(value)'),
    atomic: true,
    functions: [TO_HALF],
  },
  vec4f: {
    element: 'vec2u',
    read: 'let words = ARRAY[index]; return vec4f(unpack2x16float(words.x), unpack2x16float(words.y));',
    write: 'ARRAY[index] = half_words(value);',
    atomic: false,
    functions: [TO_HALF, HALF_WORDS],
  },
  u32: {
    element: 'u32',
    read: 'return (ARRAY[index / 2u] >> ((index % 2u) * 16u)) & 0xffffu;',
    write: writePart(2, 'value & 0xffffu'),
    atomic: true,
    functions: [],
  },
  vec4u: PACKED_16_VECTOR,
};
