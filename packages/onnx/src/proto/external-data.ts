/**
 * Tensors whose bytes lie in files beside the model.
 * https://github.com/onnx/onnx/blob/main/docs/ExternalData.md
 */
import { InvalidModelError } from '@onegpu/core';
import type { GraphProto, ModelProto, TensorProto } from './messages.ts';

export interface ExternalReference {
  /** File name relative to the model's folder, with `/` between folders. */
  readonly location: string;
  readonly offset: number;
  /** Undefined: as many bytes as type and dims ask for. */
  readonly length: number | undefined;
}

/** Bytes of a file beside the model; undefined when there is none. */
export type ExternalFiles = (location: string) => Uint8Array | undefined;

const EXTERNAL = 1;

export function isExternal(tensor: TensorProto): boolean {
  return tensor.dataLocation === EXTERNAL;
}

/** @throws InvalidModelError for a location outside the model's folder and for numbers that are none. */
export function readExternalReference(tensor: TensorProto): ExternalReference {
  const subject = `tensor "${tensor.name}"`;
  const entries = new Map(tensor.externalData.map((entry) => [entry.key, entry.value]));
  const integer = (key: string): number | undefined => {
    const text = entries.get(key);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
    throw new InvalidModelError('external data needs a byte count', {
      subject,
      field: key,
      got: `"${text}"`,
    });
  };
  const location = withoutDot(entries.get('location') ?? '');
  checkLocation(location, subject);
  return { location, offset: integer('offset') ?? 0, length: integer('length') };
}

/** `weights.bin` for `./weights.bin`: the name of a file in one way. */
export function withoutDot(location: string): string {
  return location.replace(/^(\.\/)+/, '');
}

/** Every file the model's tensors refer to, once each, in order of use. */
export function externalLocations(model: ModelProto): readonly string[] {
  const locations = new Set<string>();
  for (const tensor of allTensors(model)) {
    if (isExternal(tensor)) locations.add(readExternalReference(tensor).location);
  }
  return [...locations];
}

/**
 * The bytes a reference points to, a view of the file.
 * @throws InvalidModelError when the file is missing or ends early.
 */
export function externalBytes(
  tensor: TensorProto,
  byteLength: number,
  files: ExternalFiles | undefined,
): Uint8Array {
  const subject = `tensor "${tensor.name}"`;
  const { location, offset, length } = readExternalReference(tensor);
  const file = files?.(location);
  if (file === undefined) {
    throw new InvalidModelError('the external data file is missing', {
      subject,
      field: 'external_data',
      got: `"${location}"`,
      remedy: 'Keep the file beside the model, or pass its bytes as external data.',
    });
  }
  if (length !== undefined && length !== byteLength) {
    const got = `${length} bytes`;
    throw new InvalidModelError('the length of the external data differs from type and dims', {
      subject,
      field: 'external_data.length',
      got,
      expected: `${byteLength}`,
    });
  }
  if (offset + byteLength > file.byteLength) {
    throw new InvalidModelError('the external data file is too short', {
      subject,
      field: 'external_data',
      got: `"${location}" of ${file.byteLength} bytes`,
      expected: `${byteLength} bytes at ${offset}`,
    });
  }
  return file.subarray(offset, offset + byteLength);
}

function checkLocation(location: string, subject: string): void {
  const parts = location.split(/[/\\]/);
  const escapes =
    /^([/\\]|[a-z][a-z0-9+.-]*:)/i.test(location) || location.includes('\0') || parts.includes('..');
  if (!escapes && !['', '.'].includes(parts.at(-1) ?? '')) return;
  throw new InvalidModelError('external data must lie in the folder of the model', {
    subject,
    field: 'external_data.location',
    got: `"${location}"`,
    expected: 'the relative path of a file, without ".."',
  });
}

/** Initializers and the tensors of attributes, of the graph and of functions. */
export function* allTensors(model: ModelProto): Generator<TensorProto> {
  if (model.graph) yield* graphTensors(model.graph);
  for (const entry of model.functions) yield* nodeTensors(entry.node);
}

function* graphTensors(graph: GraphProto): Generator<TensorProto> {
  yield* graph.initializer;
  yield* nodeTensors(graph.node);
}

function* nodeTensors(nodes: GraphProto['node']): Generator<TensorProto> {
  for (const node of nodes) {
    for (const attribute of node.attribute) if (attribute.t) yield attribute.t;
  }
}
