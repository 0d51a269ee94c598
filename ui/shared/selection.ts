/** The rows of a list that are selected: they stay selected while the list changes around them. */
import { useState } from 'preact/hooks';
import type { Pages } from './pages.ts';

export type Selection<Row> = {
  readonly rows: readonly Row[];
  /** Whether all rows that are loaded are selected. */
  readonly isAll: boolean;
  readonly has: (row: Row) => boolean;
  readonly toggle: (index: number) => void;
  /** Selects the rows from the last one that was toggled. */
  readonly extendTo: (index: number) => void;
  readonly toggleAll: () => void;
  readonly clear: () => void;
};

export function useSelection<Row>(
  list: string,
  pages: Pages<Row>,
  keyOf: (row: Row) => string,
): Selection<Row> {
  const [state, setState] = useState({ list, chosen: new Map<string, Row>(), anchor: 0 });
  // Another filter has another selection.
  const { chosen, anchor } = state.list === list ? state : { chosen: new Map<string, Row>(), anchor: 0 };
  const choose = (next: Map<string, Row>, from = anchor) => setState({ list, chosen: next, anchor: from });
  const loaded = () =>
    Array.from({ length: pages.total }, (_, i) => pages.rowAt(i)).filter((row) => row !== undefined);
  return {
    rows: [...chosen.values()],
    isAll: chosen.size > 0 && chosen.size >= Math.min(pages.total, 100),
    has: (row) => chosen.has(keyOf(row)),
    toggle: (index) => {
      const row = pages.rowAt(index);
      if (!row) return;
      const next = new Map(chosen);
      if (!next.delete(keyOf(row))) next.set(keyOf(row), row);
      choose(next, index);
    },
    extendTo: (index) => {
      const next = new Map(chosen);
      for (let i = Math.min(anchor, index); i <= Math.max(anchor, index); i++) {
        const row = pages.rowAt(i);
        if (row) next.set(keyOf(row), row);
      }
      choose(next, index);
    },
    toggleAll: () => {
      const rows = loaded();
      choose(chosen.size >= rows.length ? new Map() : new Map(rows.map((row) => [keyOf(row), row])));
    },
    clear: () => choose(new Map()),
  };
}
