/** Profiles read back: real ones keep to the schema, the schema is documented, anything else is refused by name. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidInputError } from '@onegpu/core';
import { InferenceSession, type ProfileReport, Tensor } from '@onegpu/onnx';
import { attachCeilings } from '@onegpu/onnx/tools';
import { convLayerModel } from '@onegpu/test-models';
import { newTestDevice } from '@onegpu/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleReport, sampleRow, unresolvedRow, untimedRow } from '../test/profile-sample.ts';
import { checkProfile, readProfile } from './profile-file.ts';

const CEILINGS = {
  adapter: 'adapter',
  driver: '1',
  copyGbps: 100,
  f32Gflops: 1000,
  f16Gflops: 2000,
  dispatchUs: 5,
  measuredAt: '2025-01-01T00:00:00.000Z',
};

async function realProfile(timestamps: boolean): Promise<ProfileReport> {
  const device = await newTestDevice();
  Object.assign(device, { capabilities: { ...device.capabilities, timestamps } });
  const shape = { strides: [1, 1], dilations: [1, 1], pads: [1, 1, 1, 1], groups: 1 } as const;
  const bytes = convLayerModel(
    { src: [1, 3, 13, 7], weights: [5, 3, 3, 3], ...shape },
    new Float32Array(135).fill(1),
    new Float32Array(5),
  );
  const session = await InferenceSession.create(bytes, { device });
  try {
    const src = new Tensor('float32', new Float32Array(3 * 13 * 7), [1, 3, 13, 7]);
    return await session.profile({ src }, { runs: 2 });
  } finally {
    await session.release();
    await device.disposeAsync();
  }
}

describe('the schema of profiles', () => {
  it.each([true, false])('takes a real profile, timestamps: %s', async (timestamps) => {
    const report = await realProfile(timestamps);
    expect(checkProfile(JSON.parse(JSON.stringify(report)), 'real')).toEqual(report);
    const attached = attachCeilings(report, CEILINGS);
    expect(checkProfile({ model: 'm.onnx', ...attached }, 'real')).toMatchObject({ model: 'm.onnx' });
  });

  it('takes rows without times and below the resolution', () => {
    expect(() => checkProfile(sampleReport([untimedRow(0), unresolvedRow(1)]), 'sample')).not.toThrow();
  });

  it('has every field documented in docs/profile.md', async () => {
    const schema = createRequire(import.meta.url)('@onegpu/onnx/profile.schema.json');
    const text = await readFile(new URL('../../../docs/profile.md', import.meta.url), 'utf8');
    const names = propertyNames(schema);
    expect(names.size).toBeGreaterThan(50);
    for (const name of names) expect(text, name).toContain(`\`${name}\``);
  });
});

function propertyNames(schema: unknown): Set<string> {
  const names = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'properties') for (const name of Object.keys(inner)) names.add(name);
      walk(inner);
    }
  };
  walk(schema);
  return names;
}

describe('readProfile', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'onegpu-profile-file-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const reading = async (text: string): Promise<unknown> => {
    const file = join(folder, 'profile.json');
    await writeFile(file, text);
    return readProfile(file);
  };
  const sample = (): ProfileReport => sampleReport([sampleRow(0)]);

  it.each([
    ['no JSON', () => 'runs: 5', 'profile.json: this file is no JSON'],
    ['nothing', () => '', 'an empty file'],
    [
      'JSON of something else',
      () => '[1]',
      'profile.json.schema: this is no profile that this version reads',
    ],
    ['null', () => 'null', 'got none'],
    [
      'a later schema',
      () => JSON.stringify({ ...sample(), schema: 'onegpu-profile/2' }),
      'got "onegpu-profile/2"',
    ],
    [
      'a missing field',
      () => JSON.stringify({ ...sample(), rows: undefined }),
      "must have required property 'rows'",
    ],
    [
      'a time that is a text',
      () =>
        JSON.stringify(sampleReport([sampleRow(0), { ...sampleRow(1), medianMs: '1' as unknown as number }])),
      'profile.json.rows.1.medianMs: the profile does not keep to its schema (expected must be number)',
    ],
    ['a field too many', () => JSON.stringify({ ...sample(), speed: 1 }), 'has "speed"'],
  ])('refuses %s', async (_, text, message) => {
    const refused = await reading(text()).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidInputError);
    expect((refused as Error).message).toContain(message);
  });
});
