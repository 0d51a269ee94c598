/** The rows of a list that are selected: they stay selected while the list changes around them. */
import { useState } from 'preact/hooks';
import type { Pages } from './pages.ts';

export type Selection<Row> = {
  /** The rows that are selected one by one; those that were loaded, if the whole list is. */
  readonly rows: readonly Row[];
  /** How many are selected. */
  readonly size: number;
  /** Whether all rows of the list are selected, also those that are not loaded. */
  readonly isWhole: boolean;
  /** How many rows are loaded, if all of these are selected and the list has others. */
  readonly loaded: number | undefined;
  readonly isAll: boolean;
  readonly has: (row: Row) => boolean;
  readonly toggle: (index: number) => void;
  /** Selects the rows from the last one that was toggled. */
  readonly extendTo: (index: number) => void;
  /** Selects the rows that are loaded, or none. */
  readonly toggleAll: () => void;
  /** Selects all rows of the list. */
  readonly selectWhole: () => void;
  /** Selects more each time: the rows that are loaded, the whole list, none. */
  readonly selectMore: () => void;
  readonly clear: () => void;
};

type State<Row> = {
  readonly list: string;
  readonly chosen: ReadonlyMap<string, Row>;
  readonly anchor: number;
  readonly isWhole: boolean;
};

export function useSelection<Row>(
  list: string,
  pages: Pages<Row>,
  keyOf: (row: Row) => string,
): Selection<Row> {
  const none: State<Row> = { list, chosen: new Map(), anchor: 0, isWhole: false };
  const [state, setState] = useState(none);
  // Another filter has another selection.
  const { chosen, anchor, isWhole } = state.list === list ? state : none;
  const choose = (next: ReadonlyMap<string, Row>, from = anchor, whole = false) =>
    setState({ list, chosen: next, anchor: from, isWhole: whole });
  const loadedRows = () => new Map(pages.loadedRows().map((row) => [keyOf(row), row]));
  const loaded = chosen.size > 0 ? loadedRows().size : 0;
  const isAllLoaded = chosen.size > 0 && chosen.size >= loaded;
  const hasMore = pages.more || pages.total > loaded;
  const selectWhole = () => choose(loadedRows(), anchor, true);
  const clear = () => choose(new Map());
  return {
    rows: [...chosen.values()],
    size: isWhole ? pages.total : chosen.size,
    isWhole,
    loaded: isAllLoaded && hasMore && !isWhole ? loaded : undefined,
    isAll: isWhole || (isAllLoaded && !hasMore),
    has: (row) => isWhole || chosen.has(keyOf(row)),
    toggle: (index) => {
      const row = pages.rowAt(index);
      if (!row) return;
      // Without one of its rows, what is left of a whole list are those that are loaded.
      const next = new Map(isWhole ? loadedRows() : chosen);
      if (!next.delete(keyOf(row))) next.set(keyOf(row), row);
      choose(next, index);
    },
    extendTo: (index) => {
      const next = new Map(chosen);
      for (let i = Math.min(anchor, index); i <= Math.max(anchor, index); i++) {
        const row = pages.rowAt(i);
        if (row) next.set(keyOf(row), row);
      }
      choose(next, index, isWhole);
    },
    toggleAll: () => (isWhole || isAllLoaded ? clear() : choose(loadedRows())),
    selectWhole,
    selectMore: () => {
      if (isWhole || (isAllLoaded && !hasMore)) clear();
      else if (isAllLoaded) selectWhole();
      else choose(loadedRows());
    },
    clear,
  };
}
