/** A typed error in the page's words: what happened as a title, the error's own message, and what it lists. */
import { type ErrorCode, OneGpuError, UnsupportedOperatorError } from '@onegpu/core';
import { MissingPartError } from './late-part.ts';
import { ModelError } from './model-error.ts';

export interface Explanation {
  readonly title: string;
  readonly message: string;
  /** One line each, such as the nodes that cannot run. */
  readonly items: readonly string[];
}

const TITLES: Readonly<Record<ErrorCode, string>> = {
  'gpu-unavailable': 'No GPU for this page',
  'gpu-limit': 'Too large for this adapter',
  'gpu-shader': 'A kernel did not compile',
  'gpu-device-lost': 'The GPU device was lost',
  'gpu-out-of-memory': 'Not enough GPU memory',
  'gpu-validation': 'WebGPU refused a call',
  'kernel-shape': 'These shapes do not fit the model',
  'invalid-model': 'This model does not load',
  'unsupported-operator': 'This model has unsupported nodes',
  'invalid-input': 'This input cannot be used',
  'session-released': 'The session was released',
  aborted: 'Loading was stopped',
};

export function explainError(error: unknown): Explanation {
  if (error instanceof ModelError) {
    const { title, ...rest } = explainError(error.cause);
    return { ...rest, title: `${title}: ${error.model}` };
  }
  if (error instanceof UnsupportedOperatorError) {
    const items = error.nodes.map(({ node, operator, reason }) => `${operator} “${node}”: ${reason}`);
    const [summary = ''] = error.message.split('\n');
    const message = [`${summary}.`, error.details.remedy].filter(Boolean).join(' ');
    return { title: TITLES[error.code], message, items };
  }
  if (error instanceof OneGpuError) {
    return { title: TITLES[error.code], message: error.message, items: [] };
  }
  return {
    title: error instanceof MissingPartError ? 'A part of this page is missing' : 'This did not work',
    message: error instanceof Error ? error.message : String(error),
    items: [],
  };
}
