/** Tuned choices: measured once, kept, used in fast mode and nowhere else, and passed over where they do not belong. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidInputError } from '@onegpu/core';
import { integerFill, testDevice } from '@onegpu/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ExecutionStep, planExecution } from '../src/execution-plan.ts';
import { resolveDims } from '../src/feeds.ts';
import {
  type ExplainStep,
  InferenceSession,
  type SessionOptions,
  Tensor,
  type TuneModelOptions,
  type TuneReport,
  tuneModel,
} from '../src/index.ts';
import { inferShapes } from '../src/infer-shapes.ts';
import { prepareModel } from '../src/prepare-model.ts';
import { LayerMemory } from '../src/tuning/layer-memory.ts';
import { parseTuning, tuningFileName } from '../src/tuning/tuning-file.ts';
import { loadTuning, saveTuning } from '../src/tuning/tuning-store.ts';
import { TuningTable } from '../src/tuning/tuning-table.ts';
import { buildModel } from './model-builder.ts';

/** Five channels: up to four, hardware adapters read the input in planes, and then its convolution equals no other. */
const CHANNELS = 5;
const DIMS = { x: [1, CHANNELS, 5, 7] };
const picture = (): Tensor => new Tensor('float32', integerFill(CHANNELS * 35, 4), DIMS.x);

/** Two equal convolutions and a third one. */
function convModel(dims: readonly (number | string)[] = ['batch', CHANNELS, 'height', 'width']): Uint8Array {
  const weights = (oc: number, seed: number) =>
    new Tensor('float32', integerFill(oc * CHANNELS * 9, seed), [oc, CHANNELS, 3, 3]);
  const pads = { pads: [1, 1, 1, 1] };
  return buildModel({
    inputs: { x: { type: 'float32', dims } },
    outputs: { y: { type: 'float32' } },
    nodes: [
      { op: 'Conv', inputs: ['x', 'w0'], outputs: ['a'], attributes: pads },
      { op: 'Conv', inputs: ['a', 'w1'], outputs: ['b'], attributes: pads },
      { op: 'Conv', inputs: ['b', 'w2'], outputs: ['y'], attributes: pads },
    ],
    initializers: { w0: weights(CHANNELS, 1), w1: weights(CHANNELS, 2), w2: weights(6, 3) },
  });
}

const before = process.env.ONEGPU_CACHE;
let folder = '';
// The software adapter comes out of the user's own cache.
beforeAll(async () => {
  await testDevice();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onegpu-tuning-'));
  process.env.ONEGPU_CACHE = folder;
});
afterEach(async () => {
  if (before === undefined) delete process.env.ONEGPU_CACHE;
  else process.env.ONEGPU_CACHE = before;
  await rm(folder, { recursive: true, force: true });
});

async function tune(options: TuneModelOptions = {}): Promise<TuneReport> {
  return tuneModel(convModel(), { device: await testDevice(), dims: DIMS, ...options });
}

interface Opened {
  readonly steps: readonly ExplainStep[];
  readonly y: readonly number[];
}

async function open(options: SessionOptions): Promise<Opened> {
  const session = await InferenceSession.create(convModel(), { device: await testDevice(), ...options });
  try {
    const { steps } = await session.explain(DIMS);
    const { y } = await session.run({ x: picture() });
    return {
      steps: steps.filter(({ operator }) => operator === 'conv'),
      y: [...((y?.data ?? []) as Float32Array)],
    };
  } finally {
    await session.release();
  }
}

async function file(): Promise<string> {
  return join(folder, tuningFileName((await testDevice()).capabilities));
}

/** Changes the kept document; `change` gets every kept layer. */
async function edit(change: (layer: Record<string, unknown>) => void): Promise<void> {
  const document = JSON.parse(await readFile(await file(), 'utf8'));
  for (const layer of Object.values(document.layers)) change(layer as Record<string, unknown>);
  await writeFile(await file(), JSON.stringify(document));
}

const BARE_STEP: ExecutionStep = {
  ...{ node: undefined, covers: [], operands: {}, refused: [], dims: [], layout: 'nchw' },
  plan: {
    ...{
      operator: 'none',
      algorithm: 'none',
      label: 'none',
      passes: [],
      scratch: [],
      tables: [],
      packing: [],
    },
    cost: { flops: 0, bytes: 0 },
  },
};

/** Keeps `direct`, which the rules never choose for these layers, as the choice of all of them. */
async function keepDirect(): Promise<void> {
  const { capabilities } = await testDevice();
  const { graph } = await prepareModel(convModel());
  const { values, nodes } = inferShapes(graph, resolveDims(graph, DIMS));
  const table = new TuningTable();
  const { steps } = planExecution({
    graph: { ...graph, nodes: [...nodes] },
    ...{ values, capabilities, mode: 'fast', algorithms: new Map(), tuning: table },
  });
  for (const { layer } of steps) {
    if (layer !== undefined) table.set(layer, { algorithm: 'direct', us: 1, ruleUs: 2 });
  }
  await saveTuning(capabilities, table, new Set(table.entries.keys()));
}

