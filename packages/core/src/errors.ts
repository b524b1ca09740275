/**
 * Typed errors. Every refusal says which operator or object, which field, what was got, what was expected
 * and, where there is one, the remedy; tools print `message`, programs read `details`.
 */

export interface ErrorDetails {
  /** Operator, object or file the refusal is about, e.g. `Conv` or `GpuDevice`. */
  readonly subject?: string;
  /** Attribute, input or limit that was wrong, e.g. `strides` or `maxBufferSize`. */
  readonly field?: string;
  readonly got?: string;
  readonly expected?: string;
  readonly remedy?: string;
}

export type ErrorCode =
  | 'gpu-unavailable'
  | 'gpu-limit'
  | 'gpu-shader'
  | 'gpu-device-lost'
  | 'gpu-out-of-memory'
  | 'gpu-validation'
  | 'kernel-shape'
  | 'invalid-model'
  | 'unsupported-operator'
  | 'invalid-input'
  | 'session-released'
  | 'aborted';

/** Base of every error this project throws on purpose. */
export class OneGpuError extends Error {
  readonly code: ErrorCode;
  /** What is wrong, without the details; `message` is both. */
  readonly summary: string;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, summary: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(formatError(summary, details), options);
    this.code = code;
    this.summary = summary;
    this.details = details;
    this.name = errorName(code);
  }
}

/** The name of the class that has this code, which bundlers may rename: `gpu-limit` is GpuLimitError's. */
function errorName(code: ErrorCode): string {
  if (code === 'kernel-shape') return 'GpuKernelShapeError';
  if (code === 'aborted') return 'LoadAbortedError';
  return `${code.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase())}Error`;
}

function formatError(summary: string, details: ErrorDetails): string {
  const place = [details.subject, details.field].filter(Boolean).join('.');
  const facts = [
    details.got === undefined ? '' : `got ${details.got}`,
    details.expected === undefined ? '' : `expected ${details.expected}`,
  ].filter(Boolean);
  const head = place === '' ? summary : `${place}: ${summary}`;
  const body = facts.length === 0 ? head : `${head} (${facts.join(', ')})`;
  if (details.remedy === undefined) return body;
  return `${body}${body.includes('\n') ? '\n' : '. '}${details.remedy}`;
}

/** No WebGPU implementation, or no adapter of the kind asked for. */
export class GpuUnavailableError extends OneGpuError {
  constructor(summary: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('gpu-unavailable', summary, details, options);
  }
}

/** Something needs more than a WebGPU limit of this adapter allows; `field` names the limit. */
export class GpuLimitError extends OneGpuError {
  constructor(summary: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('gpu-limit', summary, details, options);
  }
}

/** A shader failed to compile; the message holds the compiler's words and the kernel's label. */
export class GpuShaderError extends OneGpuError {
  constructor(summary: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('gpu-shader', summary, details, options);
  }
}

/** The device was lost (driver reset, destroyed); work in flight and later work rejects with this. */
export class GpuDeviceLostError extends OneGpuError {
  constructor(summary: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('gpu-device-lost', summary, details, options);
  }
}

/** The GPU could not give the memory asked for. */
export class GpuOutOfMemoryError extends OneGpuError {
  constructor(summary: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('gpu-out-of-memory', summary, details, options);
  }
}

/** WebGPU refused a call that this library made: a defect of ours, never swallowed. */
export class GpuValidationError extends OneGpuError {
  constructor(summary: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('gpu-validation', summary, details, options);
  }
}

/** An operator was given shapes or attributes that are wrong, or legal but not built. */
export class GpuKernelShapeError extends OneGpuError {
  constructor(summary: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('kernel-shape', summary, details, options);
  }
}

/** The bytes are not a valid ONNX model. */
export class InvalidModelError extends OneGpuError {
  constructor(summary: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('invalid-model', summary, details, options);
  }
}

/** One node of a model that cannot run, and why. */
export interface UnsupportedNode {
  readonly node: string;
  readonly operator: string;
  readonly reason: string;
}

/** A valid model uses operators, types or attributes we do not run; lists every such node. */
export class UnsupportedOperatorError extends OneGpuError {
  readonly nodes: readonly UnsupportedNode[];

  constructor(nodes: readonly UnsupportedNode[], details: ErrorDetails = {}) {
    const lines = nodes.map((entry) => `  ${entry.operator} "${entry.node}": ${entry.reason}`);
    const count = nodes.length === 1 ? '1 node is' : `${nodes.length} nodes are`;
    super('unsupported-operator', `${count} not supported\n${lines.join('\n')}`, details);
    this.nodes = nodes;
  }
}

/** A feed of `run` has a wrong name, type, rank or shape. */
export class InvalidInputError extends OneGpuError {
  constructor(summary: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('invalid-input', summary, details, options);
  }
}

/** A session or device was used after `release`. */
export class SessionReleasedError extends OneGpuError {
  constructor(summary: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('session-released', summary, details, options);
  }
}

/** The caller's AbortSignal ended what was being loaded; `cause` is the signal's reason. */
export class LoadAbortedError extends OneGpuError {
  constructor(summary: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('aborted', summary, details, options);
  }
}
