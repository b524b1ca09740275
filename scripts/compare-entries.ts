/**
 * The entry of `@onegpu/onnx` for browsers beside the full one, on this adapter: what a page gives up in time that loads
 * the smaller one. `npm run entries -- resnet50@8 dbnet_r18`; ready and wall are milliseconds of the host, gpu those from
 * the first to the last dispatch.
 *
 *   NETWORK[@HxW][@BATCH]...   names of test models or files, batch 1 unless given
 *   --adapter KIND             auto, hardware or software
 */
import { parseArgs } from 'node:util';
import { formatEnvironment, readEnvironment, resolveModel, seededTensor } from '@onegpu/bench';
import { type AdapterChoice, GpuDevice, OneGpuError } from '@onegpu/core';
import { InferenceSession, type Tensor } from '@onegpu/onnx';
import { median } from '@onegpu/onnx/tools';
import { EVERYTHING } from '../packages/onnx/src/everything.ts';
import { extend } from '../packages/onnx/src/extension.ts';

/** A GPU idles at a sixth of its clock: load before the first timing. */
const WAKE_MS = 300;
const RUNS = 40;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { adapter: { type: 'string' } },
});
const adapter = (options.adapter ?? 'auto') as AdapterChoice;

type Entry = 'browser' | 'full';
type Feeds = Readonly<Record<string, Tensor>>;

/** Each entry twice, by turns: the first of each compiles what the driver has not kept. */
const TURNS: readonly Entry[] = ['browser', 'full', 'browser', 'full'];

/** One session of the entry on a device of its own. */
async function measure(entry: Entry, path: string, dims: readonly number[]): Promise<string> {
  const begin = performance.now();
  extend(entry === 'full' ? EVERYTHING : undefined);
  await using session = await InferenceSession.create(path, { adapter });
  const [input = ''] = session.inputNames;
  const feeds: Feeds = { [input]: seededTensor('float32', dims, 1) };
  await session.run(feeds);
  const ready = performance.now() - begin;
  const { software } = session.device.capabilities;
  for (const end = performance.now() + WAKE_MS; !software && performance.now() < end; )
    await session.run(feeds);
  const walls: number[] = [];
  while (walls.length < (software ? 1 : RUNS)) {
    const start = performance.now();
    await session.run(feeds);
    walls.push(performance.now() - start);
  }
  const { steps } = await session.explain({ [input]: dims });
  extend(EVERYTHING); // Profiles come with it; the plan is the one made before.
  const { totals } = await session.profile(feeds, { runs: software ? 1 : 15 });
  const gpu = totals.unprofiledSpanMs?.toFixed(3) ?? 'unknown';
  return `${entry.padEnd(8)} ready ${ready.toFixed(0)}, wall ${median(walls).toFixed(2)}, gpu ${gpu}, ${steps.length} steps`;
}

try {
  const device = await GpuDevice.create({ adapter });
  console.log(formatEnvironment(await readEnvironment(device)));
  await device.disposeAsync();
  for (const spec of positionals) {
    const [, name = spec, batch = '1'] = /^(.+)@(\d+)$/.exec(spec) ?? [];
    const { path, dims = [1, 3, 224, 224] } = await resolveModel(name);
    console.log(`\n${name}, batch ${batch}`);
    for (const entry of TURNS) {
      console.log(`  ${await measure(entry, path, [Number(batch), ...dims.slice(1)])}`);
    }
  }
} catch (error) {
  if (!(error instanceof OneGpuError)) throw error;
  console.error(`entries: ${error.message}`);
  process.exitCode = 1;
}
