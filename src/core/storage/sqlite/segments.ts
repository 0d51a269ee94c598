/**
 * Sets how FTS5 merges the segments of the indexes of texts and words. Each step of these adds a segment, and searches read all of
 * them. By itself, FTS5 merges 16 of them in the commit of the last one, and stores wait for it: every 21st step of 64 records took up
 * to 44 ms of processor time. So each step merges a few pages instead, see `mergeSegments` of `search/text-index.ts`.
 */
import type { DatabaseSync } from 'node:sqlite';

/**
 * The options of FTS5 (https://www.sqlite.org/fts5.html#the_automerge_configuration_option). Fewer than 8 segments of one size are not
 * merged: that would write the same pages more often. With 64, FTS5 merges them at once, which does not happen, since steps merge faster than they add.
 */
const OPTIONS = { automerge: 0, usermerge: 8, crisismerge: 64 };
const TABLES = ['accession_text', 'accession_word'];

/** Writes the options, if others are there. Connections that are open already read them, too. */
export function writeMergeOptions(database: DatabaseSync): void {
  for (const table of TABLES) {
    const present = new Map(
      database
        .prepare(`SELECT k, v FROM ${table}_config`)
        .all()
        .map(({ k, v }) => [k, v]),
    );
    for (const [option, value] of Object.entries(OPTIONS))
      if (present.get(option) !== value)
        database.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('${option}', ${value})`);
  }
}
