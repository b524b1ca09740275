/** The commands that run models, as processes, on a model of one convolution made here. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProfileRow, Tensor } from '@onegpu/onnx';
import { convLayerModel } from '@onegpu/test-models';
import onnxProto from 'onnx-proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNpy, writeNpy } from '../src/npy.ts';
import { checkProfile, readProfile } from '../src/profile-file.ts';
import { onegpu } from './onegpu-process.ts';
import { sampleReport, sampleRow } from './profile-sample.ts';

const { ModelProto, TensorProto } = onnxProto.onnx;

/** A 1x1 convolution that doubles one channel and adds 1. */
const MODEL = convLayerModel(
  {
    src: [1, 1, 2, 3],
    weights: [1, 1, 1, 1],
    strides: [1, 1],
    dilations: [1, 1],
    pads: [0, 0, 0, 0],
    groups: 1,
  },
  Float32Array.of(2),
  Float32Array.of(1),
);
const SRC = new Tensor('float32', [0, 1, 2, 3, 4, 5], [1, 1, 2, 3]);
const DST = new Tensor('float32', [1, 3, 5, 7, 9, 11], [1, 1, 2, 3]);

let folder = '';
let model = '';

function tensorBytes(name: string, { data, dims }: Tensor<'float32'>): Uint8Array {
  const rawData = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return TensorProto.encode({
    name,
    dims: [...dims],
    dataType: TensorProto.DataType.FLOAT,
    rawData,
  }).finish();
}

async function putTest(name: string, bytes: Uint8Array, expected: Tensor<'float32'>): Promise<void> {
  const data = join(folder, 'tests', name, 'test_data_set_0');
  await mkdir(data, { recursive: true });
  await writeFile(join(folder, 'tests', name, 'model.onnx'), bytes);
  await writeFile(join(data, 'input_0.pb'), tensorBytes('src', SRC));
  await writeFile(join(data, 'output_0.pb'), tensorBytes('dst', expected));
}

function withOperator(opType: string): Uint8Array {
  const proto = ModelProto.decode(MODEL);
  for (const node of proto.graph?.node ?? []) node.opType = opType;
  return ModelProto.encode(proto).finish();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onegpu-commands-'));
  model = join(folder, 'model.onnx');
  await writeFile(model, MODEL);
  await putTest('test_right', MODEL, DST);
  await putTest('test_wrong', MODEL, new Tensor('float32', [1, 3, 5, 7, 9, 12], [1, 1, 2, 3]));
  await putTest('test_unknown', withOperator('Fly'), DST);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('onegpu conformance', () => {
  it('tells one line a folder and the counts, and ends with 1', async () => {
    const { code, out } = await onegpu(['conformance', join(folder, 'tests')]);
    expect(code).toBe(1);
    const [right, unknown, wrong, counts] = out.split('\n');
    expect(right).toBe('PASS test_right');
    expect(unknown).toMatch(/^UNSUPPORTED test_unknown: .*Fly "conv": this operator is not implemented/);
    expect(wrong).toBe(
      'FAIL test_wrong: test_data_set_0: output "dst": 1 of 6 elements differ, first at [0, 0, 1, 2]: 11, expected 12',
    );
    expect(counts).toBe('1 passed, 1 failed, 1 unsupported');
  });

  it('ends with 0 where everything passes, JSON alone on standard output', async () => {
    const { code, out } = await onegpu([
      'conformance',
      join(folder, 'tests'),
      '--filter',
      'right$',
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      passed: 1,
      failed: 0,
      unsupported: 0,
      folders: [{ name: 'test_right', status: 'PASS', reason: '' }],
    });
  });

  it('records results and tells only what is not as recorded', async () => {
    const record = join(folder, 'results.json');
    const tests = ['conformance', join(folder, 'tests')];
    expect((await onegpu([...tests, '--write', record])).code).toBe(1);
    const same = await onegpu([...tests, '--check', record]);
    expect([same.code, same.out]).toEqual([0, '1 passed, 1 failed, 1 unsupported; as recorded\n']);
    await writeFile(record, '{"test_right": "FAIL", "test_gone": "PASS"}');
    const { code, out } = await onegpu([...tests, '--filter', 'right|gone', '--check', record]);
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      'CHANGED test_gone: PASS -> not run',
      'CHANGED test_right: FAIL -> PASS',
      '1 passed, 0 failed, 0 unsupported; 2 not as recorded',
      '',
    ]);
  });
});

