/** Sets a profile against what its adapter was measured to do, measuring that where it is not known yet. */
import { adapterCeilings, CeilingError } from '@onegpu/bench';
import type { GpuDevice } from '@onegpu/core';
import type { ProfileReport } from '@onegpu/onnx';
import { attachCeilings } from '@onegpu/onnx/tools';
import type { Progress } from './progress.ts';

/** The report as it is, with a note, where its rows have no times or the adapter cannot be measured. */
export async function withCeilings(
  report: ProfileReport,
  device: GpuDevice,
  progress: Progress,
): Promise<ProfileReport> {
  if (report.totals.gpuMs === undefined) return report;
  try {
    const ceilings = await adapterCeilings(device, {
      onProgress: ({ label, done, total }) => progress.update({ stage: `ceilings: ${label}`, done, total }),
    });
    return attachCeilings(report, ceilings);
  } catch (error) {
    if (!(error instanceof CeilingError)) throw error;
    return { ...report, notes: [...report.notes, `Without the adapter's ceilings: ${error.message}`] };
  }
}
