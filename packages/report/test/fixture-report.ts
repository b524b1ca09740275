/**
 * Made-up profiles for tests: the size and the mix of a real network's, every number from the row's index, so that a
 * test knows what it looks for.
 */
import type { PlacedTensor, ProfileReport, ProfileRow } from '@onegpu/onnx';

/** A name that tries to leave every place it could be written to. */
export const HOSTILE_NAME = `</script><script>alert("x")</script>'"&<!-- ${'層'.repeat(300)} \u2028 end`;

export interface FixtureOptions {
  readonly rows?: number;
  readonly timed?: boolean;
  readonly ceilings?: boolean;
}

const KINDS = [
  { operator: 'conv', algorithm: 'implicit-gemm', fused: ['bias', 'relu'], ops: ['Conv', 'Relu'] },
  { operator: 'conv', algorithm: 'direct', fused: ['bias'], ops: ['Conv'] },
  {
    operator: 'conv',
    algorithm: 'implicit-gemm',
    fused: ['bias', 'residual', 'relu'],
    ops: ['Conv', 'Add', 'Relu'],
  },
  { operator: 'pool', algorithm: 'gather', fused: [], ops: ['MaxPool'] },
  { operator: 'layout', algorithm: 'copy', fused: [], ops: [] },
] as const;

export function fixtureReport({
  rows: count = 71,
  timed = true,
  ceilings = false,
}: FixtureOptions = {}): ProfileReport {
  const rows = Array.from({ length: count }, (_, index) => makeRow(index, timed));
  const gpuMs = rows.reduce((sum, { medianMs }) => sum + (medianMs ?? 0), 0);
  const shared = rows.map((row) =>
    row.medianMs === undefined ? row : { ...row, share: row.medianMs / gpuMs },
  );
  return {
    schema: 'onegpu-profile/1',
    adapter: 'Test adapter',
    mode: 'fast',
    inputs: { 'input "0" <b>': [1, 3, 224, 224] },
    runs: 5,
    rows: shared,
    totals: {
      ...(timed ? { gpuMs, spanMs: gpuMs * 1.1, unprofiledSpanMs: gpuMs * 1.02, passMs: 0.001 } : {}),
      wallMs: gpuMs + 4,
      profiledWallMs: gpuMs + 6,
      flops: rows.reduce((sum, { flops }) => sum + flops, 0),
      bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    host: { uploadMs: 0.25, encodeMs: 1.5, submitMs: 0.5, waitMs: 40, downloadMs: 0.125 },
    memory: makeMemory(count),
    ...(timed ? { resolutionMs: 0.001 } : {}),
    ...(ceilings ? { ceilings: CEILINGS } : {}),
    notes: timed ? ['A note & its <text>.'] : ['This adapter offers no timestamps.'],
  };
}

const CEILINGS = {
  adapter: 'Test adapter',
  driver: 'test 1.0',
  copyGbps: 400,
  f32Gflops: 12000,
  dispatchUs: 2,
  measuredAt: '2026-01-02T03:04:05.000Z',
} as const;

function makeRow(index: number, timed: boolean): ProfileRow {
  const kind = KINDS[index % KINDS.length] ?? KINDS[0];
  const short = index % 13 === 12;
  const medianMs = 0.05 + ((index * 7919) % 97) / 100;
  const flops = kind.operator === 'conv' ? (1 + (index % 7)) * 2e8 : 0;
  const bytes = (1 + (index % 5)) * 4e6;
  const time = {
    beginMs: index * 0.6,
    medianMs,
    p90Ms: medianMs * 1.1,
    gbps: bytes / medianMs / 1e6,
    ...(flops === 0 ? {} : { gflops: flops / medianMs / 1e6 }),
  };
  return {
    index,
    nodes: kind.ops.map((name, part) => (index === 3 ? HOSTILE_NAME : `/layer${index}/block${part}/${name}`)),
    nodeOperators: kind.ops,
    fused: kind.fused,
    operator: kind.operator,
    algorithm: kind.algorithm,
    label: `${kind.operator}/${kind.algorithm}/f32/8x8x4`,
    shape: [1, 64, 56, 56],
    dispatches: 1,
    flops,
    bytes,
    ...(timed ? (short ? { belowResolution: true, beginMs: index * 0.6 } : time) : {}),
  };
}

/** A chain: each row's output lives until the next row has read it, every fourth one for three rows more. */
function makeMemory(rows: number): ProfileReport['memory'] {
  const bytes = 3 * 2 ** 20;
  const tensors: PlacedTensor[] = Array.from({ length: rows }, (_, row) => ({
    name: `value ${row}`,
    arena: row % 3,
    byteOffset: 0,
    bytes,
    firstRow: row,
    lastRow: row + (row % 4 === 0 ? 4 : 1),
  }));
  return {
    arenaBytes: 5 * bytes,
    peakBytes: 4 * bytes,
    lowerBoundBytes: 3 * bytes,
    weightBytes: 100 * 2 ** 20,
    arenas: [{ bytes: 2 * bytes }, { bytes: 2 * bytes }, { bytes }],
    tensors,
  };
}
