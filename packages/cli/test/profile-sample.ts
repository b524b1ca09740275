/** Profiles made by hand, for tests of what is done with them. */
import type { ProfileReport, ProfileRow } from '@onegpu/onnx';

export function sampleRow(index: number, given: Partial<ProfileRow> = {}): ProfileRow {
  return {
    index,
    nodes: [`/backbone/layer${index}/conv1/Conv`, `/backbone/layer${index}/relu/Relu`],
    nodeOperators: ['Conv', 'Relu'],
    fused: ['bias', 'relu'],
    operator: 'conv',
    algorithm: 'implicit-gemm',
    label: 'conv/implicit-gemm/f32/64x64x16/bias+relu',
    shape: [1, 256, 56, 56],
    dispatches: 1,
    beginMs: 0,
    medianMs: 12.3456,
    p90Ms: 130.5,
    share: 0.25,
    flops: 1e9,
    bytes: 1e6,
    gflops: 81.02,
    gbps: 0.08,
    ...given,
  };
}

/** The row as an adapter without timestamps gives it. */
export function untimedRow(index: number): ProfileRow {
  const { beginMs, medianMs, p90Ms, share, gflops, gbps, ...row } = sampleRow(index);
  return row;
}

/** A row too short for the timestamps. */
export function unresolvedRow(index: number): ProfileRow {
  return { ...untimedRow(index), beginMs: 0, belowResolution: true };
}

export function sampleReport(rows: readonly ProfileRow[], given: Partial<ProfileReport> = {}): ProfileReport {
  const timed = rows.some((row) => row.medianMs !== undefined);
  const gpuMs = rows.reduce((sum, row) => sum + (row.medianMs ?? 0), 0);
  const wall = { wallMs: 60, profiledWallMs: 70, flops: 4e9, bytes: 4e6 };
  return {
    schema: 'onegpu-profile/1',
    adapter: 'adapter',
    mode: 'fast',
    inputs: { x: [1, 3, 224, 224] },
    runs: 5,
    rows,
    totals: timed ? { gpuMs, spanMs: 50, unprofiledSpanMs: 40, passMs: 0.0125, ...wall } : wall,
    host: { uploadMs: 1, encodeMs: 2, submitMs: 3, waitMs: 54, downloadMs: 5 },
    memory: {
      arenaBytes: 3 * 2 ** 20,
      peakBytes: 3 * 2 ** 20,
      lowerBoundBytes: 2 ** 21,
      weightBytes: 2 ** 20,
      arenas: [{ bytes: 3 * 2 ** 20 }],
      tensors: [{ name: 'x:nchw', arena: 0, byteOffset: 0, bytes: 1, firstRow: 0, lastRow: 0 }],
    },
    notes: ['a remark'],
    ...given,
  };
}
