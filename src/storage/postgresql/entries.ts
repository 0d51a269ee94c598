/** The entries of an area. */
import { microsecondsOf, timeOf } from '../entry-table.ts';
import type { Actor, ChangeNote, Entry, EntryQuery } from '../store.ts';
import type { DatabaseArea } from './area.ts';
import { comparable, indexKey } from './keys.ts';

type EntryRow = {
  readonly revision: number;
  readonly iri_key: string;
  readonly iri_long: string | null;
  readonly pid: string;
  readonly class_name: string;
  readonly deleted: boolean;
  readonly time: number;
  readonly committer: string | null;
  readonly author: string | null;
  readonly role: Actor['role'] | null;
  readonly note: string | null;
  readonly json: string | null;
};

/** Entries that satisfy a query, by revision. The text of a current revision is in the record. */
export async function entries({ database, id }: DatabaseArea, query: EntryQuery): Promise<Entry[]> {
  const { iris, after, before, author, className, since, until, newestFirst, limit } = query;
  const conditions = ['e.area = $1'];
  const values: unknown[] = [id];
  const require = (condition: string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(`${condition} $${values.length}`);
  };
  require('e.revision >', after);
  require('e.revision <', before);
  require('e.author =', author && comparable(author));
  require('e.class_name =', className && comparable(className));
  require('e.time >=', since && microsecondsOf(since));
  require('e.time <=', until && microsecondsOf(until));
  const order = newestFirst ? 'DESC' : 'ASC';
  values.push(limit);
  const limited = `ORDER BY e.revision ${order} LIMIT $${values.length}`;
  let from = `SELECT e.* FROM accession_entry e WHERE ${conditions.join(' AND ')} ${limited}`;
  if (iris) {
    // The order of each record by itself; many of them are merged.
    values.push(iris.map(indexKey));
    from = `SELECT e.* FROM unnest($${values.length}::text[]) AS i (iri_key) CROSS JOIN LATERAL (
      SELECT e.* FROM accession_entry e WHERE e.iri_key = i.iri_key AND ${conditions.join(' AND ')} ${limited}
    ) e ${limited}`;
  }
  const rows = await database.query<EntryRow>(
    `SELECT e.revision, e.iri_key, e.iri_long, e.pid, e.class_name, e.deleted, e.time, e.committer, e.author, e.role,
       e.note, coalesce(e.json, r.json) AS json
     FROM (${from}) e LEFT JOIN accession_record r
       ON r.area = e.area AND r.iri_key = e.iri_key AND r.revision = e.revision
     ORDER BY e.revision ${order}`,
    values,
  );
  return rows.map(toEntry);
}

/** Removes old entries, except for the newest of each record and of the area. */
export async function prune({ database, id }: DatabaseArea, before: string, upTo: number): Promise<number> {
  const rows = await database.query<{ revision: number }>(
    `DELETE FROM accession_entry e WHERE e.area = $1 AND e.time < $2 AND e.revision <= $3
       AND e.revision < (SELECT a.revision FROM accession_area a WHERE a.area = $1)
       AND NOT EXISTS (SELECT 1 FROM accession_record r
         WHERE r.area = $1 AND r.iri_key = e.iri_key AND r.revision = e.revision)
       AND NOT EXISTS (SELECT 1 FROM accession_tombstone t
         WHERE t.area = $1 AND t.iri_key = e.iri_key AND t.revision = e.revision)
     RETURNING e.revision`,
    [id, microsecondsOf(before), upTo],
  );
  return rows.length;
}

function toEntry(row: EntryRow): Entry {
  return {
    ...(row.note === null ? {} : (JSON.parse(row.note) as ChangeNote)),
    revision: row.revision,
    iri: row.iri_long ?? row.iri_key,
    pid: row.pid,
    className: row.class_name,
    kind: row.deleted ? 'delete' : 'put',
    time: timeOf(row.time),
    committer: row.committer,
    author: row.author,
    role: row.role,
    json: row.deleted ? null : row.json,
  };
}
