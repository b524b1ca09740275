/** Typed access to a node's attributes; a wrong kind or range is an InvalidModelError naming node and attribute. */
import { InvalidModelError } from '@onegpu/core';
import type { Activation } from '@onegpu/kernels/core';
import type { AttributeValue, GraphNode } from './graph.ts';
import type { Tensor } from './tensor.ts';

export class AttributeReader {
  readonly #node: GraphNode;

  constructor(node: GraphNode) {
    this.#node = node;
  }

  has(name: string): boolean {
    return this.#node.attributes.has(name);
  }

  /** An integer attribute as a number. @throws InvalidModelError outside the safe integers. */
  int(name: string, fallback: number): number {
    const value = this.#read(name, 'int');
    return value === undefined ? fallback : this.#toNumber(name, value.value);
  }

  float(name: string, fallback: number): number {
    return this.#read(name, 'float')?.value ?? fallback;
  }

  string(name: string, fallback: string): string {
    return this.#read(name, 'string')?.value ?? fallback;
  }

  ints(name: string): readonly number[] | undefined {
    return this.#read(name, 'ints')?.value.map((value) => this.#toNumber(name, value));
  }

  floats(name: string): readonly number[] | undefined {
    return this.#read(name, 'floats')?.value;
  }

  strings(name: string): readonly string[] | undefined {
    return this.#read(name, 'strings')?.value;
  }

  /** Steps of an operator that fusion makes; none where it is absent. */
  activation(name: string): readonly Activation[] {
    return this.#read(name, 'activation')?.value ?? [];
  }

  tensor(name: string): Tensor | undefined {
    return this.#read(name, 'tensor')?.value;
  }

  #read<K extends AttributeValue['kind']>(
    name: string,
    kind: K,
  ): Extract<AttributeValue, { kind: K }> | undefined {
    const value = this.#node.attributes.get(name);
    if (value === undefined) return undefined;
    if (value.kind !== kind) {
      throw new InvalidModelError('the attribute has the wrong kind', {
        subject: `${this.#node.opType} "${this.#node.name}"`,
        field: name,
        got: value.kind,
        expected: kind,
      });
    }
    return value as Extract<AttributeValue, { kind: K }>;
  }

  #toNumber(name: string, value: bigint): number {
    const number = Number(value);
    if (!Number.isSafeInteger(number)) {
      throw new InvalidModelError('the integer is out of range', {
        subject: `${this.#node.opType} "${this.#node.name}"`,
        field: name,
        got: String(value),
        expected: 'an integer within 2^53',
      });
    }
    return number;
  }
}
