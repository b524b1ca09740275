/**
 * A node past its bound as a case of one operator in the format of ONNX's own tests: `model.onnx`, inputs and expected
 * outputs as TensorProto files; and beside them what that format has no place for, the bounds and how it was run.
 * https://github.com/onnx/onnx/blob/main/docs/OnnxBackendTest.md
 */
import type { Layout, NumericMode } from '@onegpu/kernels';
import type { ReferenceOutput } from '../op-definition.ts';
import { encodeTensor } from '../proto/encode-tensor.ts';
import { Tensor } from '../tensor.ts';
import { halfTensor } from './half-reference.ts';
import type { OneNodeModel } from './one-node.ts';
import type { VerifiedNode } from './verify-report.ts';

/** Name of the file that holds `CaseFacts`. */
export const CASE_FILE = 'onegpu-case.json';

export interface CaseBound {
  readonly bound: number;
  readonly scale: number;
  /** What `onegpu verify` found; `Infinity` as a text. */
  readonly error: number | string;
}

export interface CaseFacts {
  readonly schema: 'onegpu-case/1';
  readonly node: string;
  readonly operator: string;
  readonly adapter: string;
  readonly mode: NumericMode;
  /** Layout that the node was given its inputs in. */
  readonly layout: Layout;
  readonly kernels: readonly string[];
  /** By name of the output: max|y - r| may be bound * scale; a bound of 0 means bit for bit. */
  readonly outputs: Readonly<Record<string, CaseBound>>;
}

export interface VerifyCase {
  readonly node: string;
  /** Contents of every file of the folder by its path, with `/` between its parts. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export function makeVerifyCase(
  alone: OneNodeModel,
  references: readonly ReferenceOutput[],
  row: VerifiedNode,
  run: { readonly adapter: string; readonly mode: NumericMode },
): VerifyCase {
  const facts: CaseFacts = {
    schema: 'onegpu-case/1',
    node: row.name,
    operator: row.operator,
    ...run,
    layout: row.layout,
    kernels: row.kernels,
    outputs: Object.fromEntries(
      row.outputs.map(({ name, bound, scale, error }) => [
        name,
        { bound, scale, error: Number.isFinite(error) ? error : String(error) },
      ]),
    ),
  };
  const files = new Map<string, Uint8Array>([
    ['model.onnx', alone.model],
    [CASE_FILE, new TextEncoder().encode(`${JSON.stringify(facts, undefined, 2)}\n`)],
  ]);
  Object.entries(alone.feeds).forEach(([name, tensor], index) => {
    files.set(`test_data_set_0/input_${index}.pb`, encodeTensor(name, tensor));
  });
  row.outputs.forEach(({ name }, index) => {
    const reference = references[index];
    if (reference === undefined) return;
    files.set(`test_data_set_0/output_${index}.pb`, encodeTensor(name, roundedReference(reference)));
  });
  return { node: row.name, files };
}

/** The reference as the type that the operator gives. */
export function roundedReference(reference: ReferenceOutput): Tensor {
  if (reference.kind === 'exact') return reference.tensor;
  if (reference.sum.half === true) return halfTensor(reference.values, reference.dims);
  return new Tensor('float32', new Float32Array(reference.values), reference.dims);
}
