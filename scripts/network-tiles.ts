/**
 * What each way to run a layer adds to the time of its whole network: `npm run tiles -- resnet50@8 dbnet_r18`. Alone and
 * repeated a layer finds its operands in the caches, which favours large tiles; here it stands in its place, all others
 * run as the rules have it. `gemm-rule.ts` is fitted to these differences. The first row of a layer is the rules' choice.
 *
 *   NETWORK[@BATCH]...     names of test models or files, batch 1 unless given
 *   --choices N            the first N ways of each algorithm, by the rules' order (default 6)
 *   --also NAME,NAME       configurations to try besides, as 64x128x8/8x8
 *   --layers N             only the N layers of the most arithmetic
 *   --json FILE            all of it: [{ network, batch, us, layers: [{ key, label, count, more: { NAME: us } }] }]
 *   --adapter KIND         auto, hardware or software
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { formatEnvironment, readEnvironment, resolveModel } from '@onegpu/bench';
import { type AdapterChoice, GpuDevice, GpuTimer, OneGpuError } from '@onegpu/core';
import type { LayerChoice } from '@onegpu/kernels';
import { median } from '@onegpu/onnx/tools';
import { ArenaSet } from '../packages/onnx/src/arena-set.ts';
import { ConstantStore } from '../packages/onnx/src/constant-store.ts';
import { type ExecutionPlan, planExecution } from '../packages/onnx/src/execution-plan.ts';
import { resolveDims } from '../packages/onnx/src/feeds.ts';
import { inferShapes } from '../packages/onnx/src/infer-shapes.ts';
import { forAdapter, prepareModel } from '../packages/onnx/src/prepare-model.ts';
import { PreparedPlan } from '../packages/onnx/src/prepared-plan.ts';
import { choiceName, type ExecutionLayer, sameChoice } from '../packages/onnx/src/tuning/execution-layer.ts';
import { byWork, distinctLayers } from '../packages/onnx/src/tuning/tune-layers.ts';
import { type TunedEntry, TuningTable } from '../packages/onnx/src/tuning/tuning-table.ts';

/** A GPU idles at a sixth of its clock: load before the first timing, and again where choices were compiled. */
const WAKE_MS = 250;
const TIMINGS = 15;
const SILENT = { onCompiled: () => {}, onUploaded: () => {} };

interface LayerRow {
  readonly key: string;
  readonly label: string;
  readonly count: number;
  /** Microseconds that a choice adds to the network for each time the layer stands there. */
  readonly more: Record<string, number>;
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ choices: { type: 'string' }, also: { type: 'string' }, layers: { type: 'string' } },
    ...{ json: { type: 'string' }, adapter: { type: 'string' } },
  },
});

const mostChoices = countOf('choices', options.choices ?? '6');
const mostLayers = options.layers === undefined ? undefined : countOf('layers', options.layers);
if (positionals.length === 0) throw new RangeError('name a network, as resnet50@8');

const device = await GpuDevice.create({ adapter: (options.adapter ?? 'auto') as AdapterChoice });
const timer = await GpuTimer.create(device);
/** @throws RangeError */
function countOf(name: string, text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new RangeError(`${name} is "${text}", expected a whole number from 1 on`);
}

async function measureNetwork(name: string, batch: number) {
  const network = await Network.load(name, batch);
  try {
    const rule = await network.prepare(new Map());
    await wake(rule);
    const us = await timeOf(rule);
    console.log(`${name}, batch ${batch}: ${us.toFixed(1)} us by the rules`);
    const layers: LayerRow[] = [];
    const groups = [...distinctLayers(network.execution)].sort(byWork).slice(0, mostLayers);
    for (const { layer, steps } of groups) {
      const [label, count] = [steps[0]?.plan.label ?? '', steps.length];
      const row = { key: layer.key, label, count, more: await network.differences(layer, count, rule) };
      layers.push(row);
      const best = Object.entries(row.more).sort((a, b) => a[1] - b[1]);
      const shown = best.slice(0, 4).map(([choice, more]) => `${choice} ${more.toFixed(1)}`);
      console.log(`${String(count).padStart(3)} ${label.slice(0, 60).padEnd(60)} ${shown.join(', ')}`);
    }
    return { network: name, batch, us, layers };
  } finally {
    network.destroy();
  }
}

/** A model at one shape, its arenas and constants shared by all plans that are tried. */
class Network {
  readonly execution: ExecutionPlan;
  readonly #plan: (table: TuningTable) => ExecutionPlan;
  readonly #inferred: ReturnType<typeof inferShapes>;
  readonly #arenas = new ArenaSet(device);
  readonly #constants = new ConstantStore(device, 'weights');

