/**
 * Walks a serialised model field by field before it is decoded: every field must be one we know, have the wire type
 * it should have and end inside its message. A truncated file, a file of another kind and a file that uses newer
 * parts of ONNX are told apart from a good one here, so that the decoder behind never guesses.
 * https://protobuf.dev/programming-guides/encoding/
 */
import { InvalidModelError } from '@onegpu/core';
import { ExactReader } from './exact-reader.ts';
import {
  type FieldKind,
  type FieldRule,
  type MessageName,
  type ScalarKind,
  WIRE_SCHEMA,
} from './wire-schema.ts';

/** One step to a message: the field that holds it and, for repeated fields, its index there. */
export interface WireStep {
  readonly name: string;
  readonly index: number;
  readonly repeated: boolean;
}

/** A field that the generated decoder does not know, to be added to the message at `path`. */
export interface NewerField {
  readonly path: readonly WireStep[];
  readonly name: string;
  readonly kind: 'bytes' | 'message';
  readonly bytes: Uint8Array;
}

/** Deepest nesting of messages; subgraphs nest by three levels each. */
const MAX_DEPTH = 60;

const WIRE_TYPES: Readonly<Record<ScalarKind, number>> = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 };

/**
 * Checks the bytes of one message, a model unless said otherwise.
 * @throws InvalidModelError naming the message and the field.
 */
export function checkWire(bytes: Uint8Array, message: MessageName = 'ModelProto'): readonly NewerField[] {
  const walk = new WireWalk(bytes);
  walk.message(message, bytes.byteLength);
  return walk.newer;
}

/** `graph.node[12].attribute[0]`. */
export function formatPath(path: readonly WireStep[]): string {
  const text = path.map((step) => (step.repeated ? `${step.name}[${step.index}]` : step.name)).join('.');
  return text === '' ? 'model' : text;
}

class WireWalk {
  readonly newer: NewerField[] = [];
  readonly #reader: ExactReader;
  readonly #path: WireStep[] = [];

  constructor(bytes: Uint8Array) {
    this.#reader = new ExactReader(bytes);
  }

  message(name: MessageName, end: number): void {
    const counts = new Map<string, number>();
    while (this.#reader.pos < end) {
      const tag = this.#length(end);
      const rule = WIRE_SCHEMA[name].get(tag >>> 3);
      if (rule === undefined) throw this.#unknownField(name, tag >>> 3);
      const index = counts.get(rule.name) ?? 0;
      counts.set(rule.name, index + 1);
      this.#field(rule, tag & 7, index, end);
    }
  }

  #field(rule: FieldRule, wireType: number, index: number, end: number): void {
    const { wireType: expected, packable } = wireFormOf(rule.kind);
    const packed = wireType === 2 && packable;
    if (wireType !== expected && !packed) {
      throw this.#broken('has the wrong wire type', rule.name, String(wireType), String(expected));
    }
    if (wireType !== 2) {
      this.#scalar(rule, wireType, end);
      return;
    }
    const length = this.#length(end);
    const stop = this.#reader.pos + length;
    if (stop > end) throw this.#truncated(rule.name, length, end - this.#reader.pos);
    if (packed) this.#packed(rule, stop);
    else this.#delimited(rule, index, stop);
    this.#reader.pos = stop;
  }

  /** A message is walked, bytes are skipped, newer fields are kept for `decodeModel`. */
  #delimited(rule: FieldRule, index: number, stop: number): void {
    const messageName = rule.kind.replace('*', '');
    const nested = messageName in WIRE_SCHEMA ? (messageName as MessageName) : undefined;
    const bytes = this.#reader.buf.subarray(this.#reader.pos, stop);
    if (rule.newer) {
      const kind = nested === undefined ? 'bytes' : 'message';
      this.newer.push({ path: [...this.#path], name: rule.name, kind, bytes });
    }
    if (nested === undefined) return;
    const repeated = rule.kind.endsWith('*');
    if (!repeated && index > 0) throw this.#broken('appears twice', rule.name, '2', 'at most one');
    if (this.#path.length >= MAX_DEPTH) {
      throw this.#broken(
        'nests too deeply',
        rule.name,
        `more than ${MAX_DEPTH}`,
        `at most ${MAX_DEPTH} levels`,
      );
    }
    this.#path.push({ name: rule.name, index, repeated });
    this.message(nested, stop);
    this.#path.pop();
  }

  #packed(rule: FieldRule, stop: number): void {
    const width = rule.kind === 'fixed32s' ? 4 : rule.kind === 'fixed64s' ? 8 : 1;
    const length = stop - this.#reader.pos;
    const last = this.#reader.buf[stop - 1] ?? 0;
    const whole = width === 1 ? length === 0 || last < 128 : length % width === 0;
    if (!whole) throw this.#broken('ends inside an element', rule.name, `${length} bytes`, 'whole elements');
  }

  #scalar(rule: FieldRule, wireType: number, end: number): void {
    const start = this.#reader.pos;
    const width = wireType === 5 ? 4 : 8;
    if (wireType === 0) this.#guarded(() => this.#reader.varint(), end);
    else this.#reader.pos += width;
    if (this.#reader.pos > end) throw this.#truncated(rule.name, this.#reader.pos - start, end - start);
  }

  /** A varint that fits 32 bits: a tag or a length. */
  #length(end: number): number {
    const value = this.#guarded(() => this.#reader.length(), end);
    if (value > 0xffffffff) {
      throw this.#broken('a length is out of range', '', String(value), 'at most 2^32 - 1');
    }
    return value;
  }

  #guarded<T>(read: () => T, end: number): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof RangeError) throw this.#truncated('', 1, Math.max(0, end - this.#reader.pos));
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
      expected: `${needed} bytes at ${this.#reader.pos}`,
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

interface WireForm {
  readonly wireType: number;
  /** Repeated scalars may stand one behind the other in one field of bytes. */
  readonly packable: boolean;
}

const FORMS = new Map<FieldKind, WireForm>();

function wireFormOf(kind: FieldKind): WireForm {
  const known = FORMS.get(kind);
  if (known !== undefined) return known;
  const packable = /^(varint|fixed32|fixed64)s$/.test(kind);
  const scalar = packable ? kind.slice(0, -1) : kind;
  const form = { wireType: scalar in WIRE_TYPES ? WIRE_TYPES[scalar as ScalarKind] : 2, packable };
  FORMS.set(kind, form);
  return form;
}
