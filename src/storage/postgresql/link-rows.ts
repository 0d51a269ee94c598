/** The rows of the index of references, by record. */
import type { Link } from '../store.ts';
import { type Run, together } from './database.ts';
import { indexKey, isStorable } from './keys.ts';

type LinkRow = {
  readonly iri_key: string;
  readonly target_key: string;
  readonly target_long: string | null;
  readonly slot: string;
  readonly path: string;
};

/** The links of records by the keys of their IRIs; records without links are left out. */
export async function linksOfKeys(
  run: Run,
  area: number,
  keys: readonly string[],
): Promise<Map<string, Link[]>> {
  const found = new Map<string, Link[]>();
  if (keys.length === 0) return found;
  const rows = await run<LinkRow>(
    `SELECT iri_key, target_key, target_long, slot, path FROM accession_link
     WHERE area = $1 AND iri_key = ANY ($2)`,
    [area, keys],
  );
  for (const row of rows) {
    const links = found.get(row.iri_key) ?? [];
    links.push({ iri: linkTarget(row), slot: linkText(row.slot), path: linkText(row.path) });
    found.set(row.iri_key, links);
  }
  return found;
}

/** Puts links in the place of those that records have, by the keys of their IRIs. */
export async function writeLinks(
  run: Run,
  area: number,
  changed: ReadonlyMap<string, readonly Link[]>,
): Promise<void> {
  if (changed.size === 0) return;
  const rows = [...changed].flatMap(([key, links]) => once(links).map((link) => ({ key, ...link })));
  const sent: Promise<unknown>[] = [
    run('DELETE FROM accession_link WHERE area = $1 AND iri_key = ANY ($2)', [area, [...changed.keys()]]),
  ];
  if (rows.length > 0) {
    sent.push(
      run(
        `INSERT INTO accession_link (area, iri_key, target_key, target_long, slot, path)
         SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])`,
        [
          area,
          rows.map(({ key }) => key),
          rows.map(({ iri }) => indexKey(iri)),
          rows.map(({ iri }) => (indexKey(iri) === iri ? null : writtenText(iri))),
          rows.map(({ slot }) => writtenText(slot)),
          rows.map(({ path }) => writtenText(path)),
        ],
      ),
    );
  }
  await together(sent);
}

/** Whether two lists have the same links, in any order. */
export function sameLinks(some: readonly Link[], others: readonly Link[]): boolean {
  const names = new Set(some.map(linkName));
  const wanted = new Set(others.map(linkName));
  return names.size === wanted.size && wanted.isSubsetOf(names);
}

const linkName = ({ iri, slot, path }: Link) => `${iri}\n${slot}\n${path}`;

const once = (links: readonly Link[]) => [...new Map(links.map((link) => [linkName(link), link])).values()];

export function linkTarget(row: Pick<LinkRow, 'target_key' | 'target_long'>): string {
  return row.target_long === null ? row.target_key : linkText(row.target_long);
}

/** PostgreSQL does not store every string. One that it refuses is stored as JSON, as is one that looks like it. */
const writtenText = (text: string) =>
  isStorable(text) && !text.startsWith('"') ? text : JSON.stringify(text);

export const linkText = (text: string): string => (text.startsWith('"') ? JSON.parse(text) : text);
