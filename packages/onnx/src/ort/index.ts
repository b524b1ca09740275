/**
 * onnxruntime's JavaScript API over this runtime: code written for onnxruntime-web runs when only its import changes.
 * Registers itself as a backend of `onnxruntime-common` under the names `onegpu` and `webgpu` when it is imported.
 * What becomes of each of onnxruntime's options: docs/onnxruntime.md.
 */
import '../register.ts';
import * as common from 'onnxruntime-common';
import { OneGpuBackend, PROVIDER_NAMES } from './backend.ts';
import { InferenceSession } from './inference-session.ts';
import { SharedDevice } from './shared-device.ts';

export * from 'onnxruntime-common';
export { InferenceSession, type SessionFactory } from './inference-session.ts';
export { OPTION_WARNING } from './option-rules.ts';
export type { OneGpuProviderOptions } from './provider-options.ts';

/** Above onnxruntime's own backends, so that a session that names no provider is one of ours. */
const PRIORITY = 1000;

const backend = new OneGpuBackend(new SharedDevice(common.env.webgpu));
for (const name of PROVIDER_NAMES) common.registerBackend(name, backend, PRIORITY);

/** All of it as one object, as onnxruntime-web's default export is. */
export default { ...common, InferenceSession };
