/** The functions of `map` kernels: what each takes and gives, and its WGSL. */
import { convertWgsl } from './convert.wgsl.ts';
import { type MapElement, wordType } from './element.ts';
import { type IntegerMath, integerMath } from './integer-math.ts';

/**
 * `modulo` has the sign of the divisor, `remainder` that of the dividend; `prelu` is x, or x y where x is negative;
 * `clip` is the smaller of z and the larger of x and y. `power` multiplies as often as y says; where y is negative it
 * is the quotient of one. `and`, `or`, `xor` and `complement` work on bits, `not` on a bool.
 */
export type MapFunction = ArithmeticFunction | Comparison | FloatTest | 'not' | 'where' | 'convert';

export type Comparison = 'equal' | 'less' | 'less-or-equal' | 'greater' | 'greater-or-equal';

/** Of a float: NaN; an infinity of either sign, or of one. */
export type FloatTest = 'is-nan' | 'is-infinite' | 'is-plus-infinity' | 'is-minus-infinity';

type Expression = (math: IntegerMath) => string;

const negative = (math: IntegerMath, x: string): string => math.less(x, math.zero);
const choose = (no: string, yes: string, condition: string): string => `select(${no}, ${yes}, ${condition})`;
const negated = (math: IntegerMath): string => math.subtract(math.zero, 'x');
const raised = (math: IntegerMath): string => choose('x', 'y', math.less('x', 'y'));
const modulo = (math: IntegerMath): string => {
  const rest = math.remainder('x', 'y');
  const differs = `${negative(math, 'rest')} != ${negative(math, 'y')}`;
  const wraps = `!${math.equal('rest', math.zero)} && (${differs})`;
  return `let rest = ${rest}; return ${choose('rest', math.add('rest', 'y'), wraps)}`;
};

const UNARY = {
  neg: negated,
  abs: (math) => choose('x', negated(math), negative(math, 'x')),
  sign: (math) => {
    const upper = choose(math.one, math.zero, math.equal('x', math.zero));
    return choose(upper, math.subtract(math.zero, math.one), negative(math, 'x'));
  },
  relu: (math) => choose('x', math.zero, negative(math, 'x')),
  complement: () => '~x',
} satisfies Record<string, Expression>;

const BINARY = {
  add: (math) => math.add('x', 'y'),
  sub: (math) => math.subtract('x', 'y'),
  mul: (math) => math.multiply('x', 'y'),
  div: (math) => math.divide('x', 'y'),
  remainder: (math) => math.remainder('x', 'y'),
  modulo,
  min: (math) => choose('y', 'x', math.less('x', 'y')),
  max: raised,
  prelu: (math) => choose('x', math.multiply('x', 'y'), negative(math, 'x')),
  power: () => 'power(x, y)',
  and: () => 'x & y',
  or: () => 'x | y',
  xor: () => 'x ^ y',
} satisfies Record<string, Expression>;

const TERNARY = {
  clip: (math) => `let raised = ${raised(math)}; return ${choose('raised', 'z', math.less('z', 'raised'))}`,
} satisfies Record<string, Expression>;

type ArithmeticFunction = keyof typeof UNARY | keyof typeof BINARY | keyof typeof TERNARY;

const ARITHMETIC: Readonly<Record<ArithmeticFunction, Expression>> = { ...UNARY, ...BINARY, ...TERNARY };

export const UNARY_MAP_FUNCTIONS = Object.keys(UNARY) as readonly (keyof typeof UNARY)[];
export const BINARY_MAP_FUNCTIONS = Object.keys(BINARY) as readonly (keyof typeof BINARY)[];
export const COMPARISON_FUNCTIONS: readonly Comparison[] = [
  'equal',
  'less',
  'less-or-equal',
  'greater',
  'greater-or-equal',
];
export const FLOAT_TESTS: readonly FloatTest[] = [
  'is-nan',
  'is-infinite',
  'is-plus-infinity',
  'is-minus-infinity',
];

/** Element classes of the operands and of the result. */
export interface MapSignature {
  readonly operands: readonly MapElement[];
  readonly result: MapElement;
}

/** `element` is that of the numbers a function takes; `to` that of a conversion's result. */
export function mapSignature(name: MapFunction, element: MapElement, to: MapElement = element): MapSignature {
  if (name === 'convert') return { operands: [element], result: to };
  if (name === 'where') return { operands: ['bool', element, element], result: element };
  if (name === 'not' || isFloatTest(name)) return { operands: [element], result: 'bool' };
  if (isComparison(name)) return { operands: [element, element], result: 'bool' };
  const count = name in UNARY ? 1 : name in BINARY ? 2 : 3;
  return { operands: new Array<MapElement>(count).fill(element), result: element };
}

