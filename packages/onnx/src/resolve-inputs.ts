/**
 * Input extents of a run against those the model declares: fixed extents must match, a symbol stands for one extent
 * everywhere, and the rest is free.
 */
import { InvalidInputError } from '@onegpu/core';
import { describe } from './describe.ts';
import type { Graph, GraphValue } from './graph.ts';
import { UNNAMED_DIMENSION } from './import-values.ts';
import type { ValueInfo } from './op-definition.ts';
import type { TensorType } from './tensor.ts';

export interface FreeDimension {
  readonly input: string;
  readonly axis: number;
  /** The model's name for it, `?` where it has none; equal names mean equal extents. */
  readonly symbol: string;
}

export interface FeedShape {
  readonly type: TensorType;
  readonly dims: readonly number[];
}

/** The axes whose extent a run decides, in order of the inputs. */
export function freeDimensions(graph: Graph): readonly FreeDimension[] {
  return graph.inputs.flatMap((input) =>
    (input.dims ?? []).flatMap((dim, axis) =>
      typeof dim === 'string' ? [{ input: input.name, axis, symbol: dim }] : [],
    ),
  );
}

/**
 * Checks the feeds of a run and gives them as values.
 * @throws InvalidInputError for a missing or unknown name, and a type, rank or extent other than declared.
 */
export function resolveInputs(
  graph: Graph,
  feeds: Readonly<Record<string, FeedShape>>,
): ReadonlyMap<string, ValueInfo> {
  const names = graph.inputs.map((input) => input.name);
  for (const name of Object.keys(feeds)) {
    if (!names.includes(name)) {
      throw new InvalidInputError('the model has no such input', {
        subject: 'feeds',
        field: name,
        expected: names.length === 0 ? 'no inputs' : names.map((known) => `"${known}"`).join(', '),
      });
    }
  }
  const bound = new Map<string, BoundSymbol>();
  return new Map(
    graph.inputs.map((input) => {
      const feed = Object.hasOwn(feeds, input.name) ? feeds[input.name] : undefined;
      if (feed === undefined) {
        throw new InvalidInputError('this input is not fed', { subject: 'feeds', field: input.name });
      }
      checkFeed(input, feed, bound);
      return [input.name, { type: feed.type, dims: feed.dims }];
    }),
  );
}

/**
 * A copy of the graph with other declared extents for some inputs, fixed ones included (`--shape`). Whether the nodes accept
 * them shows when shapes are inferred.
 * @throws InvalidInputError for an unknown input or another rank.
 */
export function withInputDims(graph: Graph, shapes: Readonly<Record<string, readonly number[]>>): Graph {
  const inputs = graph.inputs.map((input) => {
    const dims = Object.hasOwn(shapes, input.name) ? shapes[input.name] : undefined;
    if (dims !== undefined) {
      checkExtents(input, dims);
      checkRank(input, dims);
    }
    return dims === undefined ? input : { ...input, dims };
  });
  const unknown = Object.keys(shapes).find((name) => !graph.inputs.some((input) => input.name === name));
  if (unknown === undefined) {
    return { ...graph, inputs, nodes: [...graph.nodes], constants: new Map(graph.constants) };
  }
  throw new InvalidInputError('the model has no such input', {
    subject: 'shapes',
    field: unknown,
    expected: graph.inputs.map((input) => `"${input.name}"`).join(', '),
  });
}

interface BoundSymbol {
  readonly extent: number;
  /** Where the symbol got its extent: `"x" axis 0`. */
  readonly place: string;
}

function checkFeed(input: GraphValue, feed: FeedShape, bound: Map<string, BoundSymbol>): void {
  if (feed.type !== input.type) {
    throw new InvalidInputError('the type differs from the model', {
      subject: `input "${input.name}"`,
      field: 'type',
      got: feed.type,
      expected: input.type,
    });
  }
  checkExtents(input, feed.dims);
  checkRank(input, feed.dims);
  input.dims?.forEach((declared, axis) => {
    checkExtent(input.name, axis, { declared, got: feed.dims[axis] ?? 0, bound });
  });
}

/** Dims without a tensor (`explain`, prepared shapes) may hold anything. */
function checkExtents(input: GraphValue, dims: readonly number[]): void {
  if (Array.isArray(dims) && dims.every((extent) => Number.isSafeInteger(extent) && extent >= 0)) return;
  throw new InvalidInputError('the extents are no list of non-negative integers', {
    subject: `input "${input.name}"`,
    field: 'dims',
    got: Array.isArray(dims) ? `[${dims.map(describe).join(', ')}]` : describe(dims),
  });
}

function checkRank(input: GraphValue, dims: readonly number[]): void {
  if (input.dims === undefined || input.dims.length === dims.length) return;
  throw new InvalidInputError('the rank differs from the model', {
    subject: `input "${input.name}"`,
    field: 'dims',
    got: `[${dims.join(', ')}]`,
    expected: `[${input.dims.join(', ')}]`,
  });
}

function checkExtent(
  name: string,
  axis: number,
  options: {
    readonly declared: number | string;
    readonly got: number;
    readonly bound: Map<string, BoundSymbol>;
  },
): void {
  const { declared, got, bound } = options;
  if (declared === UNNAMED_DIMENSION) return;
  const known = typeof declared === 'string' ? bound.get(declared) : undefined;
  if (typeof declared === 'string' && known === undefined) {
    bound.set(declared, { extent: got, place: `input "${name}" axis ${axis}` });
    return;
  }
  const expected = typeof declared === 'number' ? declared : known?.extent;
  if (expected === got) return;
  throw new InvalidInputError('the extent differs from the model', {
    subject: `input "${name}"`,
    field: `dims[${axis}]`,
    got: String(got),
    expected:
      known === undefined ? String(declared) : `${known.extent}, as "${declared}" is in ${known.place}`,
  });
}
