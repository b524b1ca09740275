/**
 * The words of `npm run sweep -- FAMILY... --seed N --runs N`: random problems of operators against float64, every
 * algorithm forced; `edges` for shapes beside the edges of tiles, `layers` for the convolutions of whole networks.
 * Without a family all of them; a seed that is not given is drawn, and printed.
 */
import { join } from 'node:path';

const TESTS = join('packages', 'kernels', 'test');

/** Words of `numerics` that measure the layers of the four networks, both types. */
export const LAYERS = ['operators', '--batch', '1', '--batch', '8'];

/** Test file of each family. */
export const FAMILIES = {
  conv: join(TESTS, 'conv-random.test.ts'),
  'conv-transpose': join(TESTS, 'conv-transpose-random.test.ts'),
  'conv-integer': join(TESTS, 'conv-integer-random.test.ts'),
  'deform-conv': join(TESTS, 'deform-conv-random.test.ts'),
  edges: join(TESTS, 'edge-shapes.test.ts'),
  gemm: join(TESTS, 'gemm-random.test.ts'),
  pool: join(TESTS, 'pool-random.test.ts'),
  quantized: join(TESTS, 'quantized-random.test.ts'),
  resize: join(TESTS, 'resize-random.test.ts'),
  volume: join(TESTS, 'volume-random.test.ts'),
  channels: join(TESTS, 'channels'),
};

/** From so many on every algorithm must have had at least 30. */
const RUNS = 300;
const SEEDS = 2 ** 31;

/**
 * Test files, seed and runs a family, and whether layers are measured.
 * @throws RangeError with what is understood, for other words
 */
export function sweepOf(words) {
  const chosen = { files: [], layers: false, seed: Math.floor(Math.random() * SEEDS), runs: RUNS };
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === '--seed' || word === '--runs') chosen[word.slice(2)] = wholeNumber(word, words[++i]);
    else if (word === 'layers') chosen.layers = true;
    else if (Object.hasOwn(FAMILIES, word)) chosen.files.push(FAMILIES[word]);
    else
      throw new RangeError(
        `sweep does not know "${word}"; families: ${[...Object.keys(FAMILIES), 'layers'].join(' ')}`,
      );
  }
  const all = chosen.files.length === 0 && !chosen.layers;
  return all ? { ...chosen, files: Object.values(FAMILIES), layers: true } : chosen;
}

function wholeNumber(word, text) {
  if (text !== undefined && /^\d{1,10}$/.test(text) && Number(text) < SEEDS) return Number(text);
  throw new RangeError(`${word} takes a whole number below ${SEEDS}, not "${text ?? ''}"`);
}
