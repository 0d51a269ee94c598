/**
 * Sets the sizes of tables that SQLite's planner assumes. Without statistics it takes an area for ten rows, and may walk a whole
 * area by a covering index instead of looking up some of its records. ANALYZE would measure the tables as they are now, also
 * while they are empty. These are of a large area for good: a plan that suits it also suits a small one.
 * The format is that of the table sqlite_stat1 (https://www.sqlite.org/fileformat2.html#stat1tab).
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Statistics } from '../tables.ts';

/** By index: the rows of its table, and how many have the same value in the first column, in the first two, and so on. */
const STATISTICS: Statistics = {
  accession_record: {
    accession_record_iri: '1000000 100000 1',
    accession_record_restricted: '1000000 100000 1 1',
    accession_record_order: '1000000 100000 1 1 1 1',
    accession_record_class: '1000000 100000 10000 1 1 1',
    accession_record_policy: '1000000 100000 1000 1 1 1',
    accession_record_long: '1000 100',
  },
  accession_entry: {
    accession_entry_revision: '2000000 200000 1',
    accession_entry_iri: '2000000 200000 2 1',
    accession_entry_deleted: '100000 10000 2 1',
    accession_entry_author: '2000000 200000 10000 1',
    accession_entry_class: '2000000 200000 10000 1',
    accession_entry_former: '1000 100 10 1',
    accession_entry_policies: '2000000 200000 20000 1 1 1 1',
    accession_entry_former_policy: '10000 1000 100 1 1 1 1',
  },
  accession_link: {
    accession_link_iri: '2000000 200000 2 1',
    accession_link_target: '2000000 200000 10 1',
    accession_link_policy: '2000000 200000 10 5 1 1',
  },
  accession_slot: { accession_slot_name: '1000 50 2 1' },
  accession_kind: { accession_kind_name: '1000 50 5 1' },
  // The key of a table that is kept in its order has the name of the table.
  accession_value: { accession_value: '4000000 100000 100 5 1' },
  accession_block: {
    sqlite_autoindex_accession_block_1: '2000 200 1',
    accession_block_start: '2000 200 1 1',
    accession_block_revision: '2000 200 1',
  },
  accession_patch: {
    sqlite_autoindex_accession_patch_1: '1000000 100000 10000 1',
  },
};

const rowsOf = (statistics: Statistics) =>
  Object.entries(statistics).flatMap(([table, indexes]) =>
    Object.entries(indexes).map(([index, numbers]) => [table, index, numbers] as const),
  );

/**
 * Writes the statistics, if others or none are there. Connections that are opened later plan with them.
 *
 * @param modules describe the tables of modules
 */
export function writeStatistics(
  database: DatabaseSync,
  modules: readonly { readonly statistics?: Statistics }[],
): void {
  const rows = [STATISTICS, ...modules.map(({ statistics = {} }) => statistics)].flatMap(rowsOf);
  const isThere = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'").get();
  // It makes the table.
  if (!isThere) database.exec('ANALYZE accession_meta');
  const written = database.prepare('SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY rowid');
  written.setReturnArrays(true);
  if (JSON.stringify(written.all()) === JSON.stringify(rows)) return;
  database.exec('DELETE FROM sqlite_stat1');
  const put = database.prepare('INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)');
  for (const row of rows) put.run(...row);
}
