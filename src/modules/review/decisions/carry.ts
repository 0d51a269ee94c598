/**
 * Refusals over changes of the schema. A change that mends records gives a refused claim another form: what was rejected
 * stays rejected only if the content that its decision keeps is mended as well.
 */
import { batches } from '../../../core/batches.ts';
import { removeCursors } from '../../../core/storage/cursors.ts';
import type { Draft } from '../../../core/storage/database.ts';
import type { Reader } from '../../../core/storage/reader.ts';
import type { AreaId } from '../../../core/storage/store.ts';
import { cursorName } from '../parts.ts';
import type { Content } from './content.ts';
import type { Kept } from './kept.ts';

/** The contents of a refusal by the schemas that records were mended for. */
type Carried = { readonly contents: Readonly<Record<string, Content>>; readonly last: string };

/** The records that a decision keeps, as they are stored. */
export type KeptText = { readonly json: string; readonly carried: string | null };
export type Digests = { readonly from: string; readonly to: string };

/** The parts of a refusal that are made of what its decision keeps: in threads, if that is long. */
export type RefusalWork = {
  /** See {@link refusedUnder}. */
  readonly refused: (kept: KeptText, schema: string) => Content | Promise<Content>;
  /** See {@link carriedText}. */
  readonly carried: (kept: KeptText, digests: Digests, next: Content | undefined) => string | Promise<string>;
  /** Mends a content; without it, refusals become what they were under the other schema. */
  readonly mend?: ((content: Content, pid: string) => Promise<Content | undefined>) | undefined;
};

/** Refusals that are read together, and the characters of what they keep. */
const TOGETHER = { items: 100, characters: 1_000_000 };

/**
 * Carries refusals over to another schema, in the transaction of the change, and has the submissions of the collection
 * compared again.
 *
 * @param database reads the records that decisions keep, which only change when refusals are carried over
 * @param digests of the schemas
 */
export async function carryRefusals(
  draft: Draft,
  { name, database, curated: { area } }: Of,
  digests: Digests,
  { refused, carried, mend }: RefusalWork,
): Promise<void> {
  const refusals = await draft.tuples<Refusal>(
    `SELECT d.id, d.pid, octet_length(k.json), octet_length(k.carried) FROM accession_decision d
     JOIN accession_kept k ON k.curated = d.curated AND k.id = d.id
     WHERE d.curated = $1 AND d.decision NOT IN ('accept', 'approve') AND d.undone_at IS NULL`,
    [area.id],
  );
  const length = ([, , json, others]: Refusal) => json + (others ?? 0);
  // Without a mend, those that were never carried over stay as they are.
  const concerned = refusals.filter(([, , , others]) => mend || others !== null);
  for await (const some of batches(concerned, TOGETHER, length)) {
    const texts = await database.tuples<readonly [id: string, json: string, carried: string | null]>(
      `SELECT id, json, carried FROM accession_kept WHERE curated = $1 AND ${draft.dialect.among('id', 2)}`,
      [area.id, some.map(([id]) => id)],
    );
    const pids = new Map(some.map(([id, pid]) => [id, pid]));
    for (const [id, json, former] of texts) {
      const kept = { json, carried: former };
      const before = await refused(kept, mend ? digests.from : digests.to);
      const next = mend ? await mend(before, pids.get(id)!) : before;
      if (former === null && !next) continue;
      draft.run('UPDATE accession_kept SET carried = $3 WHERE curated = $1 AND id = $2', [
        area.id,
        id,
        await carried(kept, digests, next),
      ]);
    }
  }
  const queues = await draft.tuples<[number]>(
    'SELECT queue FROM accession_queue WHERE collection = $1 AND curated = $2',
    [name, area.id],
  );
  for (const [queue] of queues) removeCursors(draft, cursorName(queue));
}

type Of = {
  readonly name: string;
  readonly database: Reader;
  readonly curated: { readonly area: AreaId };
};
type Refusal = readonly [id: string, pid: string, json: number, carried: number | null];

/** Returns the record that a decision refused, in the form that it has under a schema. */
export function contentUnder(carried: string | null, schema: string, submitted: Content): Content {
  if (carried === null) return submitted;
  const { contents, last } = JSON.parse(carried) as Carried;
  return contents[schema] ?? contents[last] ?? submitted;
}

/** Returns the record that a decision refused, from the decision as it is stored, in the form that it has under a schema. */
export function refusedUnder({ json, carried }: KeptText, schema: string): Content {
  const contents = carried === null ? {} : (JSON.parse(carried) as Carried).contents;
  return contents[schema] ?? (JSON.parse(json) as Kept).submitted;
}

/** Carries the refusal of a decision over to another schema. @param next undefined if it has the same content there */
export function carriedText(kept: KeptText, { from, to }: Digests, next: Content | undefined): string {
  const contents = kept.carried === null ? {} : (JSON.parse(kept.carried) as Carried).contents;
  const former = refusedUnder(kept, from);
  return JSON.stringify({
    contents: { ...contents, [from]: former, [to]: next ?? former },
    last: to,
  } satisfies Carried);
}
