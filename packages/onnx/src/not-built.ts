/** Legal in ONNX, but not built here: what an operator throws once it sees types and ranks. */
import { GpuKernelShapeError } from '@onegpu/core';

/** Behind a node's name it becomes an UnsupportedOperatorError, as refusals at load are. */
export class NotBuiltError extends GpuKernelShapeError {}

export function notBuilt(
  subject: string,
  field: string,
  got: string | readonly number[],
  expected: string,
): NotBuiltError {
  const text = typeof got === 'string' ? got : `[${got.join(', ')}]`;
  return new NotBuiltError('this type or rank is not built', { subject, field, got: text, expected });
}
