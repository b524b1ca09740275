/** What a session may be told, and the refusal of what is none of it. */
import { type AdapterChoice, GpuDevice, InvalidInputError } from '@onegpu/core';
import type { Layout, NumericMode } from '@onegpu/kernels/core';
import { checkOptions, describe, kindOf } from './describe.ts';
import { extensionForOption } from './extension.ts';
import type { InputDims } from './feeds.ts';
import type { OutputLocations } from './gpu-outputs.ts';
import type { LoadOptions } from './load-model.ts';
import type { TuneOption } from './tuning/session-tuning.ts';

/** `onProgress` is told about reading, compiling and uploading; `signal` ends all of it until `create` resolves. */
export interface SessionOptions extends LoadOptions {
  /** Which adapter to take when no device is given; `auto`: hardware, else the software adapter. */
  readonly adapter?: AdapterChoice;
  /** A device to share with other sessions; it is not disposed of by `release`. */
  readonly device?: GpuDevice;
  readonly mode?: NumericMode;
  /**
   * Input shapes to prepare while loading, so that the first run of these shapes compiles nothing. An extent that
   * contradicts a fixed one of the model replaces it, where the graph allows that. Nothing is prepared while the
   * shapes of other inputs are missing, or where values that are fed decide shapes.
   */
  readonly dims?: InputDims;
  /**
   * Graph fusions, by default those that suit the adapter; `false` runs the model's own nodes, for checking fusions
   * against them, `all` has a software adapter run what is made for hardware too, `portable` leaves that out everywhere.
   */
  readonly fusions?: boolean | 'all' | 'portable';
  /**
   * `nhwc4`: pictures are converted before the first node reads them, so that operators which follow the layout of
   * their input run channels last, as behind a convolution. Default `nchw`; results are the same tensors.
   */
  readonly inputLayout?: Layout;
  /**
   * `fast` mode only. `true`: each distinct layer is timed in the ways it can run on this adapter, once; choices are kept
   * in the user's cache folder or the browser's cache and used from then on. `kept`: what was measured before is used,
   * nothing is measured. Default `false`: the rules in the kernels choose.
   */
  readonly tune?: TuneOption;
  /**
   * Where results lie, of all outputs or by name: `cpu`, the default, or `gpu-buffer`, tensors that whoever gets them
   * disposes of. They may be fed to sessions on the same device, read by `getData`, drawn by `drawTensor`.
   */
  readonly preferredOutputLocation?: OutputLocations;
}

/** Every option by name; `undefined`: `checkChoices` has nothing to say about its values. */
const CHOICES = {
  adapter: ['auto', 'hardware', 'software'],
  mode: ['fast', 'deterministic'],
  fusions: [true, false, 'all', 'portable'],
  inputLayout: ['nchw', 'nhwc4'],
  tune: [true, false, 'kept'],
  cache: undefined,
  device: undefined,
  dims: undefined,
  externalData: undefined,
  onProgress: undefined,
  preferredOutputLocation: undefined,
  signal: undefined,
} satisfies Record<keyof SessionOptions, readonly unknown[] | undefined>;

/**
 * The options as they are now, so that whoever gave them may change them.
 * @throws InvalidInputError for options that are none, a name or a value that is not built, a device that is none
 */
export function takeSessionOptions(given: SessionOptions): SessionOptions {
  const names = Object.keys(CHOICES) as (keyof SessionOptions)[];
  checkOptions('SessionOptions', given, names);
  const options: SessionOptions = Object.fromEntries(names.map((name) => [name, given[name]]));
  checkGiven(options.device);
  checkChoices(options);
  const { fusions, mode, tune = false } = options;
  if (tune !== false && mode !== 'deterministic') extensionForOption('SessionOptions', 'tune');
  if (fusions === 'all') extensionForOption('SessionOptions', 'fusions');
  return options;
}

/** @throws InvalidInputError for a value that is not built */
function checkChoices(options: SessionOptions): void {
  for (const [field, choices] of Object.entries<readonly unknown[] | undefined>(CHOICES)) {
    const value = options[field as keyof SessionOptions];
    if (choices === undefined || value === undefined || choices.includes(value)) continue;
    const details = { subject: 'SessionOptions', field, got: describe(value), expected: choices.join(', ') };
    throw new InvalidInputError('there is no such value', details);
  }
}

/** @throws InvalidInputError for WebGPU's own device, and for what is none */
function checkGiven(device: unknown): void {
  if (device === undefined || device instanceof GpuDevice) return;
  throw new InvalidInputError('this is no GpuDevice', {
    subject: 'SessionOptions',
    field: 'device',
    got: kindOf(device),
    remedy: 'Make one of a GPUDevice: await GpuDevice.create({ device }).',
  });
}
