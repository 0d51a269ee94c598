/** What a group of writes makes of the references of its area, in memory. */
import { recordReferenced } from '../record-table.ts';
import type { Link, Referrer, StoredRecord } from '../store.ts';
import type { DatabaseArea } from './area.ts';
import { type Run, together } from './database.ts';
import { indexKey } from './keys.ts';
import { linksOfKeys, sameLinks } from './link-rows.ts';
import { countTo, referrersTo } from './links.ts';
import type { AreaWrite } from './writer.ts';

/** The references to a record that is to be deleted only without them, before the group. */
type Referred = { readonly first: readonly Referrer[]; readonly count: number };

/** What is read before a group of writes is carried out. */
export type LinkState = {
  /** By the keys of IRIs: the links of records whose links the group may change. */
  readonly links: ReadonlyMap<string, readonly Link[]>;
  readonly referred: ReadonlyMap<string, Referred>;
};

/** The links of records, by IRI, after some changes. */
export type ChangedLinks = Map<string, readonly Link[]>;

/** So many referrers are named in a refusal. */
const MOST_REFERRERS_NAMED = 100;

/** Reads what the group needs; must be called inside the transaction that has locked the area. */
export async function readLinks(
  run: Run,
  { id }: DatabaseArea,
  group: readonly AreaWrite[],
): Promise<LinkState> {
  const changes = group.flatMap((write) => write.changes);
  const targets = changes.flatMap((change) =>
    'delete' in change && change.unreferenced ? change.delete : [],
  );
  const changed = changes.flatMap((change) => {
    // Deletions take their links with them; what these were matters to records that must not be referred to.
    if ('delete' in change) return targets.length > 0 ? change.delete : [];
    return change.put.links ? change.put.iri : [];
  });
  const restored = group.flatMap((write) => (targets.length > 0 ? write.restored.map(({ iri }) => iri) : []));
  const links = await linksOfKeys(run, id, [...new Set([...changed, ...restored].map(indexKey))]);
  // References that the group removes are passed over, so as many more are read.
  const limit = MOST_REFERRERS_NAMED + [...links.values()].reduce((sum, { length }) => sum + length, 0);
  const referred = await together(
    [...new Set(targets)].map(async (iri): Promise<[string, Referred]> => {
      const [first, count] = await together([
        referrersTo(run, id, iri, { offset: 0, limit }),
        countTo(run, id, iri),
      ]);
      return [iri, { first, count }];
    }),
  );
  return { links, referred: new Map(referred) };
}

/**
 * @param changed the links that the changes so far have made, the later ones last
 * @param recordOf the record under an IRI after these changes
 * @throws ServiceError `record_referenced` with the first referrers
 */
export function requireUnreferenced(
  { iri, pid }: StoredRecord,
  { links, referred }: LinkState,
  changed: readonly ChangedLinks[],
  recordOf: (iri: string) => StoredRecord | undefined,
): void {
  const now: ChangedLinks = new Map(changed.flatMap((some) => [...some]));
  const { first, count } = referred.get(iri) ?? { first: [], count: 0 };
  const named = first.filter((one) => !now.has(one.iri));
  let number = count;
  for (const [from, after] of now) {
    if (from === iri) continue;
    if (links.get(indexKey(from))?.some((link) => link.iri === iri)) number--;
    const record = recordOf(from);
    const references = after.filter((link) => link.iri === iri);
    if (!record || references.length === 0) continue;
    number++;
    const { pid, className } = record;
    named.push(...references.map(({ slot, path }) => ({ pid, iri: from, className, slot, path })));
  }
  if (number > 0) throw recordReferenced(pid, named.slice(0, MOST_REFERRERS_NAMED), number);
}

/** By the keys of IRIs: the links that are not what they were before the group. */
export function differentLinks(
  { links }: LinkState,
  changed: ChangedLinks,
): ReadonlyMap<string, readonly Link[]> {
  const different = new Map<string, readonly Link[]>();
  for (const [iri, after] of changed) {
    const key = indexKey(iri);
    // Those of deleted records are removed without being read.
    if (after.length === 0 || !sameLinks(links.get(key) ?? [], after)) different.set(key, after);
  }
  return different;
}
