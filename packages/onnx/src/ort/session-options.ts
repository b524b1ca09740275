/** onnxruntime's SessionOptions as this runtime's own. */
import { InvalidInputError } from '@onegpu/core';
import type { ExternalDataFileType, InferenceSession as Ort } from 'onnxruntime-common';
import { openModelSource } from '#model-source';
import { asBytes } from '../model-source.ts';
import type { SessionOptions } from '../session-options.ts';
import type { TensorLocation } from '../tensor.ts';
import { applyRules, HONOURED, type OptionRule, oneOf, refused, warned } from './option-rules.ts';

const NO_THREADS = 'no operator runs on a thread of the CPU';
const NO_PROFILE = "Use `profile` of @onegpu/onnx's own session.";

export const SESSION_RULES = {
  executionProviders: HONOURED,
  externalData: HONOURED,
  freeDimensionOverrides: HONOURED,
  graphOptimizationLevel: HONOURED,
  logSeverityLevel: HONOURED,
  intraOpNumThreads: warned(NO_THREADS, 0),
  interOpNumThreads: warned(NO_THREADS, 0),
  executionMode: warned('commands run in the order of the queue', 'sequential'),
  enableCpuMemArena: warned('tensors lie in arenas of the GPU', true),
  enableMemPattern: warned('memory is planned once for each shape', true),
  enableGraphCapture: warned('commands are encoded ahead anyway', false),
  logId: warned('no log is kept', ''),
  logVerbosityLevel: warned('no log is kept', 0),
  profileFilePrefix: warned('no profile is written', ''),
  enableProfiling: refused(NO_PROFILE, false),
  optimizedModelFilePath: refused('No model is written; leave it out.', ''),
  preferredOutputLocation: HONOURED,
  extra: refused('Leave it out: these are settings of onnxruntime itself.'),
} as const satisfies Record<keyof Ort.SessionOptions, OptionRule>;

const SUBJECT = 'SessionOptions';

const FUSIONS = {
  disabled: false,
  basic: 'portable',
  extended: true,
  layout: true,
  all: true,
} as const;

/** @throws InvalidInputError for what is refused, InvalidModelError for external data that cannot be read */
export async function sessionOptions(
  options: Ort.SessionOptions,
  warnings: string[],
): Promise<Pick<SessionOptions, 'fusions' | 'externalData' | 'preferredOutputLocation'>> {
  applyRules(options, { subject: SUBJECT, rules: SESSION_RULES }, warnings);
  const { graphOptimizationLevel, externalData, preferredOutputLocation } = options;
  return {
    ...(preferredOutputLocation === undefined
      ? {}
      : { preferredOutputLocation: locationsOf(preferredOutputLocation) }),
    ...(graphOptimizationLevel === undefined ? {} : { fusions: fusionsOf(graphOptimizationLevel) }),
    ...(externalData === undefined ? {} : { externalData: await readExternalData(externalData) }),
  };
}

/** The session refuses others than cpu and gpu-buffer. */
function locationsOf(
  wanted: NonNullable<Ort.SessionOptions['preferredOutputLocation']>,
): NonNullable<SessionOptions['preferredOutputLocation']> {
  const ours = (location: unknown): TensorLocation =>
    (location === 'cpu-pinned' ? 'cpu' : location) as TensorLocation;
  if (typeof wanted !== 'object' || wanted === null) return ours(wanted);
  return Object.fromEntries(Object.entries(wanted).map(([name, location]) => [name, ours(location)]));
}

function fusionsOf(level: unknown): boolean | 'portable' {
  const field = 'graphOptimizationLevel';
  const known = Object.keys(FUSIONS) as (keyof typeof FUSIONS)[];
  return FUSIONS[oneOf(level, known, { subject: SUBJECT, field })];
}

/** By the name that the model uses. A text is both that name and where the file is. */
async function readExternalData(
  files: readonly ExternalDataFileType[],
): Promise<Readonly<Record<string, Uint8Array>>> {
  if (!Array.isArray(files)) throw wrongData('externalData', files, 'a list');
  const read = files.map(async (file: ExternalDataFileType, index) => {
    const { path, data } = typeof file === 'string' ? { path: file, data: file } : (file ?? {});
    if (typeof path !== 'string') throw wrongData(`externalData[${index}].path`, path, 'a text');
    return [path, await readData(data, `externalData[${index}].data`)] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

async function readData(data: unknown, field: string): Promise<Uint8Array> {
  if (typeof data === 'string' || data instanceof URL) return openModelSource(data).read();
  if (typeof Blob !== 'undefined' && data instanceof Blob) return new Uint8Array(await data.arrayBuffer());
  return asBytes(data, { subject: SUBJECT, field, expected: 'bytes, a Blob, a path or an address' });
}

function wrongData(field: string, got: unknown, expected: string): InvalidInputError {
  return new InvalidInputError('the data files are not described', {
    subject: SUBJECT,
    field,
    got: got === null ? 'null' : typeof got,
    expected,
  });
}
