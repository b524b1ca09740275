/**
 * Prints the numeric tables of docs/benchmarks.md. `npm run numerics` compares every test model with onnxruntime on
 * the CPU, `npm run numerics -- resnet50 ocr-det` only these; `npm run numerics -- layers resnet50` compares each
 * convolution layer of a model with float64 (without a name: of the three networks and text detection);
 * `npm run numerics -- operators [NETWORK...] [--batch N] [--type T]` prints the largest error of each family of
 * operators beside its limit, and fails where one is over it.
 */
import { compareModel, formatEnvironment, markdownTable, readEnvironment, resolveModel } from '@onegpu/bench';
import { PP_OCR_DETECTION, preprocessPicture, readPicture } from '@onegpu/cli';
import { GpuDevice } from '@onegpu/core';
import type { Tensor } from '@onegpu/onnx';
import { modelNames, ocrModelNames, signImagePath } from '@onegpu/test-models';
import { convLayersOf } from './conv-layers.ts';
import { convLayerError } from './numerics-conv.ts';
import { operatorChoice, printOperators } from './numerics-operators.ts';

const MODE = 'fast';
const LAYER_MODELS = ['resnet50', 'mobilenet_v3_large', 'dbnet_r18', 'ocr-det'];

const [first, ...rest] = process.argv.slice(2);
const device = await GpuDevice.create();
try {
  console.log(`${formatEnvironment(await readEnvironment(device))}\n`);
  if (first === 'layers') await printLayers(rest.length > 0 ? rest : LAYER_MODELS);
  else if (first === 'operators') {
    const choice = operatorChoice(rest, device.capabilities.software);
    if (!(await printOperators(device, choice, console.log))) process.exitCode = 1;
  } else await printModels(first === undefined ? [...modelNames, ...ocrModelNames] : [first, ...rest]);
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

function showProgress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${what} ...\u001b[K\r`);
}

/** Text detection sees the picture with text; the others take seeded values. */
async function realInput(name: string): Promise<Tensor | undefined> {
  if (name !== 'ocr-det') return undefined;
  return preprocessPicture(await readPicture(signImagePath()), PP_OCR_DETECTION);
}
