/** The index of references of an area: what refers to what, and what refers to nothing. */
import { compareCodePoints } from '../../json.ts';
import type {
  DanglingPage,
  Link,
  LinkIndex,
  LinkPlace,
  LinkPosition,
  LinksOfRecord,
  Range,
  Referrer,
} from '../store.ts';
import { type DatabaseArea, missing } from './area.ts';
import { type Run, together } from './database.ts';
import { indexKey } from './keys.ts';
import { linksOfKeys, linkTarget, linkText, sameLinks, writeLinks } from './link-rows.ts';
import { type RecordRow, ROW_COLUMNS, toRecord } from './rows.ts';

type ReferrerRow = RecordRow & {
  readonly target_key: string;
  readonly target_long: string | null;
  readonly row_number: number;
  readonly slot: string;
  readonly path: string;
};

/** Rows that one call of `dangling` looks at. */
const LINKS_AT_ONCE = 1000;

const LINK = 'l.target_key, l.target_long, l.row_number, l.slot, l.path';

/** A join with the record that has a reference, looked up by itself; its text is not read. */
const WITH_RECORD = `CROSS JOIN LATERAL (
    SELECT ${ROW_COLUMNS.replace('r.json', `'' AS json`)} FROM accession_record r
    WHERE r.area = $1 AND r.iri_key = l.iri_key LIMIT 1
  ) r`;

export function linksOf(area: DatabaseArea): LinkIndex {
  const { database, id } = area;
  return {
    from: async (iri) => {
      const key = indexKey(iri);
      const links = (await linksOfKeys(database.query, id, [key])).get(key) ?? [];
      return links.sort((a, b) => compareCodePoints(a.path, b.path) || compareCodePoints(a.iri, b.iri));
    },
    to: (iri, range) => referrersTo(database.query, id, iri, range),
    countTo: (iri) => countTo(database.query, id, iri),
    dangling: (after) => dangling(area, after),
    async position() {
      const [row] = await database.query<LinkPosition>(
        'SELECT links_key AS key, links_revision AS revision FROM accession_area WHERE area = $1',
        [id],
      );
      return row ?? missing(area);
    },
    fill: (records, position) => fill(area, records, position),
  };
}

export async function referrersTo(
  run: Run,
  area: number,
  iri: string,
  { offset, limit }: Range,
): Promise<Referrer[]> {
  const rows = await run<ReferrerRow>(
    `SELECT ${LINK}, r.* FROM (
       SELECT l.* FROM accession_link l WHERE l.area = $1 AND l.target_key = $2 AND l.iri_key <> $2
       ORDER BY l.target_key, l.row_number LIMIT $3 OFFSET $4
     ) l ${WITH_RECORD}`,
    [area, indexKey(iri), limit, offset],
  );
  return rows.sort((a, b) => a.row_number - b.row_number).map(toReferrer);
}

/** How many other records refer to an IRI. */
export async function countTo(run: Run, area: number, iri: string): Promise<number> {
  const [row] = await run<{ n: number }>(
    'SELECT count(DISTINCT iri_key) AS n FROM accession_link WHERE area = $1 AND target_key = $2 AND iri_key <> $2',
    [area, indexKey(iri)],
  );
  return row?.n ?? 0;
}

async function dangling({ database, id }: DatabaseArea, after: LinkPlace | undefined): Promise<DanglingPage> {
  const { iri = '', row = 0 } = after ?? {};
  const rows = await database.query<ReferrerRow & { there: boolean }>(
    `SELECT ${LINK}, r.*, x.there IS NOT NULL AS there FROM (
       SELECT l.* FROM accession_link l WHERE l.area = $1 AND (l.target_key, l.row_number) > ($2, $3)
       ORDER BY l.target_key, l.row_number LIMIT ${LINKS_AT_ONCE}
     ) l ${WITH_RECORD} LEFT JOIN LATERAL (
       SELECT true AS there FROM accession_record x WHERE x.area = $1 AND x.iri_key = l.target_key LIMIT 1
     ) x ON true ORDER BY l.target_key, l.row_number`,
    [id, indexKey(String(iri)), row],
  );
  const last = rows.length < LINKS_AT_ONCE ? undefined : rows.at(-1);
  return {
    references: rows
      .filter(({ there }) => !there)
      .map((one) => ({ ...toReferrer(one), to: linkTarget(one) })),
    ...(last && { next: { iri: linkTarget(last), row: last.row_number } }),
  };
}

/** Sets the links of records that still have their revision, under the lock that every write takes. */
async function fill(
  area: DatabaseArea,
  records: readonly LinksOfRecord[],
  { key, revision }: LinkPosition,
): Promise<void> {
  const { database, id } = area;
  const keys = records.map(({ iri }) => indexKey(iri));
  await database.connected(async (run) => {
    const [, , revisions, before] = await together([
      run('BEGIN'),
      run('SELECT area FROM accession_area WHERE area = $1 FOR UPDATE', [id]),
      run<{ iri_key: string; revision: number }>(
        'SELECT iri_key, revision FROM accession_record WHERE area = $1 AND iri_key = ANY ($2)',
        [id, keys],
      ),
      linksOfKeys(run, id, keys),
    ]);
    const current = new Map(revisions.map((row) => [row.iri_key, row.revision]));
    const changed = new Map<string, readonly Link[]>();
    for (const { iri, revision: read, links } of records) {
      const name = indexKey(iri);
      if (current.get(name) === read && !sameLinks(before.get(name) ?? [], links)) changed.set(name, links);
    }
    await together([
      writeLinks(run, id, changed),
      run('UPDATE accession_area SET links_key = $2, links_revision = $3 WHERE area = $1', [
        id,
        key,
        revision,
      ]),
      run('COMMIT'),
    ]);
  });
}

function toReferrer(row: ReferrerRow): Referrer {
  const { pid, iri, className } = toRecord(row);
  return { pid, iri, className, slot: linkText(row.slot), path: linkText(row.path) };
}
