/** The entries of an area in its database. Triggers insert them (see `table-layout.ts`); this signs and reads them. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { LIMIT, statements } from './database.ts';
import type { Actor, ChangeNote, Entry, EntryQuery } from './store.ts';
import { IS_NEWEST } from './table-layout.ts';

type EntryRow = {
  readonly revision: number;
  readonly iri: string;
  readonly pid: string;
  readonly class_name: string;
  readonly deleted: number;
  readonly time: number;
  readonly committer: string | null;
  readonly author: string | null;
  readonly role: Actor['role'] | null;
  readonly note: string | null;
  readonly text: string | null;
};

/** The text of an entry is in the row, in that of the next change of its IRI, or in `thing`: see `table-layout.ts`. */
const SELECT_ENTRIES = `
  SELECT e.revision, e.iri, e.pid, e.class_name, e.deleted, e.time, e.committer, e.author, e.role, e.note,
    CASE WHEN e.deleted THEN NULL ELSE coalesce(
      e.object,
      (SELECT f.former FROM accession_entry f WHERE f.iri = e.iri AND f.revision > e.revision ORDER BY f.revision LIMIT 1),
      (SELECT t.object FROM thing t WHERE t.iri = e.iri AND ${IS_NEWEST})
    ) END AS text
  FROM accession_entry e`;

export class EntryTable {
  readonly #sql: (sql: string) => StatementSync;
  readonly #canonicalText: (object: string) => string;

  /** @param canonicalText the canonical JSON of a stored text, which another program may have written. */
  constructor(database: DatabaseSync, canonicalText: (object: string) => string) {
    this.#sql = statements(database);
    this.#canonicalText = canonicalText;
  }

  /** Adds to the entry of a change who made it, and why. */
  sign(revision: number, { committer, author, role }: Actor, note: ChangeNote | undefined): void {
    const noted = note === undefined ? null : JSON.stringify(note);
    this.#sql(
      'UPDATE accession_entry SET committer = ?, author = ?, role = ?, note = ? WHERE revision = ?',
    ).run(committer, author, role, noted, revision);
  }

  /** Copies revision, time and actor from another area into the entry of the change that was just made. */
  restore(made: number, entry: Entry): void {
    const { revision, time, iri, pid, className, committer, author, role } = entry;
    this.#sql(
      `UPDATE accession_entry SET revision = ?, time = ?, iri = ?, pid = ?, class_name = ?, committer = ?, author = ?,
         role = ?, note = ? WHERE revision = ?`,
    ).run(
      ...[revision, microsecondsOf(time), iri, pid, className, committer, author, role, noteOf(entry), made],
    );
  }

  /** Adds the entry of a deletion whose record the area never had. */
  restoreDeletion(entry: Entry): void {
    const { revision, iri, pid, className } = entry;
    this.#sql(
      'INSERT INTO accession_entry (revision, iri, pid, class_name, deleted, time) VALUES (?, ?, ?, ?, 1, 0)',
    ).run(revision, iri, pid, className);
    this.restore(revision, entry);
  }

  list(query: EntryQuery): Entry[] {
    const { iris, author, className, newestFirst, limit } = query;
    const { after, before } = this.boundsOf(query);
    const conditions: string[] = [];
    const values: SQLInputValue[] = [];
    const require = (condition: string, value: SQLInputValue | undefined) => {
      if (value === undefined) return;
      conditions.push(condition);
      values.push(value);
    };
    // With equality, the index has the order: otherwise every entry, with its record, would be sorted for a few.
    if (iris?.length === 1) require('e.iri = ?', iris[0]);
    else require('e.iri IN (SELECT value FROM json_each(?))', iris && JSON.stringify(iris));
    require('e.revision > ?', after);
    require('e.revision < ?', before);
    require('e.author = ?', author);
    require('e.class_name = ?', className);
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const order = newestFirst ? 'DESC' : 'ASC';
    const rows = this.#sql(`${SELECT_ENTRIES} ${where} ORDER BY e.revision ${order} ${LIMIT}`);
    return (rows.all(...values, limit) as EntryRow[]).map((row) => this.#toEntry(row));
  }

  /** The revisions that a query allows: times increase with them, so no entry of another time is looked at. */
  boundsOf({ after, before, since, until }: EntryQuery): Pick<EntryQuery, 'after' | 'before'> {
    const first = since === undefined ? undefined : this.#firstFrom(microsecondsOf(since));
    const end = until === undefined ? undefined : this.#firstFrom(microsecondsOf(until) + 1);
    const least = first === undefined ? after : Math.max(after ?? 0, first - 1);
    const most = end === undefined ? before : Math.min(before ?? Number.POSITIVE_INFINITY, end);
    return { ...(least !== undefined && { after: least }), ...(most !== undefined && { before: most }) };
  }

  /** The revision of the first entry from a time on; behind the last one if there is none. */
  #firstFrom(microseconds: number): number {
    const next = this.#sql(
      'SELECT revision, time FROM accession_entry WHERE revision >= ? ORDER BY revision LIMIT 1',
    );
    let [low, high] = [0, lastRevision(this.#sql) + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const entry = next.get(middle) as { revision: number; time: number } | undefined;
      if (!entry || entry.time >= microseconds) high = middle;
      else low = entry.revision + 1;
    }
    return low;
  }

  prune(before: string, upTo: number): number {
    const conditions = `e.time < ? AND e.revision <= ? AND NOT ${IS_NEWEST}`;
    const values = [microsecondsOf(before), upTo];
    // The text of an entry goes with it, wherever it is.
    this.#sql(
      `UPDATE accession_entry SET former = NULL WHERE revision IN (
         SELECT (SELECT min(n.revision) FROM accession_entry n WHERE n.iri = e.iri AND n.revision > e.revision)
         FROM accession_entry e WHERE ${conditions})`,
    ).run(...values);
    const { changes } = this.#sql(
      `DELETE FROM accession_entry WHERE revision IN (SELECT e.revision FROM accession_entry e WHERE ${conditions})`,
    ).run(...values);
    return Number(changes);
  }

  #toEntry({
    revision,
    iri,
    pid,
    class_name,
    deleted,
    time,
    committer,
    author,
    role,
    note,
    text,
  }: EntryRow): Entry {
    return {
      ...(note === null ? {} : (JSON.parse(note) as ChangeNote)),
      revision,
      iri,
      pid,
      className: class_name,
      kind: deleted ? 'delete' : 'put',
      time: timeOf(time),
      committer,
      author,
      role,
      json: deleted || text === null ? null : this.#canonicalText(text),
    };
  }
}

/** The revision of an area: that of its newest entry, 0 without one. */
export function lastRevision(sql: (sql: string) => StatementSync): number {
  const row = sql('SELECT max(revision) AS last FROM accession_entry').get() as { last: number | null };
  return row.last ?? 0;
}

/** The note of an entry as JSON; null if it has none. */
export function noteOf({ reason, decision, batch, message, base }: ChangeNote): string | null {
  const note = JSON.stringify({ reason, decision, batch, message, base });
  return note === '{}' ? null : note;
}

/** ISO 8601 with microseconds and `+00:00`. */
export function timeOf(microseconds: number): string {
  const rest = String(microseconds % 1000).padStart(3, '0');
  return `${new Date(Math.floor(microseconds / 1000)).toISOString().slice(0, -1)}${rest}+00:00`;
}

/** The reverse of {@link timeOf}. */
export function microsecondsOf(time: string): number {
  return Date.parse(`${time.slice(0, 23)}Z`) * 1000 + Number(time.slice(23, 26));
}
