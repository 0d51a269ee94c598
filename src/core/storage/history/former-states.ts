/** Reads of an area as it was at a revision: the version of one record, and which records have changed since. */
import { yielder } from '../../yield.ts';
import { longText, type Reads, TEXT } from '../read/records.ts';
import type { Reader } from '../reader.ts';
import type { AreaId, ChangedSince, StoredRecord, Version } from '../store.ts';
import type { Visibility } from '../visibility.ts';
import { LAST_TEXT, TEXT_AFTER, type Viewer } from './entries.ts';

/** Revisions that one statement goes through: some milliseconds. */
const WINDOW = 1000;

type VersionRow = [
  pid: string,
  className: string,
  revision: number,
  deleted: number,
  json: string | null,
  last: string | null,
];

/** The records of IRIs as they were. A caller sees one if the policies of that version and the present ones are the caller's. */
export async function recordsAt(
  reads: Reads,
  { id }: AreaId,
  iris: readonly string[],
  at: number,
  visibility: Visibility | undefined,
): Promise<StoredRecord[]> {
  if (iris.length === 0) return [];
  // Most have not changed since: they are read at once, which takes a third of the time.
  const present = await reads.tuples<
    [id: number, iri: string, pid: string, className: string, revision: number, json: string | null]
  >(
    `SELECT r.id, r.iri, r.pid, r.class_name, r.revision, ${TEXT} FROM ${reads.dialect.values(3)} d
     JOIN accession_record r ON r.area = $1 AND r.iri = d.value AND r.revision <= $2`,
    [id, at, iris],
  );
  const records: StoredRecord[] = [];
  const yieldIfDue = yielder();
  for (const [record, iri, pid, className, revision, text] of present) {
    if (text === null) await yieldIfDue();
    const json = text ?? (await longText(reads, { id: record }, revision));
    // One that has changed meanwhile is read as it was.
    if (json !== undefined) records.push({ iri, pid, className, revision, json });
  }
  const seen = records.filter(({ json }) => isSeen(visibility, json, json));
  if (records.length === iris.length) return seen;
  const found = new Set(records.map(({ iri }) => iri));
  const others = iris.filter((iri) => !found.has(iri));
  const rows = await reads.tuples<[iri: string, ...VersionRow]>(
    `SELECT d.value, e.pid, e.class_name, e.revision, e.deleted, ${TEXT_AFTER}, ${visibility ? LAST_TEXT : 'NULL'}
     FROM ${reads.dialect.values(3)} d JOIN accession_entry e ON e.area = $1 AND e.revision = (
       SELECT max(x.revision) FROM accession_entry x WHERE x.area = $1 AND x.iri = d.value AND x.revision <= $2)`,
    [id, at, others],
  );
  for (const [iri, pid, className, revision, , json, last] of rows)
    if (json !== null && isSeen(visibility, json, last)) seen.push({ iri, pid, className, revision, json });
  return seen;
}

function isSeen(visibility: Visibility | undefined, json: string | null, last: string | null): boolean {
  return !visibility || (visibility.seesText(json ?? '{}') && visibility.seesText(last ?? '{}'));
}

type DifferenceRow = [
  iri: string,
  ...VersionRow,
  isPid: string | null,
  isClass: string | null,
  policy: string | null,
  policies: string | null,
];

/**
 * The records that changes after a revision are about, as they were at a former one and as they are. Each once for some thousand
 * changes.
 *
 * @param upTo the revision of the area, which the reader sees
 */
export async function* differencesSince(
  reads: Pick<Reader, 'tuples'>,
  { id }: AreaId,
  { at, after, upTo }: { readonly at: number; readonly after: number; readonly upTo: number },
  { visibility, isIndexed }: Viewer,
): AsyncGenerator<ChangedSince[]> {
  const hasColumn = visibility?.tag !== undefined && (await isIndexed(visibility.tag));
  const texts = visibility && !hasColumn ? `${TEXT_AFTER}, ${LAST_TEXT}` : 'NULL, NULL';
  const isFormerSeen = (json: string | null, last: string | null, policies: string | null) =>
    visibility && hasColumn ? visibility.seesEntry(policies ?? '') : isSeen(visibility, json, last);
  const yieldIfDue = yielder();
  for (let from = after; from < upTo; from += WINDOW) {
    await yieldIfDue();
    const rows = await reads.tuples<DifferenceRow>(
      `SELECT d.iri, e.pid, e.class_name, e.revision, e.deleted,
         ${texts}, k.pid, k.class_name, k.policy, ${hasColumn ? 'e.policies' : 'NULL'}
       FROM (SELECT DISTINCT iri FROM accession_entry WHERE area = $1 AND revision > $2 AND revision <= $3) d
       LEFT JOIN accession_entry e ON e.area = $1 AND e.revision = (SELECT max(x.revision) FROM accession_entry x
         WHERE x.area = $1 AND x.iri = d.iri AND x.revision <= $4)
       LEFT JOIN accession_record k ON k.area = $1 AND k.iri = d.iri`,
      [id, from, Math.min(upTo, from + WINDOW), at],
    );
    yield rows.map(
      ([iri, pid, className, revision, deleted, json, last, isPid, isClass, policy, policies]) => ({
        iri,
        was:
          deleted === 0 && isFormerSeen(json, last, policies) ? { iri, pid, className, revision } : undefined,
        is:
          isPid !== null && isClass !== null && (visibility?.sees(policy ?? '') ?? true)
            ? { iri, pid: isPid, className: isClass }
            : undefined,
      }),
    );
  }
}

/** Counts the changes between two revisions: fewer than revisions, if something else has raised some of them. */
export async function countEntries(
  reads: Pick<Reader, 'tuples'>,
  { id }: AreaId,
  after: number,
  upTo: number,
): Promise<number> {
  const [row] = await reads.tuples<[number]>(
    'SELECT count(*) FROM accession_entry WHERE area = $1 AND revision > $2 AND revision <= $3',
    [id, after, upTo],
  );
  return row?.[0] ?? 0;
}

/** The texts of versions, by their revisions. */
export async function textsOf(
  reads: Reads,
  { id }: AreaId,
  versions: readonly Version[],
): Promise<ReadonlyMap<number, string>> {
  if (versions.length === 0) return new Map();
  const rows = await reads.tuples<[revision: number, json: string]>(
    `SELECT e.revision, ${TEXT_AFTER} FROM accession_entry e
     WHERE e.area = $1 AND ${reads.dialect.among('e.revision', 2, 'bigint')}`,
    [id, versions.map(({ revision }) => revision)],
  );
  return new Map(rows);
}
