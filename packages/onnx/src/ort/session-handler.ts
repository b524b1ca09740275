/** What stands behind a session of onnxruntime-common: one of this runtime's, with tensors translated. */
import { InvalidInputError } from '@onegpu/core';
import type {
  InferenceSessionHandler,
  InferenceSession as Ort,
  SessionHandler as Values,
} from 'onnxruntime-common';
import type { GraphValue } from '../graph.ts';
import { UNNAMED_DIMENSION } from '../import-values.ts';
import type { InferenceSession } from '../session.ts';
import { fromOrtTensor, toOrtTensor } from './convert-tensors.ts';
import { checkOverrides, type Overrides, overriddenDims } from './free-dimensions.ts';
import { applyRules, HONOURED, type OptionRule, refused, warnAbout, warned } from './option-rules.ts';

export const RUN_RULES = {
  logSeverityLevel: HONOURED,
  logVerbosityLevel: warned('no log is kept', 0),
  tag: warned('no log is kept', ''),
  terminate: refused('A run in flight cannot be ended; leave it out.', false),
  extra: refused('Leave it out: these are settings of onnxruntime itself.'),
} as const satisfies Record<keyof Ort.RunOptions, OptionRule>;

export interface HandlerParts {
  readonly session: InferenceSession;
  readonly overrides: Overrides;
  /** Called when the session was released. */
  readonly ended: () => Promise<void> | undefined;
}

export class SessionHandler implements InferenceSessionHandler {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly inputMetadata: readonly Ort.ValueMetadata[];
  readonly outputMetadata: readonly Ort.ValueMetadata[];
  readonly #parts: HandlerParts;
  readonly #warned = new Set<string>();

  constructor(parts: HandlerParts) {
    const { session, overrides } = parts;
    this.#parts = parts;
    this.inputNames = session.inputNames;
    this.outputNames = session.outputNames;
    this.inputMetadata = session.inputs.map((value) => metadata(value, overrides));
    this.outputMetadata = session.outputs.map((value) => metadata(value, overrides));
  }

  /** @throws what a run of @onegpu/onnx throws; InvalidInputError for tensors and options that are refused */
  async run(
    feeds: Values.FeedsType,
    fetches: Values.FetchesType,
    options: Ort.RunOptions,
  ): Promise<Values.ReturnType> {
    this.#checkOptions(options);
    const { session, overrides } = this.#parts;
    const inputs = Object.fromEntries(
      Object.entries(feeds).map(([name, tensor]) => [name, fromOrtTensor('feeds', name, tensor)]),
    );
    checkOverrides(session.inputs, inputs, overrides);
    const targets = Object.entries(fetches).map(
      ([name, tensor]) => [name, tensor === null ? null : fromOrtTensor('fetches', name, tensor)] as const,
    );
    const outputs = await session.run(inputs, Object.fromEntries(targets));
    // A tensor that was given is filled, and is the result.
    return Object.fromEntries(
      Object.entries(outputs).map(([name, tensor]) => [name, fetches[name] ?? toOrtTensor(tensor)]),
    );
  }

  async dispose(): Promise<void> {
    await this.#parts.session.release();
    await this.#parts.ended();
  }

  startProfiling(): void {
    throw noProfiling('startProfiling');
  }

  endProfiling(): void {
    throw noProfiling('endProfiling');
  }

  /** What has no effect is told once a session. */
  #checkOptions(options: Ort.RunOptions): void {
    const warnings: string[] = [];
    applyRules(options, { subject: 'RunOptions', rules: RUN_RULES }, warnings);
    const told = warnings.filter((text) => !this.#warned.has(text));
    for (const text of told) this.#warned.add(text);
    warnAbout(told, options.logSeverityLevel);
  }
}

/** As onnxruntime writes it: no extents where the rank is unknown, and an empty text for an extent without a name. */
function metadata(value: GraphValue, overrides: Overrides): Ort.ValueMetadata {
  const { name, type } = value;
  const dims = overriddenDims(value, overrides) ?? [];
  return { name, isTensor: true, type, shape: dims.map((dim) => (dim === UNNAMED_DIMENSION ? '' : dim)) };
}

function noProfiling(field: string): InvalidInputError {
  return new InvalidInputError('profiling is not supported through this API', {
    subject: 'InferenceSession',
    field,
    remedy: "Use `profile` of @onegpu/onnx's own session.",
  });
}
