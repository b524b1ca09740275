/** Names that someone may have meant who wrote another one. */

/** Letters that a beginning needs to be told from others. */
const LEAST_BEGINNING = 3;

/**
 * The names that the fewest letters, at most a third, turn what was written into, else those whose beginning at most a
 * quarter of them does; upper and lower case are the same letter.
 */
export function closestNames(written: string, names: readonly string[]): readonly string[] {
  const word = written.toLowerCase();
  const distances = names.map((name) => editDistance(word, name.toLowerCase()));
  const least = Math.min(...distances);
  if (least <= word.length / 3) return names.filter((_, index) => distances[index] === least);
  if (word.length < LEAST_BEGINNING) return [];
  const beginning = (name: string): string => name.toLowerCase().slice(0, word.length);
  return names.filter((name) => editDistance(word, beginning(name)) <= word.length / 4);
}

/** Letters to insert, to take out or to replace (Levenshtein's distance). */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, taken) => taken);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let at = 1; at <= to.length; at++) {
      const replaced = (row[at - 1] ?? 0) + (letter === to[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
