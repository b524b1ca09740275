/** `onegpu devices`: the adapters this machine offers and what they can do. */
import {
  type AdapterChoice,
  describeAdapter,
  type GpuCapabilities,
  GpuDevice,
  OneGpuError,
} from '@onegpu/core';
import type { Command } from 'commander';
import { FailedOutcome } from '../failure.ts';
import { print, printJson } from '../output.ts';

export interface DeviceEntry {
  readonly kind: AdapterChoice;
  readonly available: boolean;
  readonly reason?: string;
  readonly capabilities?: GpuCapabilities;
}

export function addDevicesCommand(program: Command): void {
  program
    .command('devices')
    .description('list the adapters of this machine and what they can do')
    .option('--json', 'print JSON alone on standard output')
    .action(listDevices);
}

async function listDevices(options: { readonly json?: true }): Promise<void> {
  const entries = [await probe('hardware'), await probe('software')];
  if (options.json) printJson({ devices: entries });
  else print(entries.map(formatEntry).join('\n'));
  if (!entries.some((entry) => entry.available)) throw new FailedOutcome();
}

async function probe(kind: AdapterChoice): Promise<DeviceEntry> {
  try {
    const device = await GpuDevice.create({ adapter: kind });
    const { capabilities } = device;
    await device.disposeAsync();
    return { kind, available: true, capabilities };
  } catch (error) {
    if (error instanceof OneGpuError) return { kind, available: false, reason: error.message };
    throw error;
  }
}

export function formatEntry({ kind, capabilities, reason = '' }: DeviceEntry): string {
  if (capabilities === undefined) return formatAbsence(kind, reason);
  const { limits, subgroupSize, subgroupMatrices } = capabilities;
  const range =
    subgroupSize &&
    (subgroupSize.min === subgroupSize.max
      ? `${subgroupSize.min}`
      : `${subgroupSize.min} to ${subgroupSize.max}`);
  return [
    `${kind}: ${describeAdapter(capabilities)}`,
    `  float16             ${capabilities.float16 ? 'yes' : 'no'}`,
    `  timestamps          ${capabilities.timestamps ? 'yes' : 'no'}`,
    `  subgroups           ${range === undefined ? 'no' : `of ${range}`}`,
    `  subgroup matrices   ${formatMatrices(subgroupMatrices)}`,
    `  largest buffer      ${mebibytes(limits.maxBufferSize)}, bound at most ${mebibytes(limits.maxStorageBufferBindingSize)}`,
    `  workgroup           ${limits.maxComputeInvocationsPerWorkgroup} invocations, ${limits.maxComputeWorkgroupStorageSize} bytes`,
    `  storage bindings    ${limits.maxStorageBuffersPerShaderStage}`,
  ].join('\n');
}

/** What the reason says beyond that there is none of this kind. */
function formatAbsence(kind: AdapterChoice, reason: string): string {
  const known = `GpuDevice: there is no ${kind} adapter`;
  return `${kind}: none${reason.startsWith(known) ? reason.slice(known.length) : `\n  ${reason}`}`;
}

function formatMatrices(shapes: GpuCapabilities['subgroupMatrices']): string {
  if (shapes.length === 0) return 'no';
  return shapes.map((s) => `${s.componentType}>${s.resultComponentType} ${s.m}x${s.n}x${s.k}`).join(', ');
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)} MiB`;
}
