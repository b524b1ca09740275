/** Model sources in browsers: bytes and addresses; a relative address is resolved against the page. */
import { bytesSource, type ModelInput, type ModelSource, urlSource } from './model-source.ts';
import { unreadable } from './unreadable.ts';

/** @throws InvalidModelError for a text that is no address. */
export function openModelSource(input: ModelInput): ModelSource {
  if (input instanceof URL) return urlSource(input);
  if (typeof input !== 'string') return bytesSource(input);
  const base = (globalThis as { location?: { href: string } }).location?.href;
  try {
    return urlSource(new URL(input, base));
  } catch (cause) {
    throw unreadable(input, 'not an address', { cause });
  }
}
