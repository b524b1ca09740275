/**
 * Prints the convolutions of a network in both layouts, with the algorithm the rules choose there:
 * `npx tsx packages/bench/src/shapes/compare-layouts.ts [resnet50|mobilenet-v3|dbnet-r18] [auto|software|hardware]`.
 */
import { GpuDevice } from '@onegpu/core';
import { makeConvProblem, PLAIN_EPILOGUE } from '@onegpu/kernels';
import { type ConvLayer, layerLabel, layerRequest } from './conv-layer.ts';
import { DBNET_R18_LAYERS } from './dbnet.ts';
import { MOBILENET_V3_LARGE_LAYERS } from './mobilenet-v3.ts';
import { RESNET50_LAYERS } from './resnet50.ts';
import { type LayerTime, timeLayer } from './time-layer.ts';

const NETWORKS: Readonly<Record<string, readonly ConvLayer[]>> = {
  resnet50: RESNET50_LAYERS,
  'mobilenet-v3': MOBILENET_V3_LARGE_LAYERS,
  'dbnet-r18': DBNET_R18_LAYERS,
};

const [network = 'mobilenet-v3', adapter = 'auto'] = process.argv.slice(2);
const layers = NETWORKS[network];
if (layers === undefined || !(adapter === 'auto' || adapter === 'software' || adapter === 'hardware')) {
  console.error(`networks: ${Object.keys(NETWORKS).join(', ')}; adapters: auto, software, hardware`);
  process.exitCode = 2;
} else {
  const device = await GpuDevice.create({ adapter });
  await compare(device, network, layers);
  await device.disposeAsync();
}

async function compare(device: GpuDevice, name: string, rows: readonly ConvLayer[]): Promise<void> {
  const totals = { nchw: 0, nhwc4: 0 };
  console.log('| layer | nchw ms | nhwc4 ms | nchw GFLOP/s | nhwc4 GFLOP/s |\n|---|---|---|---|---|');
  for (const layer of rows.filter((row) => row.transposed !== true)) {
    const times: Partial<Record<'nchw' | 'nhwc4', LayerTime>> = {};
    for (const layout of ['nchw', 'nhwc4'] as const) {
      const request = layerRequest(layer, { batch: 1, layout, epilogue: PLAIN_EPILOGUE });
      const time = await timeLayer(device, makeConvProblem(request), { rounds: 4, repeats: 2 });
      times[layout] = time;
      totals[layout] += layer.count * time.milliseconds;
    }
    const cells = [
      ...[times.nchw, times.nhwc4].map((time) => `${time?.milliseconds.toFixed(2)} (${time?.algorithm})`),
      ...[times.nchw, times.nhwc4].map((time) => time?.gigaflops.toFixed(2)),
    ];
    console.log(`| ${layerLabel(name, layer)} | ${cells.join(' | ')} |`);
  }
  console.log(`| all ${name} convolutions | ${totals.nchw.toFixed(0)} | ${totals.nhwc4.toFixed(0)} | | |`);
}
