/** An HTTP server of a test's own on this machine, for models that are fetched. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Tensor } from '../src/tensor.ts';
import { buildModel } from './model-builder.ts';

/** A model to be served: adds 0 to 999 to its input. */
export const SERVED_MODEL = buildModel({
  inputs: { x: { dims: [1000] } },
  outputs: ['y'],
  nodes: [{ op: 'Add', inputs: ['x', 'w'], outputs: ['y'] }],
  initializers: {
    w: new Tensor(
      'float32',
      Float32Array.from({ length: 1000 }, (_, index) => index),
    ),
  },
});

export interface ModelServer {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  close(): Promise<void>;
}

export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<ModelServer> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
