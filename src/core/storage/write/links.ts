/** Keeps the references of records, in the transaction that changes them. */
import type { Connection } from '../connection.ts';
import type { Value } from '../dialect.ts';
import type { LinkLines } from '../store.ts';

/** A record may have 100,000 references: their values are sent in slices. */
const LINKS_AT_ONCE = 1000;

/** The references of a record after a write; a new record had none. */
type WrittenLinks = {
  readonly iri: string;
  readonly lines: LinkLines;
  readonly isNew: boolean;
  /** What the record names; null in areas without tags. */
  readonly policy: string | null;
};

/** Replaces the references of records by those that they have now; equal ones stay as they are. */
export async function writeLinks(
  connection: Connection,
  area: number,
  records: readonly WrittenLinks[],
): Promise<void> {
  const removed: Value[][] = [];
  let added: Value[][] = [];
  const add = async () => {
    await connection.many(
      'INSERT INTO accession_link (area, iri, target, slot, path, policy) VALUES ($1, $2, $3, $4, $5, $6)',
      added,
    );
    added = [];
  };
  for (const { iri, lines, isNew, policy } of records) {
    const present = isNew
      ? []
      : await connection.tuples<[id: number, target: string, slot: string, path: string]>(
          'SELECT id, target, slot, path FROM accession_link WHERE area = $1 AND iri = $2',
          [area, iri],
        );
    const wanted = new Set(lines === '' ? [] : lines.split('\n'));
    for (const [id, ...link] of present) if (!wanted.delete(JSON.stringify(link))) removed.push([id]);
    for (const line of wanted) {
      added.push([area, iri, ...(JSON.parse(line) as [target: string, slot: string, path: string]), policy]);
      if (added.length === LINKS_AT_ONCE) await add();
    }
  }
  await add();
  await connection.many('DELETE FROM accession_link WHERE id = $1', removed);
}
