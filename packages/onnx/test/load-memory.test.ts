/**
 * A model of 104 MB from an address in a process of its own: what JavaScript holds at most while it is loaded, and
 * afterwards. That process has a small young generation and collects the pieces of the answer that were copied as they
 * come; left alone, V8 lets 20 to 50 MB of such garbage lie (docs/loading.md).
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { largeModel } from './large-model.ts';
import { type ModelServer, serve } from './model-server.ts';

const PROGRAM = fileURLToPath(new URL('./fixtures/measure-load.ts', import.meta.url));
const NODE = ['--expose-gc', '--max-semi-space-size=1', '--conditions=source', '--import', 'tsx', PROGRAM];

let model: Uint8Array;
let server: ModelServer;

beforeAll(async () => {
  model = largeModel(11);
  server = await serve((request, response) => {
    if (request.url === '/length.onnx') response.setHeader('content-length', model.length);
    response.write(model.subarray(0, 1000));
    response.end(model.subarray(1000));
  });
});
afterAll(() => server?.close());

interface Measured {
  readonly peak: number;
  readonly held: number;
  readonly same: boolean;
}

async function measure(path: string): Promise<Measured> {
  const child = spawn(process.execPath, [...NODE, `${server.origin}${path}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (output === '') throw new Error(errors);
  return JSON.parse(output) as Measured;
}

it('takes less than 1.3 times the model at most, and lets go of it once its only plan is made', async () => {
  expect(model.length).toBeGreaterThan(100e6);
  const { peak, held, same } = await measure('/length.onnx');
  expect(same).toBe(true);
  expect(peak / model.length).toBeLessThan(1.3);
  expect(held / model.length).toBeLessThan(0.15);
});

it('joins pieces once where the length is not said', async () => {
  const { peak, held, same } = await measure('/unknown.onnx');
  expect(same).toBe(true);
  expect(peak / model.length).toBeGreaterThan(1.9);
  expect(peak / model.length).toBeLessThan(2.3);
  expect(held / model.length).toBeLessThan(0.15);
});
