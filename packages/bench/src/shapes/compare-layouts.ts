/**
 * Prints the convolutions of a network in both layouts, with the algorithm the rules choose there:
 * `npx tsx packages/bench/src/shapes/compare-layouts.ts [resnet50|mobilenet-v3|dbnet] [auto|software|hardware]`.
 */
import { GpuDevice, GpuTimer } from '@onegpu/core';
import { type Layout, makeConvProblem, PLAIN_EPILOGUE, selectConv } from '@onegpu/kernels';

import { LAYER_NETWORKS } from '../layers/networks.ts';
import { destroyOperands, placeOperands } from '../layers/operands.ts';
import { SOFTWARE_BUDGET, timePlan } from '../layers/time-plan.ts';
import { type ConvLayer, layerLabel, layerRequest } from './conv-layer.ts';

const NETWORKS: Readonly<Record<string, readonly ConvLayer[]>> = LAYER_NETWORKS;

interface LayoutTime {
  readonly algorithm: string;
  readonly milliseconds: number;
  readonly gigaflops: number;
}

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
  const timer = await GpuTimer.create(device);
  const totals = { nchw: 0, nhwc4: 0 };
  console.log('| layer | nchw ms | nhwc4 ms | nchw GFLOP/s | nhwc4 GFLOP/s |\n|---|---|---|---|---|');
  for (const layer of rows.filter((row) => row.transposed !== true)) {
    const times: LayoutTime[] = [];
    for (const layout of ['nchw', 'nhwc4'] as const) {
      const time = await timeIn(device, timer, layer, layout);
      times.push(time);
      totals[layout] += layer.count * time.milliseconds;
    }
    const cells = [
      ...times.map((time) => `${time.milliseconds.toFixed(2)} (${time.algorithm})`),
      ...times.map((time) => time.gigaflops.toFixed(2)),
    ];
    console.log(`| ${layerLabel(name, layer)} | ${cells.join(' | ')} |`);
  }
  timer.destroy();
  console.log(`| all ${name} convolutions | ${totals.nchw.toFixed(0)} | ${totals.nhwc4.toFixed(0)} | | |`);
}

async function timeIn(
  device: GpuDevice,
  timer: GpuTimer,
  layer: ConvLayer,
  layout: Layout,
): Promise<LayoutTime> {
  const request = layerRequest(layer, { batch: 1, layout, epilogue: PLAIN_EPILOGUE });
  const problem = makeConvProblem(request);
  const { plan, algorithm } = selectConv(problem, device.capabilities, { mode: 'fast' });
  const { src, weights } = request;
  const dims = { src, weights, bias: [problem.oc], dst: [1, problem.oc, problem.oh, problem.ow] };
  const operands = await placeOperands(device, { algorithm, layout, plan }, dims);
  const { medianMs } = await timePlan(device, timer, { plan, operands }, SOFTWARE_BUDGET);
  destroyOperands(device, operands);
  return { algorithm, milliseconds: medianMs, gigaflops: plan.cost.flops / medianMs / 1e6 };
}
