/**
 * Connected regions of a binary map with eight neighbours, by runs: each row is cut into runs of set pixels, a run
 * is joined with those of the row above that it touches (union-find), and runs are collected by their root. Time
 * and memory grow with the number of pixels and runs, never with their product.
 */

/** Set pixels `start`..`end` (both included) of row `y`. */
export interface Run {
  readonly y: number;
  readonly start: number;
  readonly end: number;
}

/** The runs of each region over `threshold` in a map of `width` columns, regions in order of their first pixel. */
export function connectedComponents(
  map: Float32Array,
  size: { readonly width: number; readonly height: number },
  threshold: number,
): readonly (readonly Run[])[] {
  const runs: Run[] = [];
  const parents: number[] = [];
  let above = 0;
  for (let y = 0; y < size.height; y++) {
    const first = runs.length;
    for (const run of rowRuns(map, y, size.width, threshold)) {
      parents.push(runs.length);
      runs.push(run);
    }
    joinRows(runs, parents, { above, first });
    above = first;
  }
  return collect(runs, parents);
}

function* rowRuns(map: Float32Array, y: number, width: number, threshold: number): Generator<Run> {
  const offset = y * width;
  let start = -1;
  for (let x = 0; x < width; x++) {
    const set = (map[offset + x] ?? 0) > threshold;
    if (set && start < 0) start = x;
    if (!set && start >= 0) {
      yield { y, start, end: x - 1 };
      start = -1;
    }
  }
  if (start >= 0) yield { y, start, end: width - 1 };
}

/** Walks the runs of two neighbouring rows side by side and joins those that touch, corners included. */
function joinRows(
  runs: readonly Run[],
  parents: number[],
  rows: { readonly above: number; readonly first: number },
): void {
  let upper = rows.above;
  let lower = rows.first;
  while (upper < rows.first && lower < runs.length) {
    const a = runs[upper] as Run;
    const b = runs[lower] as Run;
    if (a.start <= b.end + 1 && b.start <= a.end + 1) union(parents, upper, lower);
    if (a.end < b.end) upper++;
    else lower++;
  }
}

function find(parents: number[], run: number): number {
  let root = run;
  while (parents[root] !== root) {
    parents[root] = parents[parents[root] as number] as number;
    root = parents[root] as number;
  }
  return root;
}

/** The older root wins, so that a region is named by its first run. */
function union(parents: number[], a: number, b: number): void {
  const rootA = find(parents, a);
  const rootB = find(parents, b);
  parents[Math.max(rootA, rootB)] = Math.min(rootA, rootB);
}

function collect(runs: readonly Run[], parents: number[]): readonly (readonly Run[])[] {
  const components = new Map<number, Run[]>();
  runs.forEach((run, index) => {
    const root = find(parents, index);
    const component = components.get(root);
    if (component === undefined) components.set(root, [run]);
    else component.push(run);
  });
  return [...components.values()];
}