describe('onegpu run', () => {
  it('reads and writes arrays', async () => {
    const input = join(folder, 'src.npy');
    await writeFile(input, writeNpy(SRC));
    const output = join(folder, 'out');
    const words = ['run', model, '--input', `src=${input}`, '--output', output, '--json'];
    const { code, out, error } = await onegpu(words);
    expect([code, error]).toEqual([0, '']);
    const report = JSON.parse(out);
    expect(report.outputs[0]).toMatchObject({
      name: 'dst',
      dims: [1, 1, 2, 3],
      min: 1,
      max: 11,
      data: [...DST.data],
    });
    expect(readNpy(await readFile(join(output, 'dst.npy')))).toEqual(DST);
  });

  it('takes another shape than the fixed one, says what it assumes, and runs deterministically', async () => {
    const words = ['run', model, '--shape', 'src=2x1x5x7', '--mode', 'deterministic'];
    const { code, out, error } = await onegpu(words);
    expect(code).toBe(0);
    expect(out).toContain('dst float32 [2, 1, 5, 7]');
    expect(error).toBe('onegpu: input "src": float32 [2, 1, 5, 7], values seeded with 1\n');
  });

  it('ends with 2 for an input the model lacks, with 1 for a file of the wrong shape', async () => {
    const unknown = await onegpu(['run', model, '--input', 'y=y.npy']);
    expect(unknown).toMatchObject({ code: 2, out: '' });
    expect(unknown.error).toContain('the model has no such input; it has src');
    const file = join(folder, 'flat.npy');
    await writeFile(file, writeNpy(new Tensor('float32', [1, 2])));
    const flat = await onegpu(['run', model, '--input', `src=${file}`]);
    expect(flat).toMatchObject({ code: 1, out: '' });
    expect(flat.error).toContain('the rank differs from the model');
  });

  it('ends with 1 for a model with an operator that is not there', async () => {
    const path = join(folder, 'tests', 'test_unknown', 'model.onnx');
    const { code, out, error } = await onegpu(['run', path, '--json']);
    expect([code, out]).toEqual([1, '']);
    expect(error).toContain('Fly "conv": this operator is not implemented');
  });
});

describe('onegpu profile', () => {
  it('gives JSON that keeps to the schema, alone on standard output', async () => {
    const { code, out } = await onegpu(['profile', model, '--runs', '2', '--no-ceilings', '--json']);
    expect(code).toBe(0);
    const profile = checkProfile(JSON.parse(out), 'standard output');
    expect(profile.model).toBe(model);
    expect(profile.rows.some((row) => row.nodes.includes('conv'))).toBe(true);
    expect(profile).not.toHaveProperty('ceilings');
  });

  it('prints a table and writes JSON and CSV beside it, against the ceilings of the adapter', async () => {
    const files = { save: join(folder, 'a.json'), csv: join(folder, 'a.csv') };
    const words = ['--runs', '2', '--save', files.save, '--csv', files.csv];
    const { code, out, error } = await onegpu(['profile', model, ...words]);
    expect(code).toBe(0);
    for (const text of ['% peak', 'adapter at best', 'cost of a pass', 'src 1x1x2x3; medians of 2 runs']) {
      expect(out).toContain(text);
    }
    expect(error).toContain(`wrote the profile to ${files.save}`);
    const profile = await readProfile(files.save);
    expect(profile.ceilings?.f32Gflops).toBeGreaterThan(0);
    const lines = (await readFile(files.csv, 'utf8')).split('\r\n');
    expect(lines).toHaveLength(profile.rows.length + 2);
  });

  it('ends with 2 before the work where a file cannot be written', async () => {
    const { code, out, error } = await onegpu(['profile', model, '--csv', folder]);
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain('is a folder');
  });
});

describe('onegpu compare', () => {
  const profiled = async (name: string, row: ProfileRow): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, JSON.stringify(sampleReport([row])));
    return file;
  };

  it('sets two profiles side by side', async () => {
    const a = await profiled('before.json', sampleRow(0, { medianMs: 4 }));
    const b = await profiled('after.json', sampleRow(0, { medianMs: 3 }));
    const { code, out } = await onegpu(['compare', a, b]);
    expect(code).toBe(0);
    expect(out).toMatch(/4\.000 +3\.000 +0\.750 +-1\.000/);
    const json = await onegpu(['compare', a, b, '--sort', 'order', '--json']);
    expect(JSON.parse(json.out).rows[0].ms).toEqual({ a: 4, b: 3, ratio: 0.75, difference: -1 });
  });

  it('ends with 1 for files that are no profiles', async () => {
    const good = await profiled('good.json', sampleRow(0));
    const noise = join(folder, 'noise.json');
    await writeFile(noise, '{"schema": ');
    const later = join(folder, 'later.json');
    await writeFile(later, '{"schema": "onegpu-profile/9"}');
    for (const [file, message] of [
      [noise, 'noise.json: this file is no JSON'],
      [later, 'got "onegpu-profile/9", expected "onegpu-profile/1"'],
      [join(folder, 'missing.json'), 'no such file or folder'],
    ] as const) {
      const { code, out, error } = await onegpu(['compare', good, file, '--json']);
      expect([code, out]).toEqual([1, '']);
      expect(error).toContain(message);
    }
  });
});

describe('onegpu info', () => {
  it('counts parameters and multiply-adds', async () => {
    const { code, out } = await onegpu(['info', model, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      parameters: 2,
      multiplyAdds: 6,
      unsupported: [],
      shapes: { src: [1, 1, 2, 3] },
    });
  });
});
