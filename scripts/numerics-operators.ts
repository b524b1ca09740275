/**
 * The table of `npm run numerics -- operators`: the largest scaled error of each family of operators against float64 on
 * the adapter in use, beside its limit. Convolutions are the layers of networks, float32 and float16, at the batches
 * asked for; the other families have a few problems each.
 */
import {
  LAYER_NETWORK_NAMES,
  LAYER_NETWORKS,
  type LayerNetwork,
  layerLabel,
  markdownTable,
} from '@onegpu/bench';
import type { GpuDevice } from '@onegpu/core';
import { integerConvs } from './integer-errors.ts';
import { type FloatType, layerError, takesWinograd } from './operator-errors.ts';
import {
  deformConvs,
  globalPools,
  type Measurement,
  pools,
  products,
  resizes,
  volumeConvs,
  volumeTransposes,
} from './operator-problems.ts';

export interface OperatorChoice {
  readonly networks: readonly LayerNetwork[];
  /** Whether the families that are no layers of a network are measured. */
  readonly others: boolean;
  readonly batches: readonly number[];
  readonly types: readonly FloatType[];
}

interface Row {
  readonly operator: string;
  readonly type: string;
  /** Largest error that is promised; 0 where every bit must agree, absent where it is the tolerance of the tests. */
  readonly promised?: number;
  readonly problems: readonly Measurement[];
}

interface MeasuredRow {
  readonly operator: string;
  readonly type: string;
  readonly problems: number;
  readonly error: number;
  readonly limit: number;
  /** The problem with the largest error. */
  readonly worst: string;
}

type Print = (line: string) => void;

/** One rounding to half of the largest value: half of its last place, and the error of the sum in float32. */
const HALF_LIMIT = 4.9e-4;
const TYPES: readonly FloatType[] = ['float32', 'float16'];
const USAGE = `operators takes networks (${LAYER_NETWORK_NAMES.join(', ')}), others, --batch N, --type float32|float16`;

/**
 * What the words ask for: networks and `others` for the rest, all without one; `--batch` and `--type` may come again.
 * Without `--batch` a software adapter takes one image, hardware one and eight.
 * @throws RangeError for other words
 */
export function operatorChoice(words: readonly string[], software: boolean): OperatorChoice {
  const parts: string[] = [];
  const batches: number[] = [];
  const types: FloatType[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--batch') batches.push(batchOf(words[++at]));
    else if (word === '--type') types.push(typeOf(words[++at]));
    else if (word === 'others' || LAYER_NETWORK_NAMES.some((name) => name === word)) parts.push(word);
    else throw new RangeError(`"${word}" is not known; ${USAGE}`);
  }
  return {
    networks: LAYER_NETWORK_NAMES.filter((name) => parts.length === 0 || parts.includes(name)),
    others: parts.length === 0 || parts.includes('others'),
    batches: batches.length > 0 ? batches : software ? [1] : [1, 8],
    types: types.length > 0 ? types : TYPES,
  };
}

function batchOf(text: string | undefined): number {
  const batch = Number(text);
  if (Number.isInteger(batch) && batch >= 1 && batch <= 64) return batch;
  throw new RangeError(`--batch takes a number from 1 to 64, not "${text ?? ''}"; ${USAGE}`);
}

function typeOf(text: string | undefined): FloatType {
  const type = TYPES.find((known) => known === text);
  if (type !== undefined) return type;
  throw new RangeError(`--type takes float32 or float16, not "${text ?? ''}"; ${USAGE}`);
}

/** Prints each row as it is measured, then the table. @returns whether every error is within its limit */
export async function printOperators(
  device: GpuDevice,
  choice: OperatorChoice,
  print: Print,
): Promise<boolean> {
  const rows = [
    ...choice.types.flatMap((type) => layerRows(device, choice, type)),
    ...(choice.types.includes('float32')
      ? WINOGRADS.flatMap((entry) => winogradRows(device, choice, entry))
      : []),
    ...(choice.others ? choice.types.flatMap((type) => familyRows(device, type)) : []),
    ...(choice.others ? integerRows(device) : []),
  ];
  const measured: MeasuredRow[] = [];
  for (const row of rows) {
    const started = performance.now();
    const found = await measureRow(row);
    measured.push(found);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const { operator, type, error, limit } = found;
    const within = `${figure(error)} of ${figure(limit)}${error <= limit ? '' : ' MISSED'}`;
    print(`${operator.padEnd(36)} ${type.padEnd(8)} ${within.padEnd(18)} ${seconds.padStart(7)} s`);
  }
  const cells = measured.map(({ operator, type, problems, error, limit, worst }) => {
    const held = error <= limit ? '' : ' MISSED';
    return [operator, type, String(problems), figure(error), `${figure(limit)}${held}`, worst];
  });
  const headings = ['operator', 'type', 'problems', 'scaled error', 'limit', 'largest in'];
  print(`\n${markdownTable(headings, cells).join('\n')}`);
  return measured.every(({ error, limit }) => error <= limit);
}

