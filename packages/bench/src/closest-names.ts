/** Names that someone may have meant who wrote another one. */

/** Letters that begin a name surely enough. */
const LEAST_BEGINNING = 3;

/**
 * The names that the fewest letters, at most a third, turn what was written into, else those that begin with it; upper
 * and lower case are the same letter.
 */
export function closestNames(written: string, names: readonly string[]): readonly string[] {
  const word = written.toLowerCase();
  const distances = names.map((name) => editDistance(word, name.toLowerCase()));
  const least = Math.min(...distances);
  if (least <= word.length / 3) return names.filter((_, index) => distances[index] === least);
  return word.length < LEAST_BEGINNING ? [] : names.filter((name) => name.toLowerCase().startsWith(word));
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
