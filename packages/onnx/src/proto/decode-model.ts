/** Bytes to a ModelProto: tells files of other kinds by their first bytes, and a model from part of one. */
import { InvalidModelError } from '@onegpu/core';
import { decodeMessage } from './decode-message.ts';
import { refuseForeignFile } from './foreign-file.ts';
import type { ModelProto } from './messages.ts';

/**
 * Decodes a serialised model. Weights stay views of `bytes`.
 * @throws InvalidModelError when the bytes are not a whole ONNX model, saying what they are instead.
 */
export function decodeModel(bytes: Uint8Array): ModelProto {
  refuseForeignFile(bytes);
  const model = decodeMessage(bytes, 'ModelProto');
  const versionless = model.irVersion === 0n;
  if (versionless || model.graph === undefined || model.graph === null) {
    throw new InvalidModelError('this is not an ONNX model, or it is truncated', {
      subject: 'model',
      field: versionless ? 'ir_version' : 'graph',
      got: 'nothing',
    });
  }
  return model;
}