async function warningsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const warnings: string[] = [];
  const listen = ({ name, message }: Error): unknown => warnings.push(`${name}: ${message}`);
  process.on('warning', listen);
  try {
    await work();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('warning', listen);
  }
  return warnings;
}

describe('tuneModel', () => {
  it('measures each distinct layer once, keeps it, and measures again on request', async () => {
    const first = await tune();
    expect(first.layers.map(({ state, count }) => [state, count])).toEqual([
      ['measured', 2],
      ['measured', 1],
    ]);
    expect(first.warnings).toEqual([]);
    expect(first.place).toBe(await file());
    expect(first.totals.steps).toBe(3);
    for (const { tried, tuned, rule } of first.layers) {
      expect(tried).toBeGreaterThan(1);
      expect(tuned.us).toBeGreaterThan(0);
      if (tuned.label === rule.label) expect(tuned).toEqual(rule);
      else expect(tuned.us).toBeLessThan(rule.us ?? 0);
    }
    expect(await readdir(folder)).toEqual([tuningFileName((await testDevice()).capabilities)]);

    const second = await tune();
    expect(second.layers.map(({ state }) => state)).toEqual(['kept', 'kept']);
    expect(second.totals).toEqual(first.totals);

    const { size } = (await testDevice()).pipelines;
    const third = await tune({ refresh: true });
    expect(third.layers.map(({ state }) => state)).toEqual(['measured', 'measured']);
    const grown = (await testDevice()).pipelines.size - size;
    // Pipelines of what lost are not kept.
    const { steps } = await open({ tune: 'kept' });
    expect(grown).toBeLessThanOrEqual(new Set(steps.flatMap(({ labels }) => labels)).size);
  });

  it('leaves to the rules what the time does not reach', async () => {
    const { layers, totals } = await tune({ limitMs: 1e-6 });
    expect(layers.map(({ state, notes }) => [state, ...notes])).toEqual([
      ['unmeasured', 'time ran out'],
      ['unmeasured', 'time ran out'],
    ]);
    expect(totals).toMatchObject({ steps: 3, ruleUs: 0, tunedUs: 0 });
    expect(await readdir(folder)).toEqual([]);
  });

  it('refuses a limit that is none, and missing extents', async () => {
    await expect(tune({ limitMs: 0 })).rejects.toThrow(InvalidInputError);
    await expect(tune({ limitMs: Number.NaN })).rejects.toThrow(/limitMs/);
    const refused = tune({ dims: {} });
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toThrow(
      /tuneModel.dims\["x"\]: the model leaves its extents free \(got \[batch,/,
    );
  });

  it('takes the extents that the model fixes', async () => {
    const model = convModel([1, CHANNELS, 6, 8]);
    const { inputs } = await tuneModel(model, { device: await testDevice(), limitMs: 1e-6 });
    expect(inputs).toEqual({ x: [1, CHANNELS, 6, 8] });
  });
});

describe('a session', () => {
  it('uses kept choices in fast mode alone, and says so', async () => {
    await keepDirect();
    const rules = await open({});
    expect(rules.steps.every(({ algorithm, tunedFrom }) => algorithm !== 'direct' && !tunedFrom)).toBe(true);

    const kept = await open({ tune: 'kept' });
    expect(kept.steps.map(({ algorithm }) => algorithm)).toEqual(['direct', 'direct', 'direct']);
    expect(kept.steps.map(({ tunedFrom }) => tunedFrom)).toEqual(rules.steps.map(({ labels }) => labels[0]));
    expect(kept.y).toEqual(rules.y);
    expect((await open({ tune: true })).steps).toEqual(kept.steps);

    const deterministic = await open({ tune: true, mode: 'deterministic' });
    expect(deterministic.steps).toEqual((await open({ mode: 'deterministic' })).steps);
    expect(deterministic.steps.map(({ algorithm }) => algorithm)).not.toContain('direct');
  });

  it('measures what is missing with tune: true, nothing with "kept" or in deterministic mode', async () => {
    await open({ tune: 'kept' });
    await open({ tune: true, mode: 'deterministic' });
    expect(await readdir(folder)).toEqual([]);
    const stages: string[] = [];
    await open({ tune: true, onProgress: ({ stage, done }) => stages.push(`${stage} ${done}`) });
    expect(stages.filter((text) => text.startsWith('tune'))).toEqual(['tune 0', 'tune 1', 'tune 2']);
    expect((await tune()).layers.map(({ state }) => state)).toEqual(['kept', 'kept']);
  });

  it('profiles a tuned layer as one', async () => {
    await keepDirect();
    const session = await InferenceSession.create(convModel(), { device: await testDevice(), tune: 'kept' });
    const { rows, notes } = await session.profile({ x: picture() }, { runs: 1 });
    await session.release();
    const tuned = rows.filter(({ tunedFrom }) => tunedFrom !== undefined);
    expect(tuned.map(({ algorithm }) => algorithm)).toEqual(['direct', 'direct', 'direct']);
    expect(notes.join()).toContain(`tuned: 3 of ${rows.length} layers`);
  });

  it('ignores what was measured with other kernels', async () => {
    await keepDirect();
    await edit((layer) => {
      layer.stamp = '0123456789abcdef';
    });
    const { steps } = await open({ tune: 'kept' });
    expect(steps.map(({ algorithm }) => algorithm)).not.toContain('direct');
    expect((await tune()).layers.map(({ state }) => state)).toEqual(['measured', 'measured']);
  });

  it('is none the worse for a changed kernel that lost; tuneModel tries that again', async () => {
    await tune();
    await edit((layer) => {
      layer.triedStamp = '0123456789abcdef';
    });
    const stages: string[] = [];
    await open({ tune: true, onProgress: ({ stage }) => stages.push(stage) });
    expect(stages).not.toContain('tune');
    expect((await tune()).layers.map(({ state }) => state)).toEqual(['measured', 'measured']);
  });

  it.each([
    ['broken', '{"schema": "onegpu-tuning/1", "lay', /no JSON object/],
    ['empty', '', /no JSON object/],
    ["another program's", '{"schema": "else/2"}', /schema is "else\/2"/],
    [
      "another adapter's",
      '{"schema": "onegpu-tuning/1", "device": ["x"], "adapter": "X 1"}',
      /driver \("X 1"\)/,
    ],
  ])('passes over a document that is %s, with a warning', async (_, text, reason) => {
    await writeFile(await file(), text);
    const [warning, ...more] = await warningsOf(() => open({ tune: 'kept' }));
    expect(warning).toMatch(/^TuningWarning: .*tuning-[0-9a-f]{16}\.json is passed over: /);
    expect(warning).toMatch(reason);
    expect(more).toEqual([]);
    const report = await tune();
    expect(report.warnings.join()).toMatch(reason);
    expect((await tune()).warnings).toEqual([]);
  });

  it('refuses an option that is none', async () => {
    const tuneOption = 'yes' as unknown as 'kept';
    await expect(InferenceSession.create(convModel(), { tune: tuneOption })).rejects.toThrow(
      InvalidInputError,
    );
  });
});

describe('LayerMemory', () => {
  it('gives each scratch of a plan a buffer of its own, and all of them back', async () => {
    const device = await testDevice();
    const { memory } = device;
    const layerMemory = new LayerMemory(device, { ...BARE_STEP, operands: {} });
    const scratch = ['values', 'products'].map((operand) => ({ operand, bytes: 48 }));
    const operands = await layerMemory.operands({ ...BARE_STEP.plan, scratch });
    expect(operands.values?.buffer).not.toBe(operands.products?.buffer);
    layerMemory.destroy();
    expect(device.memory).toEqual(memory);
  });
});

describe('kept documents', () => {
  it('belong to one adapter and driver', async () => {
    await tune();
    const { capabilities } = await testDevice();
    const text = await readFile(await file(), 'utf8');
    expect(parseTuning(text, capabilities).table.size).toBe(2);
    const other = { ...capabilities, description: `${capabilities.description}, a later driver` };
    expect(tuningFileName(other)).not.toBe(tuningFileName(capabilities));
    const parsed = parseTuning(text, other);
    expect([parsed.table.size, parsed.ignored]).toEqual([
      0,
      expect.stringContaining('another adapter or driver'),
    ]);
  });

  it('drop malformed layers and keep the others', async () => {
    await tune();
    let first = true;
    await edit((layer) => {
      if (first) layer.us = 'soon';
      first = false;
    });
    const { table, warning } = await loadTuning((await testDevice()).capabilities);
    expect([table.size, warning]).toEqual([1, expect.stringContaining('1 of its 2 layers are malformed')]);
  });

  it('stay whole when many write at once, and keep what others wrote before', async () => {
    await tune();
    const { capabilities } = await testDevice();
    const { table } = await loadTuning(capabilities);
    const none = parseTuning('', capabilities).table;
    await Promise.all([table, none, table, none].map((each) => saveTuning(capabilities, each, new Set())));
    const { table: read, warning } = await loadTuning(capabilities);
    expect([read.size, warning]).toEqual([2, undefined]);
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('that cannot be written are told of', async () => {
    process.env.ONEGPU_CACHE = join(folder, 'file');
    await writeFile(join(folder, 'file'), '');
    const { warnings, layers } = await tune();
    expect(warnings.join()).toContain('could not be written');
    expect(layers.map(({ state }) => state)).toEqual(['measured', 'measured']);
  });
});
