/** Checks the rows of an import with the service, all after the choice of columns and again after a cell was typed. */
import { useEffect, useRef } from 'preact/hooks';
import { isEqual } from '../../../../ui/shared/json.ts';
import { type ClassDescription, titleSlot } from '../../../../ui/shared/schema.ts';
import type { TableResult } from '../client.ts';
import { withIdentifiers, withoutIdentifiers } from './identifiers.ts';
import type { Cells, CheckedTable, Table } from './import-draft.ts';
import type { ImportWay } from './import-way.ts';
import { cellKey, csvOf, sendable, type Targets, verdictsOf, withCells } from './sheet.ts';

const NO_ROWS: TableResult = {
  rows: 0,
  stored: 0,
  unchanged: 0,
  refused: 0,
  faults: [],
  removed: 0,
  removals: [],
  notes: [],
};

export function useChecks({ collection, draft, read, attempt, send }: ImportWay) {
  const { kept, table, checked, cells, making, targets } = draft;
  /** Counts checks: an answer that a later one has overtaken is dropped. */
  const round = useRef(0);
  const check = async (of: Table, targets: Targets, cells: Cells): Promise<void> => {
    round.current += 1;
    const number = round.current;
    const sheet = withCells(of.sheet, cells);
    const rows = sendable(sheet, targets);
    const result = rows.length === 0 ? NO_ROWS : await send(csvOf(targets, rows), { dryRun: true });
    if (number !== round.current || !table) return;
    const verdicts = verdictsOf(sheet, targets, rows, result);
    const made = of.made ?? new Set();
    kept.change({ sheet: table.sheet, made, checked: { sheet, targets, verdicts, cells } });
  };
  const checkRows = () =>
    attempt(async () => {
      if (!read) return;
      // A name that was corrected here is part of the identifier.
      const sheet = withCells(read.sheet, cells);
      const { make, prefix } = making;
      const filled =
        make && (await withIdentifiers(collection, read.description, prefix, { sheet, targets }));
      await check(filled || { sheet }, filled ? filled.targets : targets, cells);
      draft.note({ filter: 'all', step: 'rows' });
    });
  const checkCells = (cells: Cells) =>
    attempt(async () => {
      if (!table || !checked || !read) return;
      const { targets } = checked;
      const made = table.made ?? new Set();
      const named = renamed(checked, cells, made, read.description);
      if (named.size === 0) return check({ sheet: checked.sheet, made }, targets, cells);
      // An identifier that was made here follows the name.
      const sheet = withCells(withoutIdentifiers(checked.sheet, targets, named), cells);
      const filled = await withIdentifiers(collection, read.description, making.prefix, { sheet, targets });
      await check({ sheet: filled.sheet, made }, targets, cells);
    });
  // Cells that were typed and left for another view, or a reload, before their check had an answer.
  const isReady = kept.isRead && read !== undefined;
  useEffect(() => {
    if (isReady && draft.step === 'rows' && checked && !isEqual(checked.cells, cells)) checkCells(cells);
  }, [isReady]);
  const typed = (row: number, index: number, text: string): Cells => ({
    ...cells,
    [cellKey(row, index)]: text,
  });
  return { checkRows, checkCells, typed };
}

/** The rows whose identifier was made here, and whose name was typed since. */
function renamed(
  { targets, cells: before }: CheckedTable,
  cells: Cells,
  made: ReadonlySet<number>,
  description: ClassDescription,
): ReadonlySet<number> {
  const nameAt = targets.indexOf(titleSlot(description)?.name ?? '');
  const isTyped = (row: number) => cells[cellKey(row, nameAt)] !== before[cellKey(row, nameAt)];
  return new Set([...made].filter(isTyped));
}
