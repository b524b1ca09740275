/**
 * The totals of a profile in a few lines. The layers' sum is set against the run as it is without profiling, from
 * its first begin to its last end, so that what profiling adds, and the cost of one pass, can be seen.
 */
import type { ProfileReport } from '@onegpu/onnx';
import { byteSize, milliseconds, rate } from './figures.ts';

export function formatTotals(report: ProfileReport): string {
  const { host } = report;
  return [
    ...gpuLines(report),
    `wall clock       ${wallLine(report)}`,
    `host             upload ${milliseconds(host.uploadMs)}, submit ${milliseconds(host.submitMs)}, ` +
      `encode the next ${milliseconds(host.encodeMs)},`,
    `                 wait ${milliseconds(host.waitMs)}, download ${milliseconds(host.downloadMs)} ms`,
    `memory           ${memoryLine(report)}`,
    ...ceilingLines(report),
  ].join('\n');
}

function gpuLines({ totals }: ProfileReport): string[] {
  const { gpuMs, spanMs, unprofiledSpanMs, passMs, flops, bytes } = totals;
  if (gpuMs === undefined || spanMs === undefined || unprofiledSpanMs === undefined) return [];
  const perSecond = (amount: number): number => amount / unprofiledSpanMs / 1e6;
  return [
    `layers, summed   ${milliseconds(gpuMs)} ms, ${compared(gpuMs, unprofiledSpanMs)} the unprofiled run`,
    `profiled run     ${milliseconds(spanMs)} ms, ${compared(spanMs, unprofiledSpanMs)} the unprofiled run`,
    `unprofiled run   ${milliseconds(unprofiledSpanMs)} ms, ${rate(perSecond(flops))} GFLOP/s, ` +
      `${rate(perSecond(bytes))} GB/s`,
    ...(passMs === undefined ? [] : [`cost of a pass   ${passCost(passMs)}`]),
  ];
}

function wallLine({ totals }: ProfileReport): string {
  const unprofiled = `${milliseconds(totals.wallMs)} ms unprofiled`;
  if (totals.gpuMs === undefined) return unprofiled;
  return `${unprofiled}, ${milliseconds(totals.profiledWallMs)} ms profiled`;
}

function memoryLine({ memory }: ProfileReport): string {
  const { arenaBytes, lowerBoundBytes, weightBytes } = memory;
  const ratio =
    lowerBoundBytes === 0 ? '' : ` (${(arenaBytes / lowerBoundBytes).toFixed(2)} times the least possible)`;
  return `arenas ${byteSize(arenaBytes)}${ratio}, weights ${byteSize(weightBytes)}`;
}

function ceilingLines({ ceilings }: ProfileReport): string[] {
  if (ceilings === undefined) return [];
  const { f32Gflops, copyGbps, dispatchUs } = ceilings;
  return [
    `adapter at best  ${rate(f32Gflops)} GFLOP/s, copies ${rate(copyGbps)} GB/s, a dispatch ${rate(dispatchUs)} us`,
  ];
}

/** `3.1 % more than`. */
function compared(value: number, reference: number): string {
  const percent = Math.abs(value / reference - 1) * 100;
  if (!Number.isFinite(percent)) return 'compare with';
  // Profiling makes nothing faster.
  if (value < reference) return 'no more (within the noise) than';
  return `${percent.toFixed(1)} % more than`;
}

function passCost(passMs: number): string {
  if (passMs <= 0) return 'too small to be seen';
  return `${(passMs * 1000).toFixed(2)} us`;
}
