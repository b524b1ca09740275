/**
 * Tunes a model ahead of its sessions and says what came of it, layer by layer: what `onegpu tune` does. Nothing of the
 * model is run but single layers, on noise.
 */
import { type AdapterChoice, describeAdapter, GpuDevice, InvalidInputError } from '@onegpu/core';
import type { Layout } from '@onegpu/kernels';
import { type ExecutionPlan, planExecution } from '../execution-plan.ts';
import { type InputDims, resolveDims } from '../feeds.ts';
import type { GraphValue } from '../graph.ts';
import { inferShapes } from '../infer-shapes.ts';
import type { ProgressListener } from '../load-progress.ts';
import type { ModelInput } from '../model-source.ts';
import { forAdapter, prepareModel } from '../prepare-model.ts';
import { checkValueSizes } from '../size-limits.ts';
import { tuneReport } from './report-tuning.ts';
import type { TuneProgress } from './tune-layers.ts';
import { tunePlan } from './tune-plan.ts';
import type { TuneReport } from './tune-report.ts';
import { loadTuning, tuningPlace } from './tuning-store.ts';
import { TuningTable } from './tuning-table.ts';

export interface TuneModelOptions {
  /** Which adapter to take when no device is given. */
  readonly adapter?: AdapterChoice;
  /** A device of the caller's, which is left open. */
  readonly device?: GpuDevice;
  /** Extents of the inputs, as in `SessionOptions.dims`; the model's own where it fixes them. */
  readonly dims?: InputDims;
  /** Extents for inputs that `dims` leaves out, once the model is read. */
  readonly otherDims?: (inputs: readonly GraphValue[], outputs: readonly GraphValue[]) => InputDims;
  /** As in `SessionOptions`: layers are tuned in the layout they will run in. */
  readonly inputLayout?: Layout;
  readonly fusions?: boolean | 'all';
  /** Measure also what was measured before. */
  readonly refresh?: boolean;
  /** Most milliseconds, over 0: layers not reached by then keep the rules' choice. Default 3 minutes, software 10. */
  readonly limitMs?: number;
  readonly onLoad?: ProgressListener;
  readonly onProgress?: (progress: TuneProgress) => void;
}

/**
 * @throws InvalidModelError, UnsupportedOperatorError, InvalidInputError for extents that are missing or wrong and a limit
 * that is none, GpuUnavailableError, GpuDeviceLostError
 */
export async function tuneModel(source: ModelInput, options: TuneModelOptions = {}): Promise<TuneReport> {
  const { limitMs, adapter = 'auto' } = options;
  if (limitMs !== undefined && !(limitMs > 0)) {
    throw new InvalidInputError('the time limit is none', {
      ...{ subject: 'tuneModel', field: 'limitMs', got: String(limitMs) },
      expected: 'a number over 0',
    });
  }
  const device = options.device ?? (await GpuDevice.create({ adapter }));
  try {
    return await tuneOn(device, source, options);
  } finally {
    if (options.device === undefined) await device.disposeAsync();
  }
}

async function tuneOn(device: GpuDevice, source: ModelInput, options: TuneModelOptions): Promise<TuneReport> {
  const begin = performance.now();
  const { capabilities } = device;
  const { execution, dims } = await planModel(device, source, options);
  const { table, warning } = await loadTuning(capabilities);
  const { refresh, limitMs, onProgress } = options;
  const tuned = await tunePlan(
    device,
    { execution, table },
    { refresh, thorough: true, limitMs, onProgress },
  );
  return tuneReport(tuned, table, {
    adapter: describeAdapter(capabilities),
    inputs: dims,
    seconds: (performance.now() - begin) / 1e3,
    place: tuningPlace(capabilities),
    warnings: [warning, tuned.warning].filter((text) => text !== undefined),
  });
}

async function planModel(
  device: GpuDevice,
  source: ModelInput,
  options: TuneModelOptions,
): Promise<{ readonly execution: ExecutionPlan; readonly dims: InputDims }> {
  const { dims: given = {}, fusions, onLoad, otherDims, inputLayout } = options;
  const prepared = await prepareModel(source, {
    dims: given,
    fusions,
    ...(onLoad === undefined ? {} : { onProgress: onLoad }),
  });
  const { graph } = forAdapter(prepared, device.capabilities, fusions);
  const dims = { ...fixedDims(graph.inputs), ...otherDims?.(graph.inputs, graph.outputs), ...given };
  checkComplete(graph.inputs, dims);
  const inferred = inferShapes(graph, resolveDims(graph, dims));
  checkValueSizes(graph, inferred, device.capabilities.limits);
  const execution = planExecution({
    graph: { ...graph, nodes: [...inferred.nodes] },
    values: inferred.values,
    capabilities: device.capabilities,
    mode: 'fast',
    algorithms: new Map(),
    tuning: new TuningTable(), // The rules' own choices, with their layers.
    ...(inputLayout === undefined ? {} : { inputLayout }),
  });
  return { execution, dims };
}

/** Extents that the model itself fixes. */
function fixedDims(inputs: readonly GraphValue[]): InputDims {
  const fixed = inputs.flatMap(({ name, dims }) =>
    dims?.every((extent) => typeof extent === 'number') ? [[name, dims as readonly number[]] as const] : [],
  );
  return Object.fromEntries(fixed);
}

/** @throws InvalidInputError for an input whose extents nobody says */
function checkComplete(inputs: readonly GraphValue[], dims: InputDims): void {
  const free = inputs.find(({ name }) => !Object.hasOwn(dims, name));
  if (free === undefined) return;
  throw new InvalidInputError('the model leaves its extents free', {
    ...{ subject: 'tuneModel', field: `dims["${free.name}"]` },
    got: free.dims === undefined ? 'no rank' : `[${free.dims.join(', ')}]`,
    expected: 'a number each',
  });
}
