/** `onegpu info MODEL`: what a model is and whether it can run, without a GPU. */
import { findModel } from '@onegpu/bench';
import type { GraphValue } from '@onegpu/onnx';
import { type LoadedModel, loadModel, type ModelInfo, modelInfo } from '@onegpu/onnx/tools';
import type { Command } from 'commander';
import { checkInputNames, chooseDims } from '../input-dims.ts';
import { addShapeOption, type ShapeOptions } from '../options.ts';
import { note, print, printJson } from '../output.ts';
import { wrapItems } from '../wrap-items.ts';

interface InfoOptions extends ShapeOptions {
  readonly json?: true;
}

interface ShapedInfo {
  readonly info: ModelInfo;
  /** Extents that the multiply-adds are counted for. */
  readonly shapes: Readonly<Record<string, readonly number[]>>;
}

export function addInfoCommand(program: Command): void {
  const command = program
    .command('info')
    .argument('<model>', 'ONNX file; in the checkout also the name of a test model, as resnet50');
  command.description('print inputs, outputs, operators, parameters, multiply-adds and unsupported nodes');
  addShapeOption(command).option('--json', 'print JSON alone on standard output').action(tellInfo);
}

async function tellInfo(model: string, options: InfoOptions): Promise<void> {
  const { path, dims } = await findModel(model);
  const { info, shapes } = shapedInfo(await loadModel(path), options, dims);
  if (options.json) printJson({ model, ...info, shapes });
  else print(formatInfo(model, info, shapes));
}

/** Free extents are chosen by the same rule as for a run, and said on standard error. */
function shapedInfo(
  model: LoadedModel,
  options: InfoOptions,
  testDims: readonly number[] | undefined,
): ShapedInfo {
  const plain = modelInfo(model);
  checkInputNames('--shape', options.shape.keys(), plain.inputs);
  const shapes: Record<string, readonly number[]> = {};
  for (const input of plain.inputs) {
    if (input.dims === undefined && !options.shape.has(input.name)) return { info: plain, shapes: {} };
    const chosen = chooseDims(input, plain.outputs, {
      ...{ software: false, testDims },
      shapes: options.shape,
    });
    shapes[input.name] = chosen.dims;
    if (chosen.assumed !== '')
      note(`multiply-adds: "${input.name}" with ${chosen.assumed}; --shape changes it`);
  }
  return { info: modelInfo(model, { shapes }), shapes };
}

function formatInfo(model: string, info: ModelInfo, shapes: ShapedInfo['shapes']): string {
  const opsets = Object.entries(info.opsets).map(([domain, version]) => `${domain || 'ai.onnx'} ${version}`);
  const lines = [
    `model          ${model}${info.name === '' ? '' : ` (${info.name})`}`,
    `written by     ${info.producer || 'unknown'}, IR ${info.irVersion}, opset ${opsets.join(', ')}`,
    ...info.inputs.map((input) => `input          ${formatValue(input)}`),
    ...info.outputs.map((output) => `output         ${formatValue(output)}`),
    `parameters     ${info.parameters.toLocaleString('en')} (${mebibytes(info.constantBytes)} of constants)`,
    `multiply-adds  ${formatWork(info.multiplyAdds, shapes)}`,
    wrapItems(
      'operators      ',
      info.operators.map(({ operator, count }) => `${operator} ${count}`),
    ),
    `unsupported    ${info.unsupported.length === 0 ? 'none' : `${info.unsupported.length} nodes`}`,
    ...groupUnsupported(info.unsupported),
  ];
  return lines.join('\n');
}

/** One line an operator and reason, with the first nodes; JSON lists every node. */
function groupUnsupported(nodes: ModelInfo['unsupported']): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const { node, operator, reason } of nodes) {
    const key = `${operator}: ${reason}`;
    groups.set(key, [...(groups.get(key) ?? []), node]);
  }
  return [...groups].map(([key, names]) => {
    const rest = names.length > SHOWN_NODES ? ` and ${names.length - SHOWN_NODES} more` : '';
    return `  ${key} (${names.slice(0, SHOWN_NODES).join(', ')}${rest})`;
  });
}

const SHOWN_NODES = 3;

function formatValue({ name, type, dims }: GraphValue): string {
  return `${name}  ${type} ${dims === undefined ? 'of any rank' : `[${dims.join(', ')}]`}`;
}

function formatWork(multiplyAdds: number | undefined, shapes: ShapedInfo['shapes']): string {
  if (multiplyAdds === undefined) return 'not known';
  const inputs = Object.entries(shapes).map(([name, dims]) => `${name} [${dims.join(', ')}]`);
  return `${scaled(multiplyAdds)} for ${inputs.join(', ')}`;
}

function scaled(count: number): string {
  if (count >= 1e9) return `${(count / 1e9).toFixed(2)} G`;
  if (count >= 1e6) return `${(count / 1e6).toFixed(2)} M`;
  return String(count);
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
