/**
 * Resolves the pids of a SQLite store again after a prefix has changed. Otherwise a record would keep the IRI that its
 * pid once stood for, and writing the same pid again would add a second record.
 */
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMIT, statements, transaction, whenFree } from './database.ts';
import type { RecordTable } from './record-table.ts';
import type { StoreFault } from './store.ts';
import type { Naming } from './store-handles.ts';

/** Records that one transaction handles. */
const ROWS_AT_ONCE = 200;

type UnresolvedRow = { readonly id: number; readonly iri: string; readonly pid: string };

/**
 * Brings the IRIs of all records up to date.
 *
 * @returns a fault for each record that keeps its old IRI, since another record has the new one
 */
export async function resolvePids(
  database: DatabaseSync,
  table: RecordTable,
  { expand }: Pick<Naming, 'expand'>,
  path: string,
): Promise<StoreFault[]> {
  const faults: StoreFault[] = [];
  const sql = statements(database);
  const behind = sql(
    'SELECT id, iri, sort_key AS pid FROM thing WHERE sort_key >= ? ORDER BY sort_key, iri LIMIT 1',
  );
  const within = sql(
    `SELECT id, iri, sort_key AS pid FROM thing
     WHERE (sort_key, iri) > (?, ?) AND sort_key < ? ORDER BY sort_key, iri ${LIMIT}`,
  );
  const resolve = (rows: readonly UnresolvedRow[]) => {
    for (const { id, iri, pid } of rows) {
      const resolved = expand(pid);
      if (resolved === undefined || resolved === iri) continue;
      const other = table.key(resolved);
      if (other) {
        const message = `the record '${pid}' keeps the IRI '${iri}': the record '${other.pid}' has the IRI '${resolved}'`;
        faults.push({ path, message });
      } else {
        sql('UPDATE thing SET iri = ? WHERE id = ?').run(resolved, id);
      }
    }
  };
  // One record represents all with its prefix: a million records have a handful of prefixes.
  for (let row = behind.get('') as UnresolvedRow | undefined; row; ) {
    const colon = row.pid.indexOf(':');
    const [first, end] = colon < 0 ? [row.pid, `${row.pid}\0`] : prefixRange(row.pid.slice(0, colon));
    const resolved = expand(row.pid);
    if (resolved !== undefined && resolved !== row.iri) {
      let last: Pick<UnresolvedRow, 'pid' | 'iri'> = { pid: first, iri: '' };
      for (;;) {
        const rows = within.all(last.pid, last.iri, end, ROWS_AT_ONCE) as UnresolvedRow[];
        await whenFree(() => transaction(database, () => resolve(rows)));
        table.forget();
        if (rows.length < ROWS_AT_ONCE) break;
        last = rows[rows.length - 1]!;
        await nextTurn();
      }
    }
    row = behind.get(end) as UnresolvedRow | undefined;
  }
  return faults;
}

/** From the first possible pid with a prefix to the first one behind all of them. */
function prefixRange(prefix: string): [string, string] {
  return [`${prefix}:`, `${prefix};`];
}
