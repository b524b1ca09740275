/** The error for a file or an address that is not there or gives something else. */
import { type ErrorDetails, InvalidModelError } from '@onegpu/core';

export interface UnreadableDetails extends Pick<ErrorDetails, 'expected' | 'remedy'> {
  /** Keeps the system's words. */
  readonly cause?: unknown;
}

export function unreadable(
  name: string,
  reason: string,
  { cause, ...details }: UnreadableDetails = {},
): InvalidModelError {
  const options = cause === undefined ? {} : { cause };
  return new InvalidModelError(
    'the file cannot be read',
    { subject: name, got: reason, ...details },
    options,
  );
}
