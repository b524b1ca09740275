export interface EvenBlocks {
  readonly blocks: number;
  /** Steps of each; the last block may have fewer. */
  readonly blockSteps: number;
}

/** Cuts a chain of steps into the fewest blocks of at most `most` steps, as equally long as they can be. */
export function evenBlocks(steps: number, most: number): EvenBlocks {
  const blocks = Math.ceil(steps / most);
  return { blocks, blockSteps: blocks === 0 ? 0 : Math.ceil(steps / blocks) };
}
