/** Options of the execution provider: onnxruntime's for `webgpu`, and this runtime's own. */
import type { InferenceSession as Ort } from 'onnxruntime-common';
import type { SessionOptions } from '../session-options.ts';
import { applyRules, HONOURED, type OptionRule, oneOf, refused, warned } from './option-rules.ts';
import { type DeviceSource, GivenDevice } from './shared-device.ts';

/** Options of @onegpu/onnx's own session that a provider may have. */
const OWN = ['adapter', 'mode', 'tune', 'dims', 'inputLayout', 'onProgress', 'cache', 'signal'] as const;

type OwnOptions = Pick<SessionOptions, (typeof OWN)[number]>;
type WebGpuOptions = Omit<Ort.WebGpuExecutionProviderOption, 'name'>;

/** `{ name: 'onegpu', mode: 'deterministic' }` among a session's `executionProviders`. */
export interface OneGpuProviderOptions extends OwnOptions, WebGpuOptions {
  readonly name: 'onegpu' | 'webgpu';
}

const NO_POOL = 'buffers are planned once for each shape';

export const PROVIDER_RULES = {
  name: HONOURED,
  device: HONOURED,
  adapter: HONOURED,
  mode: HONOURED,
  tune: HONOURED,
  dims: HONOURED,
  inputLayout: HONOURED,
  onProgress: HONOURED,
  cache: HONOURED,
  signal: HONOURED,
  preferredLayout: warned('convolutions, pooling and resize run channels last', 'NHWC'),
  validationMode: warned("WebGPU's own validation, no more and no less", 'wgpuOnly', 'basic'),
  enableRobustness: warned('the platform decides: browsers always have it, Node.js never', false),
  storageBufferCacheMode: warned(NO_POOL, 'bucket'),
  uniformBufferCacheMode: warned(NO_POOL, 'simple'),
  queryResolveBufferCacheMode: warned(NO_POOL, 'disabled'),
  defaultBufferCacheMode: warned(NO_POOL, 'disabled'),
  forceCpuNodeNames: refused('No node runs on the CPU; leave it out.'),
} as const satisfies Record<keyof OneGpuProviderOptions, OptionRule>;

const SUBJECT = 'executionProviders';

export interface ProviderChoice {
  readonly settings: OwnOptions;
  /** A device that the options bring. */
  readonly device: DeviceSource | undefined;
}

/** Of the first of our providers that has options. @throws InvalidInputError for what is refused */
export function providerOptions(
  providers: readonly Ort.ExecutionProviderConfig[] = [],
  warnings: string[],
): ProviderChoice {
  const options = providers.find((provider) => typeof provider === 'object') as
    | Partial<OneGpuProviderOptions>
    | undefined;
  if (options === undefined) return { settings: {}, device: undefined };
  applyRules(options, { subject: SUBJECT, rules: PROVIDER_RULES }, warnings);
  checkOwn(options);
  const settings = Object.fromEntries(
    OWN.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
  const { device } = options;
  return { settings, device: device === undefined ? undefined : new GivenDevice(device, 'device') };
}

function checkOwn({ adapter, mode, inputLayout }: Partial<OneGpuProviderOptions>): void {
  const check = (field: string, value: unknown, known: readonly string[]): void => {
    if (value !== undefined) oneOf(value, known, { subject: SUBJECT, field });
  };
  check('adapter', adapter, ['auto', 'hardware', 'software']);
  check('mode', mode, ['fast', 'deterministic']);
  check('inputLayout', inputLayout, ['nchw', 'nhwc4']);
}