  private constructor(inferred: ReturnType<typeof inferShapes>, plan: (table: TuningTable) => ExecutionPlan) {
    this.#inferred = inferred;
    this.#plan = plan;
    this.execution = plan(new TuningTable());
  }

  static async load(name: string, batch: number): Promise<Network> {
    const { path, dims = [1, 3, 224, 224] } = await resolveModel(name);
    const { graph } = forAdapter(await prepareModel(path, {}), device.capabilities, undefined);
    const [input] = graph.inputs;
    if (input === undefined) throw new RangeError(`${name} has no input`);
    const inferred = inferShapes(graph, resolveDims(graph, { [input.name]: [batch, ...dims.slice(1)] }));
    const request = {
      graph: { ...graph, nodes: [...inferred.nodes] },
      ...{ values: inferred.values, capabilities: device.capabilities, mode: 'fast' as const },
    };
    return new Network(inferred, (tuning) => planExecution({ ...request, tuning, algorithms: new Map() }));
  }

  /** With these choices in place of the rules'; only `entry` of a table is read. */
  async prepare(choices: ReadonlyMap<string, LayerChoice>): Promise<PreparedPlan> {
    const entry = (layer: ExecutionLayer) => choices.get(layer.key) as TunedEntry | undefined;
    const table = Object.assign(new TuningTable(), { entry });
    const execution = choices.size === 0 ? this.execution : this.#plan(table);
    const resources = { device, arenas: this.#arenas, constants: this.#constants };
    return PreparedPlan.create(resources, { execution, inferred: this.#inferred }, SILENT);
  }

  async differences(
    layer: ExecutionLayer,
    count: number,
    rule: PreparedPlan,
  ): Promise<Record<string, number>> {
    const more: Record<string, number> = {};
    const [own, ...others] = choicesOf(layer);
    if (own !== undefined) more[choiceName(own)] = 0;
    const plans: { readonly name: string; readonly plan: PreparedPlan }[] = [];
    for (const choice of others) {
      try {
        plans.push({ name: choiceName(choice), plan: await this.prepare(new Map([[layer.key, choice]])) });
      } catch (error) {
        if (!(error instanceof OneGpuError)) throw error; // A choice that cannot run here is no row.
      }
    }
    await wake(rule);
    const base = await timeOf(rule);
    for (const { name, plan } of plans) {
      more[name] = ((await timeOf(plan)) - base) / count;
      plan.destroy();
    }
    return more;
  }

  destroy(): void {
    this.#constants.destroy();
    this.#arenas.destroy();
  }
}

/** The rules' choice first, then the first ways of each algorithm, then the configurations asked for. */
function choicesOf(layer: ExecutionLayer): readonly LayerChoice[] {
  const all = layer.choices();
  const taken = all.filter(({ algorithm }, index) => {
    return all.slice(0, index).filter((other) => other.algorithm === algorithm).length < mostChoices;
  });
  const configured = new Set(
    all.filter((choice) => choice.configuration !== undefined).map((c) => c.algorithm),
  );
  const also = (options.also ?? '').split(',').filter((name) => name !== '');
  const more = also.flatMap((configuration) =>
    [...configured].map((algorithm) => ({ algorithm, configuration })),
  );
  return [...taken, ...more.filter((choice) => !taken.some((other) => sameChoice(choice, other)))];
}

async function wake(plan: PreparedPlan): Promise<void> {
  if (device.capabilities.software) return;
  for (const end = performance.now() + WAKE_MS; performance.now() < end; ) await timeOf(plan, 3);
}

/** Microseconds of all dispatches in one submission, the median of several. */
async function timeOf(plan: PreparedPlan, timings = TIMINGS): Promise<number> {
  while (!plan.isBound) await plan.rebind();
  const times: number[] = [];
  const count = device.capabilities.software ? 1 : timings;
  while (times.length < count) times.push(await timer.time((encoder) => plan.program.encode(encoder)));
  return median(times) * 1e3;
}

try {
  console.log(`${formatEnvironment(await readEnvironment(device))}\n`);
  const results = [];
  for (const spec of positionals) {
    const [name = '', batch = '1'] = spec.split('@');
    results.push(await measureNetwork(name, countOf('batch', batch)));
  }
  if (options.json !== undefined) await writeFile(options.json, JSON.stringify(results));
} catch (error) {
  if (!(error instanceof OneGpuError)) throw error;
  console.error(`tiles: ${error.message}`);
  process.exitCode = 1;
} finally {
  timer.destroy();
  await device.disposeAsync();
}
