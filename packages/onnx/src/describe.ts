/** Values of callers without types, in messages. */
import { InvalidInputError } from '@onegpu/core';

/** A text in quotes, numbers and records as they are written; also of what JSON has no form for. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return JSON.stringify(value, (_, entry) => (hasNoJson(entry) ? String(entry) : entry)) ?? kindOf(value);
  } catch {
    return kindOf(value); // A circle.
  }
}

function hasNoJson(value: unknown): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value));
}

/** `ImageBitmap`; also of an object of another page. */
export function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** @throws InvalidInputError for options that are no object, and for a name that is not among `known` */
export function checkOptions(subject: string, options: unknown, known?: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    const got = describe(options);
    throw new InvalidInputError('the options are no object', { subject, field: 'options', got });
  }
  const unknown = known && Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const expected = known?.join(', ') ?? '';
  throw new InvalidInputError('there is no such option', { subject, field: unknown, expected });
}
