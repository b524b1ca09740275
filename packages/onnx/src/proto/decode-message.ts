/**
 * Bytes to a message, by the table in `wire-schema.ts`. Every field must be one we know, have the wire type it should
 * have and end inside its message: a truncated file, a file of another kind and a file that uses newer parts of ONNX
 * are told apart from a good one here, and nothing is guessed. https://protobuf.dev/programming-guides/encoding/
 */
import { InvalidModelError } from '@onegpu/core';
import type { FileMessages } from './messages.ts';
import { WireReader } from './wire-reader.ts';
import { type FieldRule, type MessageName, type ScalarType, WIRE_SCHEMA } from './wire-schema.ts';

/** One step to a message: the field that holds it and, for repeated fields, its index there. */
interface WireStep {
  readonly rule: FieldRule;
  readonly index: number;
}

/** Fields that a file gives are the object's own; the others have protobuf's defaults on its prototype. */
type Message = Record<string, unknown>;

/** Deepest nesting of messages; subgraphs nest by three levels each. */
const MAX_DEPTH = 60;

/** Bytes of an element by wire type; a varint says itself where it ends. */
const WIDTHS: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

const DEFAULTS: Readonly<Record<ScalarType, unknown>> = {
  int32: 0,
  int64: 0n,
  uint64: 0n,
  float: 0,
  double: 0,
  string: '',
  bytes: new Uint8Array(),
};
const NONE: readonly unknown[] = Object.freeze([]);

const PROTOTYPES = new Map<MessageName, Message>();

/**
 * Decodes the bytes of one message. `bytes` fields are views of them.
 * @throws InvalidModelError naming the message and the field.
 */
export function decodeMessage<N extends keyof FileMessages>(bytes: Uint8Array, name: N): FileMessages[N] {
  return new MessageDecoder(bytes).message(name, bytes.byteLength) as unknown as FileMessages[N];
}

class MessageDecoder {
  readonly #reader: WireReader;
  readonly #path: WireStep[] = [];

  constructor(bytes: Uint8Array) {
    this.#reader = new WireReader(bytes);
  }

  message(name: MessageName, end: number): Message {
    const message = Object.create(prototypeOf(name)) as Message;
    while (this.#reader.position < end) {
      const tag = this.#length(end);
      const rule = WIRE_SCHEMA[name].get(tag >>> 3);
      if (rule === undefined) throw this.#unknownField(name, tag >>> 3);
      this.#field(message, rule, tag & 7, end);
    }
    return message;
  }

  #field(message: Message, rule: FieldRule, wireType: number, end: number): void {
    const packed = wireType === 2 && rule.wireType !== 2 && rule.repeated;
    if (wireType !== rule.wireType && !packed) {
      throw this.#broken('has the wrong wire type', rule.name, String(wireType), String(rule.wireType));
    }
    if (rule.oneof !== undefined) message[rule.oneof] = rule.name;
    if (packed) this.#packed(listOf(message, rule), rule, this.#stop(rule, end));
    else if (rule.repeated) {
      const list = listOf(message, rule);
      list.push(this.#value(rule, list.length, end));
    } else {
      if (isMessage(rule) && Object.hasOwn(message, rule.name)) {
        throw this.#broken('appears twice', rule.name, '2', 'at most one');
      }
      message[rule.name] = this.#value(rule, 0, end);
    }
  }

