/** One program for onnxruntime-web, run by onnxruntime-node's CPU and by ours with only its import changed. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { ocrClassifierPath, ocrDetectionPath } from '@onegpu/test-models';
import { expectWithin, WHOLE_MODEL_TOLERANCE } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';

interface Output {
  readonly name: string;
  readonly dims: readonly number[];
  readonly data: readonly number[];
}

interface Report {
  readonly classifier: { readonly whole: Output[]; readonly filled: Output[]; readonly scores: number[] };
  readonly detection: Output[];
}

const APP = readFileSync(new URL('./fixtures/onnxruntime-app.mjs', import.meta.url), 'utf8');

/** What the program prints with `onnxruntime-web` in its import replaced. */
async function runApp(runtime: string, providers: string): Promise<Report> {
  const script = APP.replace("'onnxruntime-web'", `'${runtime}'`);
  const node = ['--conditions=source', '--import', 'tsx', '--input-type=module', '-e', script, '--'];
  const args = [...node, ocrClassifierPath(), ocrDetectionPath(), providers];
  const child = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (output === '') throw new Error(errors);
  return JSON.parse(output) as Report;
}

function expectSameOutputs(actual: readonly Output[], expected: readonly Output[]): void {
  expect(actual.map(({ data, ...rest }) => rest)).toEqual(expected.map(({ data, ...rest }) => rest));
  for (const [index, { data, dims }] of expected.entries()) {
    expectWithin(actual[index]?.data ?? [], data, WHOLE_MODEL_TOLERANCE.realWeights, dims);
  }
}

describe('a program for onnxruntime-web', () => {
  it('says the same with only its import changed', async () => {
    const expected = await runApp('onnxruntime-node', 'cpu');
    const actual = await runApp('@onegpu/onnx/ort', 'webgpu');
    const bare = ({ classifier: { whole, filled, scores, ...rest } }: Report): object => rest;
    expect(bare(actual)).toEqual(bare(expected));
    expectSameOutputs(actual.classifier.whole, expected.classifier.whole);
    expectSameOutputs(actual.classifier.filled, expected.classifier.filled);
    expect(actual.classifier.scores).toEqual(actual.classifier.filled[0]?.data);
    expect(Math.max(...(expected.detection[0]?.data ?? []))).toBeGreaterThan(0.5);
    expectSameOutputs(actual.detection, expected.detection);
    expect(actual).toMatchObject({
      wrongFeed: { isError: true, code: 'invalid-input', text: true },
      missingFeed: { isError: true, text: true },
      noModel: { isError: true, code: 'invalid-model', text: true },
    });
  });
});
