/**
 * Which rows of two profiles are the same work. Rows that cover the same nodes belong together; where fusion differs,
 * rows that share nodes form one group of several on either side. Rows that share no name (layout conversions, renamed
 * nodes) are paired by label, those before the same nodes and of the same shape first. The rest stays alone.
 */
import type { ProfileRow } from '@onegpu/onnx';

export interface AlignedRows {
  /** How the two sides were found; absent where one of them is empty. */
  readonly by?: 'nodes' | 'label';
  readonly a: readonly ProfileRow[];
  readonly b: readonly ProfileRow[];
}

/** Every row once, in the order of A; rows of B alone behind the row that is before them in B. */
export function alignRows(a: readonly ProfileRow[], b: readonly ProfileRow[]): AlignedRows[] {
  const left = { a: new Set(a), b: new Set(b) };
  const aligned: AlignedRows[] = [];
  const take = (found: readonly AlignedRows[]): void => {
    for (const group of found) {
      for (const row of group.a) left.a.delete(row);
      for (const row of group.b) left.b.delete(row);
      aligned.push(group);
    }
  };
  const pairBy = (by: 'nodes' | 'label', key: (row: ProfileRow) => string | undefined): void =>
    take(pairRows(by, { a: [...left.a], b: [...left.b], key }));
  const next = new Map([...nodesBehind(a), ...nodesBehind(b)]);
  pairBy('nodes', ({ nodes, operator }) => (nodes.length === 0 ? undefined : keyOf(operator, nodes)));
  take(shareNodes([...left.a], [...left.b]));
  pairBy('label', (row) => keyOf(row.label, row.shape, next.get(row)));
  pairBy('label', ({ label, shape }) => keyOf(label, shape));
  pairBy('label', ({ label }) => label);
  for (const row of left.a) aligned.push({ a: [row], b: [] });
  for (const row of left.b) aligned.push({ a: [], b: [row] });
  return inOrder(aligned);
}

function keyOf(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}

/** First row of A with the first row of B of the same key, second with second, and so on. */
function pairRows(
  by: 'nodes' | 'label',
  rows: {
    readonly a: readonly ProfileRow[];
    readonly b: readonly ProfileRow[];
    readonly key: (row: ProfileRow) => string | undefined;
  },
): AlignedRows[] {
  const waiting = new Map<string, ProfileRow[]>();
  for (const row of rows.b) {
    const key = rows.key(row);
    if (key !== undefined) waiting.set(key, [...(waiting.get(key) ?? []), row]);
  }
  return rows.a.flatMap((row) => {
    const partner = waiting.get(rows.key(row) ?? '')?.shift();
    return partner === undefined ? [] : [{ by, a: [row], b: [partner] }];
  });
}

/** Groups of rows connected by common nodes, of both sides. */
function shareNodes(a: readonly ProfileRow[], b: readonly ProfileRow[]): AlignedRows[] {
  interface Group {
    readonly a: ProfileRow[];
    readonly b: ProfileRow[];
    readonly names: Set<string>;
  }
  const groupOf = new Map<string, Group>();
  const add = (row: ProfileRow, side: 'a' | 'b'): void => {
    const joined: Group = { a: [], b: [], names: new Set(row.nodes) };
    for (const group of new Set(row.nodes.map((name) => groupOf.get(name)))) {
      if (group === undefined) continue;
      joined.a.push(...group.a);
      joined.b.push(...group.b);
      for (const name of group.names) joined.names.add(name);
    }
    joined[side].push(row);
    for (const name of joined.names) groupOf.set(name, joined);
  };
  for (const row of a) add(row, 'a');
  for (const row of b) add(row, 'b');
  const byIndex = (x: ProfileRow, y: ProfileRow): number => x.index - y.index;
  return [...new Set(groupOf.values())]
    .filter((group) => group.a.length > 0 && group.b.length > 0)
    .map((group) => ({ by: 'nodes', a: group.a.sort(byIndex), b: group.b.sort(byIndex) }));
}

/** For each row without nodes, the nodes of the next row that has some. */
function nodesBehind(rows: readonly ProfileRow[]): Map<ProfileRow, readonly string[]> {
  const behind = new Map<ProfileRow, readonly string[]>();
  let next: readonly string[] = [];
  for (const row of [...rows].reverse()) {
    if (row.nodes.length > 0) next = row.nodes;
    else behind.set(row, next);
  }
  return behind;
}

function inOrder(aligned: readonly AlignedRows[]): AlignedRows[] {
  // Place of each group: row of A, and how many rows of B alone lie between that and it.
  const places = new Map<AlignedRows, readonly [number, number]>();
  const groupOfB = new Map<number, AlignedRows>();
  for (const group of aligned) {
    for (const row of group.b) groupOfB.set(row.index, group);
    const [first] = group.a;
    if (first !== undefined) places.set(group, [first.index, 0]);
  }
  let before: readonly [number, number] = [-1, 0];
  for (const [, group] of [...groupOfB].sort(([x], [y]) => x - y)) {
    const place = places.get(group) ?? ([before[0], before[1] + 1] as const);
    places.set(group, place);
    before = place;
  }
  const placeOf = (group: AlignedRows): readonly [number, number] => places.get(group) ?? [-1, 0];
  return [...aligned].sort((x, y) => placeOf(x)[0] - placeOf(y)[0] || placeOf(x)[1] - placeOf(y)[1]);
}
