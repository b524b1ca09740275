/** The one error for nodes that cannot run. */
import { type UnsupportedNode, UnsupportedOperatorError } from '@onegpu/core';
import { FULL_ENTRY, findExtension } from './extension.ts';

/** With the remedy for sessions of the entry for browsers. */
export function unsupportedError(nodes: readonly UnsupportedNode[]): UnsupportedOperatorError {
  return new UnsupportedOperatorError(nodes, findExtension() === undefined ? { remedy: FULL_ENTRY } : {});
}