/** WGSL of `fn combine(x, y, z) -> RESULT`, with as many numbers as the function takes. */
export function combineWgsl(name: MapFunction, { operands, result }: MapSignature): string {
  const [element = 'u32'] = operands;
  if (name === 'convert') return convertWgsl(element, result);
  const names = ['x', 'y', 'z'];
  const parameters = operands.map((operand, index) => `${names[index]}: ${wordType(operand)}`).join(', ');
  const [library, body] = bodyOf(name, element);
  const statements = body.includes('return ') ? body : `return ${body}`;
  return `${library}\nfn combine(${parameters}) -> ${wordType(result)} { ${statements}; }`;
}

function bodyOf(name: Exclude<MapFunction, 'convert'>, element: MapElement): readonly [string, string] {
  if (name === 'where') return ['', choose('z', 'y', 'x != 0u')];
  if (name === 'not') return ['', choose('1u', '0u', 'x != 0u')];
  if (isFloatTest(name)) return ['', choose('0u', '1u', FLOAT_TEST_BODIES[name])];
  if (isComparison(name)) {
    const [library, condition] = element === 'f32' ? compareFloats(name) : compareIntegers(name, element);
    return [library, choose('0u', '1u', condition)];
  }
  if (element === 'f32') throw new Error(`${name} of floats is no function of bits`);
  const math = integerMath(element);
  const library = name === 'power' ? math.library + powerWgsl(math, element) : math.library;
  return [library, ARITHMETIC[name](math)];
}

const FLOAT_TEST_BODIES: Readonly<Record<FloatTest, string>> = {
  'is-nan': '(x & 0x7fffffffu) > 0x7f800000u',
  'is-infinite': '(x & 0x7fffffffu) == 0x7f800000u',
  'is-plus-infinity': 'x == 0x7f800000u',
  'is-minus-infinity': 'x == 0xff800000u',
};

function compareIntegers(name: Comparison, element: Exclude<MapElement, 'f32'>): readonly [string, string] {
  const math = integerMath(element);
  const conditions: Readonly<Record<Comparison, string>> = {
    equal: math.equal('x', 'y'),
    less: math.less('x', 'y'),
    'less-or-equal': `!${math.less('y', 'x')}`,
    greater: math.less('y', 'x'),
    'greater-or-equal': `!${math.less('x', 'y')}`,
  };
  return [math.library, conditions[name]];
}

const SIGNS: Readonly<Record<Comparison, string>> = {
  equal: '==',
  less: '<',
  'less-or-equal': '<=',
  greater: '>',
  'greater-or-equal': '>=',
};

/** Bits in the order of the numbers, both zeros alike; a comparison with NaN is false. */
function compareFloats(name: Comparison): readonly [string, string] {
  const library = `
fn rank(bits: u32) -> u32 {
  let size = bits & 0x7fffffffu;
  return select(0x80000000u + size, 0x80000000u - size, bits >= 0x80000000u);
}
fn is_number(bits: u32) -> bool {
  return (bits & 0x7fffffffu) <= 0x7f800000u;
}`;
  return [library, `is_number(x) && is_number(y) && rank(x) ${SIGNS[name]} rank(y)`];
}

/** Squares and multiplies over the exponent's bits; a negative exponent leaves only bases of 1 and -1. */
function powerWgsl(math: IntegerMath, element: Exclude<MapElement, 'f32'>): string {
  const type = wordType(element);
  const pairs = type === 'vec2u';
  const bits = pairs ? 64 : 32;
  const word = pairs ? 'select(y.x, y.y, bit >= 32u)' : 'bitcast<u32>(y)';
  const minusOne = math.subtract(math.zero, math.one);
  const odd = pairs ? '(y.x & 1u) == 1u' : '(bitcast<u32>(y) & 1u) == 1u';
  return `
fn power(x: ${type}, y: ${type}) -> ${type} {
  if (${negative(math, 'y')}) {
    if (${math.equal('x', math.one)}) { return ${math.one}; }
    let alternating = ${choose(math.one, minusOne, odd)};
    return ${choose(math.zero, 'alternating', math.equal('x', minusOne))};
  }
  var product = ${math.one};
  var square = x;
  for (var bit = 0u; bit < ${bits}u; bit++) {
    let taken = ((${word} >> (bit & 31u)) & 1u) == 1u;
    product = select(product, ${math.multiply('product', 'square')}, taken);
    square = ${math.multiply('square', 'square')};
  }
  return product;
}`;
}

function isComparison(name: string): name is Comparison {
  return name in SIGNS;
}

function isFloatTest(name: string): name is FloatTest {
  return name in FLOAT_TEST_BODIES;
}