  #value(rule: FieldRule, index: number, end: number): unknown {
    if (rule.wireType !== 2) return this.#scalar(rule, end);
    const stop = this.#stop(rule, end);
    if (rule.type === 'string') return this.#reader.text(stop);
    return isMessage(rule) ? this.#nested(rule, index, stop) : this.#reader.slice(stop);
  }

  #nested(rule: FieldRule, index: number, stop: number): Message {
    if (this.#path.length >= MAX_DEPTH) {
      const [got, expected] = [`more than ${MAX_DEPTH}`, `at most ${MAX_DEPTH} levels`];
      throw this.#broken('nests too deeply', rule.name, got, expected);
    }
    this.#path.push({ rule, index });
    const message = this.message(rule.type as MessageName, stop);
    this.#path.pop();
    return message;
  }

  /** Scalars of one field, one behind the other. */
  #packed(list: unknown[], rule: FieldRule, stop: number): void {
    const length = stop - this.#reader.position;
    const last = this.#reader.bytes[stop - 1] ?? 0;
    const width = WIDTHS[rule.wireType];
    const whole = width === undefined ? length === 0 || last < 128 : length % width === 0;
    if (!whole) throw this.#broken('ends inside an element', rule.name, `${length} bytes`, 'whole elements');
    const read = this.#readerOf(rule.type);
    const all = (): void => {
      while (this.#reader.position < stop) list.push(read());
    };
    this.#guarded(all, rule.name, stop);
  }

  #scalar(rule: FieldRule, end: number): unknown {
    const start = this.#reader.position;
    const value = this.#guarded(this.#readerOf(rule.type), rule.name, end);
    const { position } = this.#reader;
    if (position > end) throw this.#truncated(rule.name, position - start, end - start);
    return value;
  }

  #readerOf(type: FieldRule['type']): () => unknown {
    const reader = this.#reader;
    switch (type) {
      case 'int32':
        return () => reader.int32();
      case 'int64':
        return () => reader.int64();
      case 'uint64':
        return () => reader.uint64();
      case 'float':
        return () => reader.float();
      default:
        return () => reader.double();
    }
  }

  /** Where the bytes behind the length at the reader's position end. */
  #stop(rule: FieldRule, end: number): number {
    const length = this.#length(end);
    const { position } = this.#reader;
    if (position + length > end) throw this.#truncated(rule.name, length, end - position);
    return position + length;
  }

  /** A varint that fits 32 bits: a tag or a length. */
  #length(end: number): number {
    const value = this.#guarded(() => this.#reader.length(), '', end);
    if (value > 0xffffffff) {
      throw this.#broken('a length is out of range', '', String(value), 'at most 2^32 - 1');
    }
    return value;
  }

  #guarded<T>(read: () => T, field: string, end: number): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof RangeError) {
        throw this.#truncated(field, 1, Math.max(0, end - this.#reader.position));
      }
      throw error;
    }
  }

  #unknownField(name: MessageName, field: number): InvalidModelError {
    if (name === 'ModelProto') {
      return new InvalidModelError('this is not an ONNX model', {
        subject: 'model',
        got: `field ${field} in the outermost message`,
      });
    }
    return new InvalidModelError('the file carries a field this version does not know', {
      subject: `${formatPath(this.#path)} (${name})`,
      field: `field ${field}`,
      remedy: 'Ignoring it could change the result; export the model for an older IR version.',
    });
  }

  #truncated(field: string, needed: number, left: number): InvalidModelError {
    return new InvalidModelError('the model is truncated or not an ONNX file', {
      subject: formatPath(this.#path),
      field,
      got: `${left} bytes left`,
      expected: `${needed} bytes at ${this.#reader.position}`,
    });
  }

  #broken(summary: string, field: string, got: string, expected: string): InvalidModelError {
    const subject = formatPath(this.#path);
    return new InvalidModelError(`${summary}; the file is damaged or not an ONNX model`, {
      subject,
      field,
      got,
      expected,
    });
  }
}

/** `graph.node[12].attribute[0]`. */
function formatPath(path: readonly WireStep[]): string {
  const steps = path.map(({ rule, index }) => (rule.repeated ? `${rule.name}[${index}]` : rule.name));
  return steps.join('.') || 'model';
}

function isMessage({ type }: FieldRule): boolean {
  return type in WIRE_SCHEMA;
}

/** The list that a repeated field fills. */
function listOf(message: Message, { name }: FieldRule): unknown[] {
  if (!Object.hasOwn(message, name)) message[name] = [];
  return message[name] as unknown[];
}

/** Protobuf's defaults: messages and fields of which one may be there are null. */
function prototypeOf(name: MessageName): Message {
  let prototype = PROTOTYPES.get(name);
  if (prototype === undefined) {
    prototype = Object.fromEntries(
      [...WIRE_SCHEMA[name].values()].map((rule) => [rule.name, defaultOf(rule)]),
    );
    PROTOTYPES.set(name, prototype);
  }
  return prototype;
}

function defaultOf({ type, repeated, oneof }: FieldRule): unknown {
  if (repeated) return NONE;
  return oneof === undefined && type in DEFAULTS ? DEFAULTS[type as ScalarType] : null;
}
