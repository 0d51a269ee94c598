/** References between records: to a record, from it, and those whose targets are missing. */
import { resolvePid } from '../records/record.ts';
import { countSchema, flagSchema, listOf, objectOf, type Shape, textOrNull, textSchema } from '../shapes.ts';
import { linksOfAreas, MOST_COUNTED } from '../storage/read/links.ts';
import type { Link, ReadStore } from '../storage/store.ts';
import { runIfLong } from '../work/pool.ts';
import { titleIn } from '../work/tasks.ts';
import { yielder } from '../yield.ts';
import { linksAreComplete } from './link-projection.ts';
import { areasOf, type ReadStores } from './stores.ts';

const linkRow = objectOf({
  pid: textSchema,
  class: textOrNull,
  title: textOrNull,
  in: { ...textOrNull, description: '`curated`, `incoming/<label>`, or null if the record does not exist.' },
  slot: textSchema,
  path: { ...textSchema, description: 'JSON Pointer into the referring record.' },
});
/** A reference in a response: the other end, the slot, and where in the referring record it is. */
export type LinkRow = Shape<typeof linkRow>;

export const linksSchema = objectOf({
  pid: textSchema,
  to: { ...listOf(linkRow), description: 'What the record refers to.' },
  from: { ...listOf(linkRow), description: 'What refers to it.' },
  referrers: {
    ...countSchema,
    description: `The number of records that refer to it; ${MOST_COUNTED} of an area with more references to it.`,
  },
  counted: { ...flagSchema, description: 'False if there may be more than `referrers`.' },
  complete: { ...flagSchema, description: 'False while the references are still being read.' },
});
type LinksOfPid = Shape<typeof linksSchema>;

/**
 * The references from and to a record, in the areas that may be read.
 *
 * @param page rows in each direction
 */
export async function linksOfPid(
  stores: ReadStores,
  pid: string,
  page: { readonly offset: number; readonly limit: number },
  readable: {
    readonly curated: boolean;
    readonly zones: boolean;
    /** The records of an area that the caller sees. */
    seen(store: ReadStore): Promise<ReadStore>;
  },
): Promise<LinksOfPid> {
  const { schema } = stores;
  const areas = readable.zones
    ? await areasOf(stores)
    : readable.curated
      ? [{ area: 'curated', store: stores.curated }]
      : [];
  const iri = resolvePid(schema, pid);
  const from: LinkRow[] = [];
  let links: Link[] | undefined;
  let referrers = 0;
  let counted = true;
  let { offset } = page;
  const complete = await linksAreComplete(
    stores,
    areas.map(({ store }) => store),
  );
  const linksOf = await linksOfAreas(
    stores.database,
    areas.map(({ store }) => store.area.id),
    iri,
  );
  const yieldIfDue = yielder();
  for (const { area, store: every } of areas) {
    const ofArea = linksOf.get(every.area.id);
    if (!ofArea) continue;
    await yieldIfDue();
    const store = await readable.seen(every);
    if (ofArea.hasOwn && !links?.length) links = await store.links.from(iri, page.limit);
    const seesAll = store === every;
    const count = seesAll ? ofArea.records : await store.links.countTo(iri);
    referrers += count;
    counted &&= count < MOST_COUNTED;
    const room = page.limit - from.length;
    if (room <= 0 || count === 0) continue;
    // Rows are references, of which a record may have several and an area more than are counted.
    if (seesAll && offset >= ofArea.references && ofArea.references <= MOST_COUNTED) {
      offset -= ofArea.references;
      continue;
    }
    const found = await store.links.to(iri, { offset, limit: room });
    if (found.length > 0) offset = 0;
    else offset -= await store.links.countReferencesTo(iri, offset);
    const records = await titled(stores, store, found);
    for (const { iri: one, slot, path, ...key } of found) {
      const title = records.get(one)?.title ?? null;
      from.push({ pid: key.pid, class: key.className, title, in: area, slot, path });
    }
  }
  const targets = links ?? [];
  const records = await titled(stores, await readable.seen(stores.curated), targets);
  const to = targets.map(({ iri: one, slot, path }): LinkRow => {
    const record = records.get(one);
    if (!record) return { pid: schema.compact(one), class: null, title: null, in: null, slot, path };
    return { ...record, in: 'curated', slot, path };
  });
  return { pid, to, from, referrers, counted, complete };
}

/** The titles and classes that rows show, by the IRIs of existing records. */
export async function titled(
  { schema, pool }: ReadStores,
  store: ReadStore,
  keys: readonly { readonly iri: string }[],
): Promise<ReadonlyMap<string, Pick<LinkRow, 'pid' | 'class' | 'title'>>> {
  const found = new Map<string, Pick<LinkRow, 'pid' | 'class' | 'title'>>();
  for await (const record of store.records([...new Set(keys.map(({ iri }) => iri))])) {
    const { iri, pid, className, json } = record;
    const title = await runIfLong(pool, titleIn, { schema, className, json }, json.length);
    found.set(iri, { pid, class: className, title });
  }
  return found;
}

/** Looked up in one statement. */
const TARGETS_AT_ONCE = 500;

/** Of the targets of references, those that none of the areas has. */
export async function missingTargets(
  targets: Iterable<string>,
  stores: readonly Pick<ReadStore, 'having'>[],
): Promise<string[]> {
  const missing = new Set(targets);
  const yieldIfDue = yielder();
  for (const store of stores) {
    const wanted = [...missing];
    for (let from = 0; from < wanted.length; from += TARGETS_AT_ONCE) {
      for (const iri of await store.having(wanted.slice(from, from + TARGETS_AT_ONCE))) missing.delete(iri);
      await yieldIfDue();
    }
  }
  return [...missing];
}
