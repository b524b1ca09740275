/**
 * Prints the numeric tables of docs/benchmarks.md: every test model against onnxruntime on the CPU. `npm run numerics`;
 * names of models may follow (`npm run numerics -- resnet50`).
 */
import { compareModel, formatEnvironment, markdownTable, readEnvironment, resolveModel } from '@onegpu/bench';
import { PP_OCR_DETECTION, preprocessPicture, readPicture } from '@onegpu/cli';
import { GpuDevice } from '@onegpu/core';
import type { Tensor } from '@onegpu/onnx';
import { modelNames, ocrModelNames, signImagePath } from '@onegpu/test-models';

const words = process.argv.slice(2);
const names = words.length > 0 ? words : [...modelNames, ...ocrModelNames];
const device = await GpuDevice.create();
try {
  console.log(`${formatEnvironment(await readEnvironment(device.capabilities))}\n`);
  const rows: string[][] = [];
  for (const name of names) {
    if (process.stderr.isTTY) process.stderr.write(`${name} ...\r`);
    const input = await realInput(name);
    const row = await compareModel(device, 'fast', {
      model: await resolveModel(name),
      ...(input === undefined ? {} : { input }),
    });
    const figures = [row.error, row.errorPlain, row.reference].map((value) => value.toExponential(1));
    rows.push([row.model, row.dims.join('x'), ...figures]);
  }
  const headings = ['model', 'input', 'against ort cpu', 'against ort cpu, plain', 'ort cpu against plain'];
  console.log(markdownTable(headings, rows).join('\n'));
} finally {
  await device.disposeAsync();
}

/** Text detection sees the picture with text; the others take seeded values. */
async function realInput(name: string): Promise<Tensor | undefined> {
  if (name !== 'ocr-det') return undefined;
  return preprocessPicture(await readPicture(signImagePath()), PP_OCR_DETECTION);
}
