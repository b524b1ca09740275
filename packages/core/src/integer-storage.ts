/**
 * Integers of 8 and 16 bits under the arrays of a kernel:
 *
 *   u32, vec4u   the bits, zero-extended: unsigned numbers, bools, and kernels that move patterns
 *   i32, vec4i   the number: sign-extended where the type is signed
 *   f32, vec4f   the number; a store rounds to the nearest, ties to even, and saturates
 *
 * A store of an integer keeps its low bits, so sums and products wrap as the type does.
 */
import type { GpuElementType } from './dtype.ts';
import { PACKED_16_VECTOR, type Storage, writePart } from './narrow-storage.ts';

/** Storage of a type of 8 or 16 bits under arrays of `element`; undefined for elements it cannot stand under. */
export function integerStorage(type: GpuElementType, element: string): Storage | undefined {
  const width = type.endsWith('16') ? 16 : 8;
  const signed = !type.startsWith('u');
  const bits = element.startsWith('vec4') ? vectorBits(width) : scalarBits(width);
  const kind = element.replace(/^vec4/, '').replace('32', '');
  if (element === 'u32' || element === 'vec4u') return bits;
  if (element === 'i32' || element === 'vec4i' || element === 'f32' || element === 'vec4f') {
    return kind === 'f'
      ? asFloats(bits, element, { width, signed })
      : asIntegers(bits, element, { width, signed });
  }
  return undefined;
}

interface Format {
  readonly width: 8 | 16;
  readonly signed: boolean;
}

function scalarBits(width: 8 | 16): Storage {
  const parts = width === 16 ? 2 : 4;
  const mask = width === 16 ? '0xffffu' : '0xffu';
  return {
    element: 'u32',
    read: `return (ARRAY[index / ${parts}u] >> ((index % ${parts}u) * ${width}u)) & ${mask};`,
    write: writePart(parts, `value & ${mask}`),
    atomic: true,
    functions: [],
  };
}

function vectorBits(width: 8 | 16): Storage {
  if (width === 16) {
    const write = PACKED_16_VECTOR.write.replace(/value\.([xz])/g, '(value.$1 & 0xffffu)');
    return { ...PACKED_16_VECTOR, write };
  }
  return {
    element: 'u32',
    read: 'return (vec4u(ARRAY[index]) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(0xffu);',
    write:
      'let part = (value & vec4u(0xffu)) << vec4u(0u, 8u, 16u, 24u); ARRAY[index] = part.x | part.y | part.z | part.w;',
    atomic: false,
    functions: [],
  };
}

/** The bits as signed words of the kernel. */
function asIntegers(bits: Storage, element: string, format: Format): Storage {
  const unsigned = element === 'i32' ? 'u32' : 'vec4u';
  return {
    ...bits,
    read: rewriteReturn(bits.read, (value) => `${extended(value, element, format)}`),
    write: bits.write.replaceAll('value', `bitcast<${unsigned}>(value)`),
  };
}

function asFloats(bits: Storage, element: string, format: Format): Storage {
  const [integer, unsigned] = element === 'f32' ? ['i32', 'u32'] : ['vec4i', 'vec4u'];
  const { width, signed } = format;
  const [low, high] = signed ? [-(2 ** (width - 1)), 2 ** (width - 1) - 1] : [0, 2 ** width - 1];
  const rounded = `clamp(round(value), ${element}(${low}.0), ${element}(${high}.0))`;
  return {
    ...bits,
    read: rewriteReturn(bits.read, (value) => `${element}(${extended(value, integer, format)})`),
    write: bits.write.replaceAll('value', `bitcast<${unsigned}>(${integer}(${rounded}))`),
  };
}

function extended(value: string, integer: string, { width, signed }: Format): string {
  const number = `bitcast<${integer}>(${value})`;
  return signed ? `extractBits(${number}, 0u, ${width}u)` : number;
}

function rewriteReturn(statements: string, rewrite: (value: string) => string): string {
  return statements.replace(/return (.*);$/, (_, value: string) => `return ${rewrite(value)};`);
}
