/**
 * The references between the records of an area, in its database. Rows are kept by the writes that know the links of
 * their records; records of other programs are filled in later, see {@link LinkIndex.fill}. Everything here is
 * synchronous, like the record table.
 */
import { hash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { arrayStatements, LIMIT, LIMIT_OFFSET, statements } from './database.ts';
import type {
  Change,
  ChangeResult,
  DanglingPage,
  Link,
  LinkPlace,
  LinkPosition,
  Range,
  Referrer,
} from './store.ts';
import { SEGMENT_BITS } from './table-layout.ts';

/** A link of a record, as an array. */
type LinkColumns = [number: number, target: string, slot: string, path: string];
type ReferrerRow = {
  pid: string;
  iri: string;
  class_name: string;
  thing: number;
  number: number;
  target: string;
  slot: string;
  path: string;
};

/** Rows that one call of `dangling` looks at. */
const RECORDS_AT_ONCE = 2000;

const REFERRER = 't.sort_key AS pid, t.iri, t.class_name, l.thing, l.number, l.target, l.slot, l.path';

/** The segments that have links; each is a place of the index to look at. */
const SEGMENTS = `WITH RECURSIVE segment (n) AS (
  SELECT min(thing) >> ${SEGMENT_BITS} FROM accession_link
  UNION ALL
  SELECT (SELECT thing >> ${SEGMENT_BITS} FROM accession_link
          WHERE thing >= (n + 1) << ${SEGMENT_BITS} ORDER BY thing LIMIT 1)
  FROM segment WHERE n IS NOT NULL
)`;
const IN_SEGMENTS = `segment CROSS JOIN accession_link l
  ON l.thing >> ${SEGMENT_BITS} = segment.n AND l.target_hash = ?`;

/** As many hexadecimal digits as a number keeps exactly and SQLite stores in six bytes. */
const HASH_DIGITS = 12;

export class LinkTable {
  readonly #sql: (sql: string) => StatementSync;
  readonly #arrays: (sql: string) => StatementSync;

  constructor(database: DatabaseSync) {
    this.#sql = statements(database);
    this.#arrays = arrayStatements(database);
  }

  /** Adds the links of a row of `thing` that has none with a number from `first` on. */
  add(thing: number | bigint, links: Iterable<Link>, first = 0): void {
    const insert = this.#sql('INSERT OR REPLACE INTO accession_link VALUES (?, ?, ?, ?, ?, ?)');
    let number = first;
    for (const { iri, slot, path } of links) insert.run(thing, number++, targetHash(iri), iri, slot, path);
  }

  /** Sets the links of a row of `thing`; rows that stay are not touched. */
  replace(thing: number, links: readonly Link[]): void {
    const before = this.#arrays(
      'SELECT number, target, slot, path FROM accession_link WHERE thing = ? ORDER BY number',
    ).all(thing) as unknown as LinkColumns[];
    if (isSame(before, links)) return;
    const wanted = new Map(links.map((link) => [nameOf(link.iri, link.slot, link.path), link]));
    for (const [number, target, slot, path] of before) {
      const stays = wanted.delete(nameOf(target, slot, path));
      if (!stays) this.#sql('DELETE FROM accession_link WHERE thing = ? AND number = ?').run(thing, number);
    }
    this.add(thing, wanted.values(), (before.at(-1)?.[0] ?? -1) + 1);
  }

  /** Notes that the index knows the changes of a write, as far as they have links, if it knows everything before. */
  advance(changes: readonly Change[], results: readonly ChangeResult[]): void {
    const unknown = changes.findIndex((change) => 'put' in change && !change.put.links);
    const last = results[(unknown < 0 ? changes.length : unknown) - 1];
    const [first] = results;
    if (!first || !last) return;
    this.#sql(`UPDATE accession_meta SET value = ? WHERE name = 'links_revision' AND value = ?`).run(
      last.revision,
      first.revision - 1,
    );
  }

  position(): LinkPosition {
    const value = (name: string) =>
      this.#sql('SELECT value FROM accession_meta WHERE name = ?').get(name)?.value;
    return { key: String(value('links_key') ?? ''), revision: Number(value('links_revision') ?? 0) };
  }

  setPosition({ key, revision }: LinkPosition): void {
    const set = this.#sql('INSERT OR REPLACE INTO accession_meta VALUES (?, ?)');
    set.run('links_key', key);
    set.run('links_revision', revision);
  }

  from(iri: string): Link[] {
    const rows = this.#sql(
      `SELECT l.target AS iri, l.slot, l.path FROM thing t JOIN accession_link l ON l.thing = t.id
       WHERE t.iri = ? ORDER BY l.path, l.target`,
    ).all(iri);
    return rows.map((row) => ({ ...row }) as Link);
  }

  /** In the order of the index, which is that of the rows. Records before the offset are not read. */
  to(iri: string, { offset, limit }: Range): Referrer[] {
    const rows = this.#sql(
      `${SEGMENTS} SELECT ${REFERRER} FROM (
         SELECT l.* FROM ${IN_SEGMENTS}
         WHERE l.target = ? AND l.thing <> coalesce((SELECT id FROM thing WHERE iri = ?), 0) ${LIMIT_OFFSET}
       ) l CROSS JOIN thing t ON t.id = l.thing`,
    ).all(targetHash(iri), iri, iri, limit, offset) as ReferrerRow[];
    return rows.map(toReferrer);
  }

  /** How many records refer to an IRI. Rows are not read, so an IRI with the same hash would be counted, too. */
  countTo(iri: string): number {
    const row = this.#sql(
      `${SEGMENTS} SELECT sum((
         SELECT count(DISTINCT thing) FROM accession_link l
         WHERE l.thing >> ${SEGMENT_BITS} = segment.n AND l.target_hash = ?1
           AND thing <> coalesce((SELECT id FROM thing WHERE iri = ?2), 0)
       )) AS n FROM segment WHERE n IS NOT NULL`,
    ).get(targetHash(iri), iri) as { n: number | null };
    return row.n ?? 0;
  }

  dangling(after: LinkPlace | undefined): DanglingPage {
    const { thing = -1, number = 0 } = after ?? {};
    const rows = this.#sql(
      `SELECT ${REFERRER}, EXISTS (SELECT 1 FROM thing x WHERE x.iri = l.target) AS there
       FROM accession_link l JOIN thing t ON t.id = l.thing
       WHERE (l.thing, l.number) > (?, ?) ORDER BY l.thing, l.number ${LIMIT}`,
    ).all(thing, number, RECORDS_AT_ONCE) as (ReferrerRow & { there: number })[];
    const last = rows.length < RECORDS_AT_ONCE ? undefined : rows.at(-1);
    return {
      references: rows.filter(({ there }) => !there).map((one) => ({ ...toReferrer(one), to: one.target })),
      ...(last && { next: { thing: last.thing, number: last.number } }),
    };
  }
}

/** 48 bits of SHA-256. */
function targetHash(iri: string): number {
  return Number.parseInt(hash('sha256', iri, 'hex').slice(0, HASH_DIGITS), 16);
}

function nameOf(target: string, slot: string, path: string): string {
  return `${target}\n${slot}\n${path}`;
}

function isSame(rows: readonly LinkColumns[], links: readonly Link[]): boolean {
  return (
    rows.length === links.length &&
    rows.every(([, target, slot, path], at) => {
      const link = links[at]!;
      return link.iri === target && link.path === path && link.slot === slot;
    })
  );
}

function toReferrer({ pid, iri, class_name, slot, path }: ReferrerRow): Referrer {
  return { pid, iri, className: class_name, slot, path };
}
