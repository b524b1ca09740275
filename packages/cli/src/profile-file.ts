/** Profiles on disk: the report and the model it is of, checked on reading against the schema of `@onegpu/onnx`. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { InvalidInputError } from '@onegpu/core';
import { PROFILE_SCHEMA, type ProfileReport } from '@onegpu/onnx';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

export interface SavedProfile extends ProfileReport {
  /** The file as the command was given it; absent where a program wrote the profile. */
  readonly model?: string;
}

let compiled: ValidateFunction<SavedProfile> | undefined;

/**
 * A profile as `onegpu profile --save FILE` or `--json` writes it.
 * @throws InvalidInputError for a file that is no JSON or no profile; the file system's error where it cannot be read
 */
export async function readProfile(file: string): Promise<SavedProfile> {
  return checkProfile(parseJson(await readFile(file, 'utf8'), file), file);
}

/** @throws InvalidInputError naming `source` and the first field that is wrong */
export function checkProfile(value: unknown, source: string): SavedProfile {
  const schema = (value as { schema?: unknown } | null)?.schema;
  if (schema !== PROFILE_SCHEMA) {
    throw new InvalidInputError('this is no profile that this version reads', {
      subject: source,
      field: 'schema',
      got: JSON.stringify(schema) ?? 'none',
      expected: `"${PROFILE_SCHEMA}"`,
      remedy: 'Write one with: onegpu profile MODEL --save FILE',
    });
  }
  const validate = schemaCheck();
  if (validate(value)) return value;
  throw new InvalidInputError('the profile does not keep to its schema', {
    subject: source,
    ...firstFault(validate.errors ?? []),
  });
}

function schemaCheck(): ValidateFunction<SavedProfile> {
  compiled ??= new Ajv().compile<SavedProfile>(
    createRequire(import.meta.url)('@onegpu/onnx/profile.schema.json'),
  );
  return compiled;
}

/** `/rows/3/medianMs` becomes `rows.3.medianMs`. */
function firstFault([error]: readonly ErrorObject[]): { field?: string; expected?: string } {
  if (error === undefined) return {};
  const field = error.instancePath.slice(1).replaceAll('/', '.');
  const extra = (error.params as { additionalProperty?: string }).additionalProperty;
  const expected = `${error.message ?? error.keyword}${extra === undefined ? '' : `, has "${extra}"`}`;
  return field === '' ? { expected } : { field, expected };
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The parser's message quotes the text, which may be anything.
    const got = text.trim() === '' ? 'an empty file' : `${text.length} characters`;
    throw new InvalidInputError('this file is no JSON', { subject: file, got }, { cause });
  }
}
