/** A message to bytes, by the table in `wire-schema.ts`. https://protobuf.dev/programming-guides/encoding/ */
import type { FileMessages } from './messages.ts';
import { type FieldRule, type MessageName, WIRE_SCHEMA } from './wire-schema.ts';
import { WireWriter } from './wire-writer.ts';

/** A message of which any field may be left out; a 64-bit integer may be a number. */
export type Encodable<T> = T extends bigint
  ? bigint | number
  : T extends Uint8Array
    ? Uint8Array
    : T extends readonly (infer E)[]
      ? readonly Encodable<E>[]
      : T extends object
        ? { readonly [K in keyof T]?: Encodable<T[K]> | undefined }
        : T;

/** Fields that are undefined or null are left out, lists of numbers are packed. */
export function encodeMessage<N extends keyof FileMessages>(
  message: Encodable<FileMessages[N]>,
  name: N,
): Uint8Array {
  return writerOf(message, name).finish();
}

function writerOf(message: object, name: MessageName): WireWriter {
  const writer = new WireWriter();
  for (const [number, rule] of WIRE_SCHEMA[name]) {
    const value = (message as Record<string, unknown>)[rule.name];
    if (value === undefined || value === null) continue;
    if (rule.repeated) writeList(writer, number, rule, value as readonly unknown[]);
    else writeField(writer, number, rule, value);
  }
  return writer;
}

function writeList(writer: WireWriter, number: number, rule: FieldRule, list: readonly unknown[]): void {
  if (rule.wireType === 2) {
    for (const value of list) writeField(writer, number, rule, value);
    return;
  }
  if (list.length === 0) return;
  const packed = new WireWriter();
  for (const value of list) writeScalar(packed, rule, value as number | bigint);
  writer.varint(number * 8 + 2);
  writer.delimited(packed);
}

function writeField(writer: WireWriter, number: number, rule: FieldRule, value: unknown): void {
  writer.varint(number * 8 + rule.wireType);
  if (rule.wireType === 2) writer.delimited(contentOf(rule, value));
  else writeScalar(writer, rule, value as number | bigint);
}

function contentOf({ type }: FieldRule, value: unknown): WireWriter {
  if (type in WIRE_SCHEMA) return writerOf(value as object, type as MessageName);
  const content = new WireWriter();
  content.bytes(typeof value === 'string' ? new TextEncoder().encode(value) : (value as Uint8Array));
  return content;
}

function writeScalar(writer: WireWriter, { type }: FieldRule, value: number | bigint): void {
  if (type === 'float') writer.float(Number(value));
  else if (type === 'double') writer.double(Number(value));
  else writer.varint(value);
}
