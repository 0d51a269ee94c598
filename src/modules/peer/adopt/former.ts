/**
 * Reads what releases 0.1 and 0.2 kept of an area besides its records: the entries of its changes (since 0.2), and which files
 * a crash has left unwritten.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Actor, ChangeNote } from '../../../core/storage/store.ts';
import { openForeign } from './sources.ts';

export type FormerEntry = {
  readonly revision: number;
  readonly iri: string;
  readonly pid: string;
  readonly className: string;
  /** In microseconds since 1970. */
  readonly time: number;
  readonly by: Actor | null;
  readonly note: ChangeNote;
  /** As it was stored, so without `schema_type` under `+stl`; null for a delete. */
  readonly json: string | null;
};

type EntryRow = [
  revision: number,
  iri: string,
  pid: string,
  className: string,
  deleted: number,
  time: number,
  committer: string | null,
  author: string | null,
  role: Actor['role'] | null,
  note: string | null,
  text: string | null,
];

const DATABASES = ['area.db', 'index.db'].map((name) => join('.accession', name));

export class FormerArea {
  readonly #database: DatabaseSync;
  /** The time of the first entry; undefined if there is none. No index has the times: each read looks at all entries. */
  readonly begin: number | undefined;
  /** The number of entries. */
  readonly total: number;

  /**
   * Undefined for an area of the peer alone.
   *
   * @param table the file of the peer's table, if the area has that
   */
  static open(directory: string, table: string | undefined): FormerArea | undefined {
    const file = table ?? DATABASES.map((name) => join(directory, name)).find((name) => existsSync(name));
    if (file === undefined) return undefined;
    const area = new FormerArea(openForeign(file));
    if (area.#has('accession_entry') || area.#has('accession_pending')) return area;
    area.close();
    return undefined;
  }

  private constructor(database: DatabaseSync) {
    this.#database = database;
    const sql = 'SELECT min(time), count(*) FROM accession_entry';
    const row = this.#has('accession_entry') ? database.prepare(sql) : undefined;
    row?.setReturnArrays(true);
    const [begin, total] = (row?.get() ?? [null, 0]) as unknown as [begin: number | null, total: number];
    this.begin = begin ?? undefined;
    this.total = total;
  }

  /** The entries after a revision. The text of one is in the row of the next change of its record, or in `thing`. */
  *entries(after: number): Generator<FormerEntry> {
    if (!this.#has('accession_entry')) return;
    const next =
      'FROM accession_entry n WHERE n.iri = e.iri AND n.revision > e.revision ORDER BY n.revision LIMIT 1';
    const texts = [
      ...(this.#has('accession_entry', 'object') ? ['e.object'] : []),
      ...(this.#has('accession_entry', 'former') ? [`(SELECT n.former ${next})`] : []),
      `CASE WHEN NOT EXISTS (SELECT 1 ${next}) THEN (SELECT object FROM thing t WHERE t.iri = e.iri) END`,
    ];
    const rows = this.#database.prepare(
      `SELECT revision, iri, pid, class_name, deleted, time, committer, author, role, note, coalesce(${texts.join(', ')})
       FROM accession_entry e WHERE revision > ? ORDER BY revision`,
    );
    rows.setReturnArrays(true);
    for (const row of rows.iterate(after) as Iterable<unknown>) {
      const [revision, iri, pid, className, deleted, time, committer, author, role, note, json] =
        row as EntryRow;
      const by = committer === null || author === null || role === null ? null : { committer, author, role };
      yield {
        revision,
        iri,
        pid,
        className,
        time,
        by,
        note: note === null ? {} : JSON.parse(note),
        json: deleted === 1 ? null : json,
      };
    }
  }

  /** Files that were not written before a crash, or not removed: their records are right. */
  pending(): { readonly path: string; readonly iri: string | null }[] {
    if (!this.#has('accession_pending')) return [];
    const sql = 'SELECT p.path, f.iri FROM accession_pending p LEFT JOIN accession_file f ON f.path = p.path';
    return this.#database.prepare(sql).all() as { path: string; iri: string | null }[];
  }

  /** The record that a file had. */
  iriOf(path: string): string | undefined {
    if (!this.#has('accession_file')) return undefined;
    return this.#database.prepare('SELECT iri FROM accession_file WHERE path = ?').get(path)?.iri as
      | string
      | undefined;
  }

  /** By which name the audit logs of release 0.2 know the area. */
  get auditName(): string | undefined {
    if (!this.#has('accession_ledger')) return undefined;
    const sql = "SELECT json FROM accession_ledger WHERE kind = 'audit' AND id = 'area'";
    const row = this.#database.prepare(sql).get() as { json: string } | undefined;
    return row && (JSON.parse(row.json) as string);
  }

  close(): void {
    this.#database.close();
  }

  #has(table: string, column = '%'): boolean {
    const sql = 'SELECT 1 FROM pragma_table_info(?) WHERE name LIKE ?';
    return this.#database.prepare(sql).get(table, column) !== undefined;
  }
}
