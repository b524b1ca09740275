/**
 * Prints the numeric tables of docs/benchmarks.md. `npm run numerics` compares every test model with onnxruntime on
 * the CPU, `npm run numerics -- resnet50 ocr-det` only these; `npm run numerics -- layers resnet50` compares each
 * convolution layer of a model with float64 (without a name: of the three networks and text detection);
 * `npm run numerics -- operators` prints the largest error of each family of operators beside its limit, with names
 * (resnet50, mobilenet-v3, dbnet, dbnet-r50) for the convolutions of these networks alone.
 */
import {
  compareModel,
  formatEnvironment,
  LAYER_NETWORK_NAMES,
  type LayerNetwork,
  markdownTable,
  readEnvironment,
  resolveModel,
} from '@onegpu/bench';
import { PP_OCR_DETECTION, preprocessPicture, readPicture } from '@onegpu/cli';
import { GpuDevice } from '@onegpu/core';
import type { Tensor } from '@onegpu/onnx';
import { modelNames, ocrModelNames, signImagePath } from '@onegpu/test-models';
import { convLayersOf } from './conv-layers.ts';
import { convLayerError } from './numerics-conv.ts';
import { operatorRows } from './numerics-operators.ts';

const MODE = 'fast';
const LAYER_MODELS = ['resnet50', 'mobilenet_v3_large', 'dbnet_r18', 'ocr-det'];

const [first, ...rest] = process.argv.slice(2);
const device = await GpuDevice.create();
try {
  console.log(`${formatEnvironment(await readEnvironment(device))}\n`);
  if (first === 'layers') await printLayers(rest.length > 0 ? rest : LAYER_MODELS);
  else if (first === 'operators') await printOperators(networksOf(rest));
  else await printModels(first === undefined ? [...modelNames, ...ocrModelNames] : [first, ...rest]);
} finally {
  await device.disposeAsync();
}

async function printModels(names: readonly string[]): Promise<void> {
  const rows: string[][] = [];
  for (const name of names) {
    showProgress(name);
    const input = await realInput(name);
    const model = await resolveModel(name);
    const row = await compareModel(device, MODE, { model, ...(input === undefined ? {} : { input }) });
    const figures = [row.error, row.errorPlain, row.reference].map((value) => value.toExponential(1));
    rows.push([row.model, row.dims.join('x'), ...figures]);
  }
  const headings = ['model', 'input', 'against ort cpu', 'against ort cpu, plain', 'ort cpu against plain'];
  console.log(markdownTable(headings, rows).join('\n'));
}

async function printLayers(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { path, label, dims = [1, 3, 224, 224] } = await resolveModel(name);
    const rows: string[][] = [];
    let worst = 0;
    for (const { layer, count } of await convLayersOf(path, dims)) {
      showProgress(`${name} ${layer.weights.join('x')}`);
      const { error, algorithm, terms } = await convLayerError(device, MODE, layer);
      worst = Math.max(worst, error);
      const geometry = `stride ${layer.strides[0]}${layer.groups > 1 ? `, groups ${layer.groups}` : ''}`;
      const figures = [String(count), String(terms), algorithm, error.toExponential(1)];
      rows.push([layer.src.join('x'), layer.weights.join('x'), geometry, ...figures]);
    }
    const headings = ['input', 'weights', 'geometry', 'times', 'terms', 'algorithm', 'scaled error'];
    console.log(`${label} at ${dims.join('x')}: largest scaled error ${worst.toExponential(1)}\n`);
    console.log(`${markdownTable(headings, rows).join('\n')}\n`);
  }
}

/** Sets the exit code where an error is over its limit. */
async function printOperators(networks: readonly LayerNetwork[]): Promise<void> {
  const rows = await operatorRows(device, networks, showProgress);
  const figure = (value: number): string => (value === 0 ? '0' : value.toExponential(1));
  const cells = rows.map(({ operator, type, problems, error, limit, worst }) => {
    const held = error <= limit ? '' : ' MISSED';
    return [operator, type, String(problems), figure(error), `${figure(limit)}${held}`, worst];
  });
  const headings = ['operator', 'type', 'problems', 'scaled error', 'limit', 'largest in'];
  console.log(`Convolutions of ${networks.join(', ')}, batch 1\n`);
  console.log(markdownTable(headings, cells).join('\n'));
  if (rows.some(({ error, limit }) => !(error <= limit))) process.exitCode = 1;
}

function networksOf(names: readonly string[]): readonly LayerNetwork[] {
  const unknown = names.find((name) => !LAYER_NETWORK_NAMES.some((known) => known === name));
  if (unknown !== undefined) {
    throw new RangeError(`no network "${unknown}"; there are ${LAYER_NETWORK_NAMES.join(', ')}`);
  }
  return LAYER_NETWORK_NAMES.filter((name) => names.length === 0 || names.includes(name));
}

function showProgress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${what} ...\u001b[K\r`);
}

/** Text detection sees the picture with text; the others take seeded values. */
async function realInput(name: string): Promise<Tensor | undefined> {
  if (name !== 'ocr-det') return undefined;
  return preprocessPicture(await readPicture(signImagePath()), PP_OCR_DETECTION);
}
