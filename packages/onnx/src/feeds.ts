/** What a run is fed, checked before anything is encoded. */
import { type GpuDevice, InvalidInputError } from '@onegpu/core';
import { GpuFeed, type SingleFeeds } from './gpu-feed.ts';
import type { Graph } from './graph.ts';
import type { ValueInfo } from './op-definition.ts';
import { resolveInputs } from './resolve-inputs.ts';
import { elementCount, Tensor } from './tensor.ts';

/** Tensors, on the host or the GPU, or pictures by name of the input; several pictures are a batch. */
export type Feeds = Readonly<Record<string, Tensor | GpuFeed | readonly GpuFeed[]>>;

/** Extents of inputs by name. */
export type InputDims = Readonly<Record<string, readonly number[]>>;

/** Feeds with batches made one; the same record where there are none. @throws InvalidInputError */
export function singleFeeds(feeds: Feeds): SingleFeeds {
  checkRecord('feeds', feeds);
  if (!Object.values(feeds).some(Array.isArray)) return feeds as SingleFeeds;
  return Object.fromEntries(
    Object.entries(feeds).map(([name, feed]) => {
      const [first] = Array.isArray(feed) ? feed : [];
      return [name, first instanceof GpuFeed ? first.batch(feed as readonly GpuFeed[]) : feed];
    }),
  ) as SingleFeeds;
}

/** @throws InvalidInputError for a missing or unknown name, something that is no Tensor or lost its data, a wrong type or extent. */
export function resolveFeeds(graph: Graph, feeds: SingleFeeds): ReadonlyMap<string, ValueInfo> {
  checkRecord('feeds', feeds);
  for (const [name, feed] of Object.entries(feeds)) {
    if (feed instanceof Tensor) {
      checkAttached(name, feed);
      continue;
    }
    if (feed instanceof GpuFeed) continue;
    throw new InvalidInputError('the feed is no Tensor', {
      subject: 'feeds',
      field: name,
      got: feed === null ? 'null' : typeof feed,
      remedy: 'Wrap the data: new Tensor("float32", data, dims).',
    });
  }
  return resolveInputs(graph, feeds);
}

/**
 * A buffer that was transferred to a worker or resized since the tensor was made holds other elements than dims say; one
 * on the GPU may have been disposed of.
 * @throws InvalidInputError
 */
export function checkAttached(name: string, feed: Tensor, subject = 'feeds'): void {
  if (feed.location === 'gpu-buffer' && feed.gpuBuffer !== undefined) return;
  if (feed.data.length === elementCount(feed.dims)) return;
  throw new InvalidInputError('the data is no longer that of the tensor', {
    subject,
    field: name,
    got: `${feed.data.length} elements`,
    expected: `${elementCount(feed.dims)} for [${feed.dims.join(', ')}]`,
    remedy: 'Its buffer was transferred or resized; make a new Tensor.',
  });
}

/** Names of the inputs that are not fed from the host. */
export function gpuFedInputs(feeds: SingleFeeds): readonly string[] {
  return Object.keys(feeds).filter((name) => {
    const feed = feeds[name];
    return feed instanceof GpuFeed || feed?.location === 'gpu-buffer';
  });
}

/** @throws InvalidInputError for a tensor in a buffer of another device */
export function checkDevice(name: string, { device }: Tensor, expected: GpuDevice, subject = 'feeds'): void {
  if (device === undefined || device === expected) return;
  throw new InvalidInputError('the tensor is on another device', {
    subject,
    field: name,
    remedy: 'Create both sessions with the same device, or feed what getData gives.',
  });
}

/** Inputs of the model's types and the given extents. @throws InvalidInputError */
export function resolveDims(graph: Graph, dims: InputDims): ReadonlyMap<string, ValueInfo> {
  checkRecord('dims', dims);
  const types = new Map(graph.inputs.map((input) => [input.name, input.type]));
  const shapes = Object.entries(dims).map(([name, extents]) => [
    name,
    { type: types.get(name) ?? ('float32' as const), dims: extents },
  ]);
  return resolveInputs(graph, Object.fromEntries(shapes));
}

function checkRecord(subject: string, record: unknown): void {
  if (typeof record === 'object' && record !== null) return;
  throw new InvalidInputError('it is no object with an entry for each input', {
    subject,
    got: record === null ? 'null' : typeof record,
  });
}

/** One string a set of input shapes, and of the values planned with; plans are cached under it. */
export function shapeKey(inputs: ReadonlyMap<string, ValueInfo>): string {
  const describe = ({ dims, constant }: ValueInfo): string =>
    constant === undefined
      ? dims.join('x')
      : `${dims.join('x')}:${JSON.stringify(Array.from(constant.data, String))}`;
  return [...inputs].map(([name, info]) => `${name}=${describe(info)}`).join(';');
}
