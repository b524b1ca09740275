/** Models that tests of onnxruntime's API run, and a session for the length of some work. */
import * as ort from '../src/ort/index.ts';
import type { Tensor } from '../src/tensor.ts';
import { buildModel } from './model-builder.ts';

export type Create = ort.InferenceSession.SessionOptions;

export const WEBGPU = { executionProviders: ['webgpu'] };

/** Adds its input to itself. */
export const DOUBLE = buildModel({
  inputs: { x: { dims: ['batch', 2] } },
  outputs: { y: { dims: ['batch', 2] } },
  nodes: [{ op: 'Add', inputs: ['x', 'x'], outputs: ['y'] }],
});

/** Gives its input back. */
export function copying(type: ConstructorParameters<typeof Tensor>[0]): Uint8Array {
  return buildModel({
    inputs: { x: { type, dims: [2] } },
    outputs: { y: { type, dims: [2] } },
    nodes: [{ op: 'Identity', inputs: ['x'], outputs: ['y'] }],
  });
}

export async function withSession<T>(
  model: Uint8Array,
  options: Create,
  work: (session: ort.InferenceSession) => Promise<T>,
): Promise<T> {
  const session = await ort.InferenceSession.create(model, options);
  try {
    return await work(session);
  } finally {
    await session.release();
  }
}

export function doubled(session: ort.InferenceSession, batch = 1): Promise<ort.InferenceSession.ReturnType> {
  return session.run({ x: new ort.Tensor('float32', new Float32Array(2 * batch).fill(3), [batch, 2]) });
}
