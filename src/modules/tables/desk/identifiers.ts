/** Identifiers for the rows that have none, as the form makes them for new records. */
import { suggestedPid } from '../../../../ui/form/new-record.ts';
import { type ClassDescription, readTitles, titleSlot } from '../../../../ui/shared/schema.ts';
import type { Sheet, SheetRow, Targets } from './sheet.ts';

type WithIdentifiers = {
  readonly sheet: Sheet;
  readonly targets: Targets;
  readonly made: ReadonlySet<number>;
};

/**
 * Fills the identifiers of rows that have none, in a column that is added if the file has none. An identifier that belongs to
 * a record, or to another row, gets a number: a row without an identifier is a new record.
 */
export async function withIdentifiers(
  collection: string,
  description: ClassDescription,
  prefix: string,
  { sheet, targets }: { sheet: Sheet; targets: Targets },
): Promise<WithIdentifiers> {
  const found = targets.indexOf('pid');
  const at = found < 0 ? sheet.header.length : found;
  const nameAt = targets.indexOf(titleSlot(description)?.name ?? '');
  const without = sheet.rows.filter(({ cells }) => (cells[at] ?? '').trim() === '');
  const wanted = new Map(
    without.map((one) => [
      one.row,
      suggestedPid(prefix, description, (nameAt < 0 ? '' : one.cells[nameAt]) ?? ''),
    ]),
  );
  const taken = new Set(sheet.rows.map(({ cells }) => (cells[at] ?? '').trim()));
  const pids = new Map<number, string>();
  // Identifiers that are taken are tried again with the next number, all of them in one request.
  for (let number = 1; wanted.size > 0; number += 1) {
    const candidates = new Map(
      [...wanted].map(([row, pid]) => [row, number === 1 ? pid : `${pid}-${number}`]),
    );
    const known = await readTitles(collection, [...new Set(candidates.values())]);
    for (const [row, pid] of candidates) {
      if (taken.has(pid) || known.get(pid) != null) continue;
      taken.add(pid);
      pids.set(row, pid);
      wanted.delete(row);
    }
  }
  const fill = (one: SheetRow): SheetRow => {
    const cells = Array.from(
      { length: Math.max(one.cells.length, at + 1) },
      (_, index) => one.cells[index] ?? '',
    );
    return { row: one.row, cells: cells.with(at, pids.get(one.row) ?? cells[at] ?? '') };
  };
  return {
    sheet: { ...sheet, header: found < 0 ? [...sheet.header, ''] : sheet.header, rows: sheet.rows.map(fill) },
    targets: found < 0 ? [...targets, 'pid'] : targets,
    made: new Set(pids.keys()),
  };
}

/** The sheet without the identifiers of some rows. */
export function withoutIdentifiers(sheet: Sheet, targets: Targets, rows: ReadonlySet<number>): Sheet {
  const at = targets.indexOf('pid');
  const emptied = (one: Sheet['rows'][number]) =>
    rows.has(one.row) ? { ...one, cells: one.cells.with(at, '') } : one;
  return { ...sheet, rows: sheet.rows.map(emptied) };
}
