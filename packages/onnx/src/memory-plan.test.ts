/** Memory plans: what every plan promises, on random graphs, and how close to the lower bound real shapes come. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type MemoryPlan,
  type MemoryRequest,
  type MemoryStep,
  type PlannedTensor,
  planMemory,
} from './memory-plan.ts';

const ALIGNMENT = 256;

/** Dispatches (over all steps) during which each tensor must keep its place, worked out from the request alone. */
function livesOf(request: MemoryRequest): Map<string, [number, number]> {
  const passes = request.steps.flatMap((step) => step.passes);
  const end = passes.length - 1;
  return new Map(
    request.tensors.map(({ id, pinned }) => {
      const touched = passes.flatMap((pass, time) =>
        [...pass.reads, ...pass.writes].includes(id) ? [time] : [],
      );
      const first = pinned === 'input' || pinned === 'always' ? 0 : Math.min(...touched, end);
      const last = pinned === 'output' || pinned === 'always' ? end : Math.max(...touched, 0);
      return [id, [first, last]];
    }),
  );
}

function expectValid(request: MemoryRequest, plan: MemoryPlan): void {
  const lives = livesOf(request);
  const placed = request.tensors.map((tensor) => {
    const slot = plan.placements.get(tensor.id);
    if (slot === undefined) throw new Error(`${tensor.id} has no place`);
    const [first, last] = lives.get(tensor.id) ?? [0, 0];
    return { ...tensor, ...slot, first, last };
  });
  for (const tensor of placed) {
    expect(tensor.offset % request.alignment).toBe(0);
    expect(tensor.offset + tensor.bytes).toBeLessThanOrEqual(plan.arenaBytes[tensor.arena] ?? 0);
    for (const other of placed) {
      if (other.id >= tensor.id || other.arena !== tensor.arena) continue;
      const together = other.first <= tensor.last && tensor.first <= other.last;
      const overlap =
        other.offset < tensor.offset + tensor.bytes && tensor.offset < other.offset + other.bytes;
      expect(together && overlap, `${other.id} and ${tensor.id} overlap`).toBe(false);
    }
  }
  for (const pass of request.steps.flatMap((step) => step.passes)) {
    const arenasOf = (ids: readonly string[]) => new Set(ids.map((id) => plan.placements.get(id)?.arena));
    const written = arenasOf(pass.writes);
    for (const arena of arenasOf(pass.reads)) expect(written.has(arena)).toBe(false);
  }
  expect(plan.peakBytes).toBe(plan.arenaBytes.reduce((sum, bytes) => sum + bytes, 0));
  expect(plan.lowerBoundBytes).toBe(Math.max(0, ...plan.stepBytes));
  expect(plan.peakBytes).toBeGreaterThanOrEqual(plan.lowerBoundBytes);
}

/** A graph of steps with one output each; `reads` are distances back to earlier outputs, `scratch` bytes or 0. */
function requestOf(
  nodes: readonly { readonly bytes: number; readonly reads: readonly number[]; readonly scratch: number }[],
  outputs: readonly number[] = [nodes.length - 1],
): MemoryRequest {
  const tensors: PlannedTensor[] = [{ id: 't0', bytes: nodes[0]?.bytes ?? 4, pinned: 'input' }];
  const steps = nodes.map(({ bytes, reads, scratch }, i): MemoryStep => {
    const dst = `t${i + 1}`;
    tensors.push({ id: dst, bytes, ...(outputs.includes(i) ? { pinned: 'output' as const } : {}) });
    const sources = [...new Set(reads.map((back) => `t${Math.max(0, i - back)}`))];
    if (scratch === 0) return { passes: [{ reads: sources, writes: [dst] }] };
    tensors.push({ id: `s${i}`, bytes: scratch });
    return {
      passes: [
        { reads: sources, writes: [`s${i}`] },
        { reads: [`s${i}`], writes: [dst] },
      ],
    };
  });
  return { tensors, steps, alignment: ALIGNMENT };
}

const node = (bytes: number, ...reads: number[]) => ({
  bytes,
  reads: reads.length === 0 ? [0] : reads,
  scratch: 0,
});

const randomNode = fc.record({
  bytes: fc.integer({ min: 0, max: 100_000 }),
  reads: fc.array(fc.integer({ min: 0, max: 15 }), { minLength: 1, maxLength: 3 }),
  scratch: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60_000 })),
});

