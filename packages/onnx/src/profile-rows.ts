/**
 * Rows of a profile from the steps of a plan and the timestamps of its profiled runs. A step of several dispatches
 * is the sum of their passes; a row begins where the rows before it end. Times are medians without a tenth from each end; a median that the timestamps cannot
 * tell from zero is no time at all, and the row says so.
 */
import type { PassTime } from '@onegpu/core';
import type { ExecutionStep } from './execution-plan.ts';
import { passMs } from './pass-times.ts';
import { presentFields } from './present-fields.ts';
import type { ProfileRow } from './profile-report.ts';
import { median, quantile, trimmed } from './statistics.ts';

export interface RowsRequest {
  readonly steps: readonly ExecutionStep[];
  /** Step of each compute pass, by position. */
  readonly stepOfPass: readonly number[];
  /** Timestamps of the dispatches that each profiled run timed, by position; empty without timestamps. */
  readonly runs: readonly (readonly (PassTime | undefined)[])[];
  /** ONNX operator of each of the model's nodes by name. */
  readonly operators: ReadonlyMap<string, string>;
  readonly fusedParts: (step: ExecutionStep) => readonly string[];
}

interface RowTime {
  readonly beginMs: number | undefined;
  readonly medianMs: number | undefined;
  readonly p90Ms: number | undefined;
  readonly belowResolution: true | undefined;
}

export function profileRows(request: RowsRequest): ProfileRow[] {
  const times = rowTimes(request);
  const total = times.reduce((sum, time) => sum + (time.medianMs ?? 0), 0);
  return request.steps.map((step, index) => {
    const time = times[index];
    const { flops, bytes } = step.plan.cost;
    const medianMs = time?.medianMs;
    const rate = (amount: number): number | undefined =>
      medianMs === undefined ? undefined : amount / medianMs / 1e6;
    return presentFields({
      index,
      nodes: step.covers,
      nodeOperators: step.covers.map((name) => request.operators.get(name) ?? step.node?.opType ?? ''),
      fused: request.fusedParts(step),
      operator: step.plan.operator,
      algorithm: step.plan.algorithm,
      label: step.plan.label,
      tunedFrom: step.tunedFrom,
      shape: step.dims,
      dispatches: request.stepOfPass.filter((owner) => owner === index).length,
      beginMs: time?.beginMs,
      medianMs,
      p90Ms: time?.p90Ms,
      share: medianMs === undefined ? undefined : medianMs / total,
      flops,
      bytes,
      gflops: rate(flops),
      gbps: rate(bytes),
      belowResolution: time?.belowResolution,
    });
  });
}

/** One entry a step; none without timestamps. */
function rowTimes({ steps, stepOfPass, runs }: RowsRequest): readonly RowTime[] {
  if (runs.length === 0) return [];
  let begin = 0;
  return steps.map((_, step) => {
    const positions = stepOfPass.flatMap((owner, position) => (owner === step ? [position] : []));
    const samples = runs.flatMap((run) => {
      const passes = positions.flatMap((position) => run[position] ?? []);
      return passes.length < positions.length ? [] : [passes.reduce((sum, pass) => sum + passMs(pass), 0)];
    });
    const kept = trimmed(samples);
    const medianMs = median(kept);
    const seen = medianMs > 0;
    const beginMs = begin;
    if (seen) begin += medianMs;
    return {
      beginMs: positions.length === 0 ? undefined : beginMs,
      medianMs: seen ? medianMs : undefined,
      p90Ms: seen ? quantile(kept, 0.9) : undefined,
      // A step without dispatches takes no time; there is nothing to resolve.
      belowResolution: seen || positions.length === 0 ? undefined : true,
    };
  });
}
