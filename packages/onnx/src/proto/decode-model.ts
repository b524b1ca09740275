/**
 * Bytes to a ModelProto: tells files of other kinds by their first bytes, checks the wire, decodes with onnx-proto
 * (generated from ONNX 1.10) and adds the newer fields that the generated code skips.
 */
import { InvalidModelError } from '@onegpu/core';
import onnxProto from 'onnx-proto';
import { ExactReader } from './exact-reader.ts';
import { refuseForeignFile } from './foreign-file.ts';
import { type ModelProto, toBigint } from './messages.ts';
import { checkWire, formatPath, type NewerField } from './wire-check.ts';

/**
 * Decodes a serialised model. Weights stay views of `bytes`.
 * @throws InvalidModelError when the bytes are not a whole ONNX model, saying what they are instead.
 */
export function decodeModel(bytes: Uint8Array): ModelProto {
  refuseForeignFile(bytes);
  const newer = checkWire(bytes);
  const model = decode(bytes);
  for (const field of newer) addNewerField(model, field);
  const versionless = toBigint(model.irVersion) === 0n;
  if (versionless || model.graph === undefined || model.graph === null) {
    throw new InvalidModelError('this is not an ONNX model, or it is truncated', {
      subject: 'model',
      field: versionless ? 'ir_version' : 'graph',
      got: 'nothing',
    });
  }
  return model;
}

function decode(bytes: Uint8Array): ModelProto {
  try {
    return onnxProto.onnx.ModelProto.decode(new ExactReader(bytes)) as unknown as ModelProto;
  } catch (cause) {
    throw new InvalidModelError('the model cannot be decoded', { subject: 'model' }, { cause });
  }
}

function addNewerField(model: ModelProto, field: NewerField): void {
  let target: unknown = model;
  for (const step of field.path) {
    const next = (target as Record<string, unknown>)[step.name];
    target = step.repeated ? (next as unknown[])[step.index] : next;
  }
  if (typeof target !== 'object' || target === null) {
    throw new InvalidModelError('a newer field lies where the decoder reads nothing', {
      subject: formatPath(field.path),
      field: field.name,
    });
  }
  const message = target as Record<string, unknown>;
  if (field.kind === 'bytes') {
    message[field.name] = new TextDecoder().decode(field.bytes);
    return;
  }
  const list = (message[field.name] ?? []) as unknown[];
  message[field.name] = [...list, onnxProto.onnx.AttributeProto.decode(new ExactReader(field.bytes))];
}
