/**
 * Inputs whose values decide shapes: the `shape` of a Reshape, the `sizes` of a Resize, fed at run time instead of
 * kept in the model. Which inputs these are shows while shapes are inferred: an operator asks for a value that is
 * not known, and the inputs behind that value must be planned with, as constants are.
 */
import { InvalidInputError } from '@onegpu/core';
import type { SingleFeeds } from './gpu-feed.ts';
import type { Graph } from './graph.ts';
import { HOST_ELEMENT_LIMIT } from './infer-shapes.ts';
import type { ValueInfo } from './op-definition.ts';
import { HostValueError } from './ops/host-input.ts';
import { Tensor } from './tensor.ts';

/** Name of the value that inference lacked, where that is why it failed. */
export function hostValueOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof HostValueError) return cause.value;
  }
  return undefined;
}

/** The graph's inputs that a value is computed from, itself included. */
export function inputsBehind(graph: Graph, value: string): readonly string[] {
  const makers = new Map(
    graph.nodes.flatMap((node) => node.outputs.map((output) => [output, node] as const)),
  );
  const seen = new Set([value]);
  for (const name of seen) {
    const node = makers.get(name);
    for (const input of node?.inputs ?? []) if (input !== '') seen.add(input);
  }
  return graph.inputs.map((input) => input.name).filter((name) => seen.has(name));
}

/** The inputs of one session that must be planned with, learned from the plans that failed without them. */
export class HostFeeds {
  readonly #graph: Graph;
  readonly #names = new Set<string>();

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** The inputs of a run, those that decide shapes with a copy of their values. */
  withValues(inputs: ReadonlyMap<string, ValueInfo>, feeds: SingleFeeds): ReadonlyMap<string, ValueInfo> {
    if (this.#names.size === 0) return inputs;
    return new Map(
      [...inputs].map(([name, info]) => {
        const feed = this.#names.has(name) ? feeds[name] : undefined;
        if (feed === undefined) return [name, info];
        if (!isOnHost(feed)) throw unknownValue(name);
        return [name, { ...info, constant: new Tensor(feed.type, feed.data.slice(), feed.dims) }];
      }),
    );
  }

  /** Whether a plan that failed with `error` is worth another try, with the values of more inputs. */
  learn(error: unknown, feeds: SingleFeeds): boolean {
    const value = hostValueOf(error);
    if (value === undefined) return false;
    const behind = inputsBehind(this.#graph, value);
    const found = behind.filter((name) => !this.#names.has(name) && isSmall(feeds[name]));
    for (const name of found) this.#names.add(name);
    return found.length > 0;
  }
}

function isSmall(feed: SingleFeeds[string] | undefined): boolean {
  return feed instanceof Tensor && feed.size <= HOST_ELEMENT_LIMIT;
}

function isOnHost(feed: SingleFeeds[string]): feed is Tensor {
  return feed instanceof Tensor && feed.location === 'cpu';
}

function unknownValue(name: string): InvalidInputError {
  return new InvalidInputError('its values decide shapes and are not on the host', {
    subject: 'feeds',
    field: name,
    remedy: 'Feed a Tensor on the host.',
  });
}
