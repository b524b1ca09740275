/** One serialised TensorProto, as ONNX's own tests keep their inputs and outputs (`input_0.pb`). */
import { InvalidModelError, UnsupportedOperatorError } from '@onegpu/core';
import type { Tensor } from '../tensor.ts';
import { decodeMessage } from './decode-message.ts';
import type { TensorProto } from './messages.ts';
import { readTensor, refuseTensor } from './tensor-proto.ts';

export interface NamedTensor {
  /** Empty where the file names none. */
  readonly name: string;
  readonly tensor: Tensor;
}

/**
 * Reads a TensorProto; `subject` names the file in messages.
 * @throws InvalidModelError when the bytes are no whole tensor, UnsupportedOperatorError for element types that a
 * Tensor does not hold.
 */
export function decodeTensor(bytes: Uint8Array, subject = 'tensor'): NamedTensor {
  const proto = decode(bytes, subject);
  const refusal = refuseTensor(proto);
  if (refusal !== undefined) {
    throw new UnsupportedOperatorError([{ node: subject, operator: 'TensorProto', reason: refusal }]);
  }
  return { name: proto.name, tensor: readTensor(proto) };
}

function decode(bytes: Uint8Array, subject: string): TensorProto {
  try {
    return decodeMessage(bytes, 'TensorProto');
  } catch (cause) {
    throw new InvalidModelError('the tensor cannot be decoded', { subject }, { cause });
  }
}
