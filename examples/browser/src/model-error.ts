/** What went wrong with a model, with its name: a session that is made of bytes knows none. */
import { type ErrorCode, OneGpuError } from '@onegpu/core';

/** Errors that say something of the model, rather than of the adapter or the picture. */
const OF_MODELS: ReadonlySet<ErrorCode> = new Set([
  'gpu-limit',
  'gpu-shader',
  'invalid-model',
  'kernel-shape',
  'unsupported-operator',
]);

export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly model: string;
  override readonly cause: OneGpuError;

  constructor(model: string, cause: OneGpuError) {
    super(`${model}: ${cause.message}`);
    this.model = model;
    this.cause = cause;
  }
}

/** Does `work`. @throws ModelError for what is wrong with the model, and whatever else `work` throws */
export async function namingModel<Result>(model: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OneGpuError && OF_MODELS.has(error.code)) throw new ModelError(model, error);
    throw error;
  }
}
