/**
 * The references between the records of an area, in its database. Rows are kept by the writes that know the links of
 * their records; records of other programs are filled in later, see {@link LinkIndex.fill}. Everything here is
 * synchronous, like the record table.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { statements } from './database.ts';
import type { DanglingPage, Link, LinkPlace, LinkPosition, Range, Referrer } from './store.ts';

type LinkTableRow = { target: string; thing: number; slot: string; path: string };
type ReferrerRow = LinkTableRow & { pid: string; iri: string; class_name: string };

/** Rows that one call of `dangling` looks at. */
const RECORDS_AT_ONCE = 2000;

const REFERRER = 't.sort_key AS pid, t.iri, t.class_name, l.target, l.thing, l.slot, l.path';

export class LinkTable {
  readonly #sql: (sql: string) => StatementSync;

  constructor(database: DatabaseSync) {
    this.#sql = statements(database);
  }

  /** Sets the links of a row of `thing`; rows that stay are not touched. */
  replace(thing: number, links: readonly Link[]): void {
    const before = this.#sql('SELECT target, thing, slot, path FROM accession_link WHERE thing = ?').all(
      thing,
    ) as LinkTableRow[];
    const wanted = new Map(links.map((link) => [`${link.iri}\n${link.path}`, link]));
    for (const { target, path, slot } of before) {
      const key = `${target}\n${path}`;
      if (wanted.get(key)?.slot === slot) wanted.delete(key);
      else
        this.#sql('DELETE FROM accession_link WHERE target = ? AND thing = ? AND path = ?').run(
          target,
          thing,
          path,
        );
    }
    for (const { iri, slot, path } of wanted.values())
      this.#sql('INSERT INTO accession_link VALUES (?, ?, ?, ?)').run(iri, thing, path, slot);
  }

  /** Notes that the index knows the change of a revision, if it knows everything before. */
  advance(revision: number): void {
    this.#sql(`UPDATE accession_meta SET value = ? WHERE name = 'links_revision' AND value = ?`).run(
      revision,
      revision - 1,
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
      `SELECT l.target, l.thing, l.slot, l.path FROM thing t JOIN accession_link l ON l.thing = t.id
       WHERE t.iri = ? ORDER BY l.path, l.target`,
    ).all(iri) as LinkTableRow[];
    return rows.map(({ target, slot, path }) => ({ iri: target, slot, path }));
  }

  to(iri: string, { offset, limit }: Range): Referrer[] {
    const rows = this.#sql(
      `SELECT ${REFERRER} FROM accession_link l JOIN thing t ON t.id = l.thing
       WHERE l.target = ? AND t.iri <> l.target ORDER BY l.thing, l.path LIMIT ? OFFSET ?`,
    ).all(iri, limit, offset) as ReferrerRow[];
    return rows.map(toReferrer);
  }

  /** How many records refer to an IRI. */
  countTo(iri: string): number {
    const row = this.#sql(
      `SELECT count(DISTINCT thing) AS n FROM accession_link
       WHERE target = ?1 AND thing <> coalesce((SELECT id FROM thing WHERE iri = ?1), 0)`,
    ).get(iri) as { n: number };
    return row.n;
  }

  dangling(after: LinkPlace | undefined): DanglingPage {
    const { iri = '', row = 0, path = '' } = after ?? {};
    const rows = this.#sql(
      `SELECT ${REFERRER}, EXISTS (SELECT 1 FROM thing x WHERE x.iri = l.target) AS there
       FROM accession_link l JOIN thing t ON t.id = l.thing
       WHERE (l.target, l.thing, l.path) > (?, ?, ?) ORDER BY l.target, l.thing, l.path LIMIT ?`,
    ).all(iri, row, path, RECORDS_AT_ONCE) as (ReferrerRow & { there: number })[];
    const last = rows.length < RECORDS_AT_ONCE ? undefined : rows.at(-1);
    return {
      references: rows.filter(({ there }) => !there).map((one) => ({ ...toReferrer(one), to: one.target })),
      ...(last && { next: { iri: last.target, row: last.thing, path: last.path } }),
    };
  }
}

function toReferrer({ pid, iri, class_name, slot, path }: ReferrerRow): Referrer {
  return { pid, iri, className: class_name, slot, path };
}
