/** The peer's table of records, as it is written for an export. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { removeSchemaType } from '../../../core/schema-type.ts';
import { openForeign, TABLE_FILE, tableFile } from '../adopt/sources.ts';
import type { FoundRecord } from '../mirror/record-files.ts';

/** As SQLAlchemy creates it for the peer. */
const TABLE = `
CREATE TABLE thing (
	id INTEGER NOT NULL, 
	iri VARCHAR NOT NULL, 
	class_name VARCHAR(255) NOT NULL, 
	object JSON NOT NULL, 
	sort_key VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
`;
const INDEXES = `
CREATE INDEX ix_thing_class_name ON thing (class_name);
CREATE UNIQUE INDEX ix_thing_iri ON thing (iri);
`;

/** Rows of one transaction. */
const ROWS_AT_ONCE = 10_000;

export class PeerTable {
  /** A table is written as a whole. */
  readonly rewritten = 0;
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #typed: boolean;
  #rows = 0;

  /** Makes it in a directory without one. @param typed whether rows keep their `schema_type` */
  constructor(directory: string, typed: boolean) {
    this.#typed = typed;
    this.#database = new DatabaseSync(join(directory, TABLE_FILE));
    this.#database.exec(`PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; ${TABLE} BEGIN`);
    this.#insert = this.#database.prepare(
      'INSERT INTO thing (iri, class_name, object, sort_key) VALUES (?, ?, ?, ?)',
    );
  }

  write({ iri, className, json, pid }: FoundRecord): void {
    this.#insert.run(iri, className, this.#typed ? json : removeSchemaType(json), pid);
    this.#rows += 1;
    if (this.#rows % ROWS_AT_ONCE === 0) this.#database.exec('COMMIT; BEGIN');
  }

  /** @param path of a row, `<file>#<id>` */
  copyFault(from: string, path: string): void {
    const file = tableFile(from);
    if (file === undefined || !existsSync(file)) return;
    const former = openForeign(file);
    const row = former
      .prepare('SELECT iri, class_name, object, sort_key FROM thing WHERE id = ?')
      .get(Number(path.slice(path.lastIndexOf('#') + 1))) as Record<string, string> | undefined;
    former.close();
    if (!row) return;
    const isThere = this.#database.prepare('SELECT 1 FROM thing WHERE iri = ?').get(row.iri!);
    if (!isThere) this.#insert.run(row.iri!, row.class_name!, row.object!, row.sort_key!);
  }

  close(): void {
    this.#database.exec(`COMMIT; ${INDEXES}`);
    this.#database.close();
  }
}
