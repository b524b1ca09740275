/**
 * Ties charts and tables of one report together: what is pointed at in one is lit in all, what is picked in one can
 * be scrolled to in another. Rows are their indices in the report.
 */

export type RowSet = ReadonlySet<number>;

export interface RowLink {
  /** Lights rows everywhere; none of them ends it. */
  hover(rows: Iterable<number>): void;
  pick(row: number): void;
  /** Both give back what ends the listening. */
  onHover(listener: (rows: RowSet) => void): () => void;
  onPick(listener: (row: number) => void): () => void;
}

export function createRowLink(): RowLink {
  const hovering = new Set<(rows: RowSet) => void>();
  const picking = new Set<(row: number) => void>();
  let lit: RowSet = new Set();
  const listen = <Listener>(set: Set<Listener>, listener: Listener): (() => void) => {
    set.add(listener);
    return () => set.delete(listener);
  };
  return {
    hover(rows) {
      const next = new Set(rows);
      if (next.size === lit.size && [...next].every((row) => lit.has(row))) return;
      lit = next;
      for (const listener of hovering) listener(lit);
    },
    pick(row) {
      for (const listener of picking) listener(row);
    },
    onHover: (listener) => listen(hovering, listener),
    onPick: (listener) => listen(picking, listener),
  };
}
