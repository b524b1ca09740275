/**
 * The arenas of a session, shared by the plans of all its input shapes: submits run in order, so activations of
 * one run are never needed by the next. A plan that needs larger arenas replaces them, and the others bind anew.
 */
import { alignUp, BufferArena, type GpuDevice } from '@onegpu/core';

export class ArenaSet {
  readonly #device: GpuDevice;
  #arenas: BufferArena[] = [];
  #generation = 0;
  #growing: Promise<void> = Promise.resolve();

  constructor(device: GpuDevice) {
    this.#device = device;
  }

  /** Changes whenever an arena was replaced. */
  get generation(): number {
    return this.#generation;
  }

  get bytes(): number {
    return this.#arenas.reduce((sum, arena) => sum + arena.size, 0);
  }

  /** @throws RangeError for an arena that no plan asked for. */
  at(index: number): BufferArena {
    const arena = this.#arenas[index];
    if (arena === undefined) throw new RangeError(`arena ${index} of ${this.#arenas.length}`);
    return arena;
  }

  /** Makes every arena at least as large as asked. @throws GpuLimitError, GpuOutOfMemoryError */
  ensure(sizes: readonly number[]): Promise<void> {
    const grown = this.#growing.then(() => this.#grow(sizes));
    this.#growing = grown.catch(() => {});
    return grown;
  }

  destroy(): void {
    for (const arena of this.#arenas) arena.destroy();
    this.#arenas = [];
  }

  async #grow(sizes: readonly number[]): Promise<void> {
    for (const [index, size] of sizes.entries()) {
      const current = this.#arenas[index];
      if (current !== undefined && current.size >= size) continue;
      const aligned = alignUp(Math.max(size, 256), 256);
      const arena = await BufferArena.create(this.#device, aligned, `arena ${index}`);
      // Work already submitted keeps the old buffer alive; WebGPU frees it when that work is done.
      current?.destroy();
      this.#arenas[index] = arena;
      this.#generation++;
    }
  }
}