function figure(value: number): string {
  return value === 0 ? '0' : value.toExponential(1);
}

async function measureRow({ operator, type, promised, problems }: Row): Promise<MeasuredRow> {
  let [error, worst] = [0, ''];
  for (const { name, measure } of problems) {
    const found = await measure();
    if (found > error) [error, worst] = [found, name];
  }
  const limit = promised ?? Math.max(...problems.map(({ tolerance }) => tolerance));
  return { operator, type, problems: problems.length, error, limit, worst };
}

/** A row a network and batch, transposed convolutions apart. */
function layerRows(
  device: GpuDevice,
  { networks, batches }: OperatorChoice,
  type: FloatType,
): readonly Row[] {
  const promised = type === 'float16' ? HALF_LIMIT : 1e-6;
  const rows = batches.flatMap((batch) =>
    networks.flatMap((network) =>
      [false, true].map((transposed): Row => {
        const layers = LAYER_NETWORKS[network].filter((layer) => isTransposed(layer) === transposed);
        const problems = layers.map((layer) => ({
          name: layerLabel(network, layer),
          tolerance: promised,
          measure: () => layerError(device, { layer, batch, type }),
        }));
        const operator = `${transposed ? 'ConvTranspose' : 'Conv'}, ${network}, batch ${batch}`;
        return { operator, type, promised, problems };
      }),
    ),
  );
  return rows.filter(({ problems }) => problems.length > 0);
}

/** What may run in place of the sums above, F(4x4) in fast mode alone: rows and limits of their own. */
const WINOGRADS = [
  { title: 'Winograd F(4x4)', algorithm: 'winograd', promised: 1e-5 },
  { title: 'Winograd F(2x2)', algorithm: 'winograd-2x2', promised: 1e-6 },
] as const;

function winogradRows(
  device: GpuDevice,
  { networks, batches }: OperatorChoice,
  { title, algorithm, promised }: (typeof WINOGRADS)[number],
): readonly Row[] {
  const rows = batches.flatMap((batch) =>
    networks.map((network): Row => {
      const problems = LAYER_NETWORKS[network].filter(takesWinograd).map((layer) => ({
        name: layerLabel(network, layer),
        tolerance: promised,
        measure: () => layerError(device, { layer, batch, type: 'float32', algorithm }),
      }));
      return {
        operator: `Conv by ${title}, ${network}, batch ${batch}`,
        type: 'float32',
        promised,
        problems,
      };
    }),
  );
  return rows.filter(({ problems }) => problems.length > 0);
}

function isTransposed(layer: { readonly transposed?: boolean }): boolean {
  return layer.transposed === true;
}

function familyRows(device: GpuDevice, type: FloatType): readonly Row[] {
  const half = type === 'float16';
  // What is promised in float32; without a number, the tolerance of the tests.
  const row = (operator: string, problems: readonly Measurement[], promised?: number): Row => {
    const limit = half && promised !== 0 ? HALF_LIMIT : promised;
    return { operator, type, problems, ...(limit === undefined ? {} : { promised: limit }) };
  };
  return [
    row('Conv, three axes', volumeConvs(device, type), 1e-6),
    row('ConvTranspose, three axes', volumeTransposes(device, type), 1e-6),
    row('DeformConv', deformConvs(device, type)),
    row('Gemm, MatMul', products(device, type)),
    row('MaxPool', pools(device, 'max', type), 0),
    row('AveragePool', pools(device, 'average', type), 2.3e-7),
    row('LpPool', pools(device, 'lp', type)),
    row('GlobalMaxPool', globalPools(device, 'max', type), 0),
    row('GlobalAveragePool', globalPools(device, 'average', type)),
    row('GlobalLpPool', globalPools(device, 'lp', type)),
    row('Resize nearest', resizes(device, 'nearest', type), 0),
    row('Resize linear', resizes(device, 'linear', type), 1.6e-7),
    row('Resize cubic', resizes(device, 'cubic', type)),
  ];
}

function integerRows(device: GpuDevice): readonly Row[] {
  return [{ operator: 'ConvInteger', type: 'u8, i8', promised: 0, problems: integerConvs(device) }];
}