describe('planMemory', () => {
  it('never overlaps live tensors and never reads and writes one arena in a dispatch', () => {
    fc.assert(
      fc.property(
        fc.array(randomNode, { minLength: 1, maxLength: 40 }),
        fc.array(fc.nat(39), { maxLength: 3 }),
        fc.integer({ min: 1, max: 5 }),
        (nodes, outputs, arenaCount) => {
          const request = { ...requestOf(nodes, outputs), arenaCount };
          expectValid(request, planMemory(request));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('adds an arena rather than let one outgrow the limit', () => {
    const arenaLimit = 391 * ALIGNMENT; // No tensor of the random graphs is larger.
    fc.assert(
      fc.property(fc.array(randomNode, { minLength: 1, maxLength: 30 }), (nodes) => {
        const request = { ...requestOf(nodes), arenaLimit };
        const plan = planMemory(request);
        expectValid(request, plan);
        expect(Math.max(...plan.arenaBytes)).toBeLessThanOrEqual(arenaLimit);
      }),
      { numRuns: 60 },
    );
  });

  it('gives the same plan for the same request', () => {
    const request = requestOf(Array.from({ length: 30 }, (_, i) => node(1000 * ((i * 7) % 11), 0, i % 4)));
    expect(planMemory(request)).toEqual(planMemory(request));
  });

  it('keeps a pinned input and a pinned output apart from everything between', () => {
    const request = requestOf([node(5000), node(5000), node(5000)], [0, 2]);
    const plan = planMemory({
      ...request,
      tensors: request.tensors.map((tensor) =>
        tensor.pinned === 'input' ? { ...tensor, pinned: 'always' as const } : tensor,
      ),
    });
    expect(plan.stepBytes).toEqual([10_000, 15_000, 20_000]);
  });

  it('reports no memory for no tensors', () => {
    expect(planMemory({ tensors: [], steps: [], alignment: ALIGNMENT })).toMatchObject({
      peakBytes: 0,
      ratio: 1,
    });
  });

  it('refuses steps that make no sense', () => {
    const tensors = [{ id: 'a', bytes: 4 }];
    const step = (reads: string[], writes: string[]) => [{ passes: [{ reads, writes }] }];
    expect(() => planMemory({ tensors, steps: step(['b'], ['a']), alignment: 4 })).toThrow(
      /"b" is not declared/,
    );
    expect(() => planMemory({ tensors, steps: step(['a'], ['a']), alignment: 4 })).toThrow(
      /read and written/,
    );
    expect(() => planMemory({ tensors: [...tensors, ...tensors], steps: [], alignment: 4 })).toThrow(/twice/);
  });
});

/** Bytes of `channels` at a quarter of the resolution a level, from 128x128. */
const level = (channels: number, depth: number) => (channels * 4 * 128 * 128) / 4 ** depth;

const NETWORKS: readonly { readonly name: string; readonly request: MemoryRequest }[] = [
  {
    name: 'chain',
    request: requestOf(Array.from({ length: 20 }, (_, i) => node(level(16 << (i >> 2), i >> 2)))),
  },
  {
    name: 'bottlenecks with residual',
    request: requestOf(
      Array.from({ length: 16 }, (_, block) => {
        const depth = block >> 2;
        const wide = level(256 << depth, depth);
        return [node(wide / 4), node(wide / 4), node(wide, 0, 3)];
      }).flat(),
    ),
  },
  {
    name: 'inverted residuals with squeeze-excite',
    request: requestOf(
      Array.from({ length: 12 }, (_, block) => {
        const depth = 1 + (block >> 2);
        const narrow = level(24 << depth, depth);
        // expand, depthwise, pool, reduce, restore, multiply, project + residual
        return [
          node(narrow * 4),
          node(narrow * 4),
          node(96 * 16),
          node(24 * 16),
          node(96 * 16),
          node(narrow * 4, 0, 3),
          node(narrow, 0, 6),
        ];
      }).flat(),
    ),
  },
  {
    name: 'feature pyramid',
    request: requestOf([
      ...[1, 2, 3, 4].map((depth) => node(level(64 << depth, depth))),
      node(level(64, 4)),
      node(level(64, 3)),
      node(level(64, 3), 0, 3),
      node(level(64, 2)),
      node(level(64, 2), 0, 6),
      node(level(64, 1)),
      node(level(64, 1), 0, 9),
      node(level(16, 1), 0),
      node(level(16, 1), 1, 3),
      node(level(64, 1), 0, 1),
    ]),
  },
  {
    name: 'U-net',
    request: requestOf([
      ...[0, 1, 2, 3, 4].map((depth) => node(level(32 << depth, depth))),
      ...[3, 2, 1, 0].flatMap((depth) => [
        node(level(32 << depth, depth)),
        node(level(64 << depth, depth), 0, 2 * (4 - depth) + (4 - depth) - 1),
        node(level(32 << depth, depth)),
      ]),
    ]),
  },
];

describe('planMemory on the shapes of vision networks', () => {
  it.each(NETWORKS)('$name: at most 1.25 times the lower bound', ({ request }) => {
    const plan = planMemory(request);
    expectValid(request, plan);
    expect(plan.ratio).toBeLessThanOrEqual(1.25);
  });
});
