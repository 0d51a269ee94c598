/** The changes of an area as a caller has seen them, with what became of renamed and merged records. */
import { hash } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { etagsAt } from '../records/condition.ts';
import { resolvePid } from '../records/record.ts';
import { objectOf, type Shape, textOrNull, textSchema } from '../shapes.ts';
import type { FeedPage, RecordStore } from '../storage/store.ts';
import { numberOf, revisionOf } from './as-of.ts';
import { CHANGE_KINDS } from './change-kinds.ts';
import type { Collection } from './collection.ts';

/** An area that a caller follows. */
export type Feed = {
  readonly collection: Collection;
  /** The path of the area, also if nothing was ever written to it. */
  readonly path: string;
  /** As the caller sees it; undefined if nothing was ever written to it. */
  readonly store: RecordStore | undefined;
  /** The label of the zone; empty for the curated area. */
  readonly label: string;
  /** The caller, if the names of others are not shown to them. */
  readonly reader?: string;
  /** Whether entity tags are those that users read. */
  readonly forUsers?: boolean;
};

export const changeSchema = objectOf({
  revision: { type: 'integer', description: 'Of the area, in the order of the commits.' },
  pid: textSchema,
  iri: { ...textSchema, description: 'What the pid resolves to.' },
  class: textSchema,
  kind: { enum: CHANGE_KINDS },
  moved_to: {
    ...textOrNull,
    description: 'The pid that a renamed or merged record has now; only of `moved`.',
  },
  time: { type: 'string', format: 'date-time' },
  author: {
    ...textOrNull,
    description: 'On whose behalf; null if it is unknown, or another one and not shown.',
  },
  decision: { ...textOrNull, description: 'The id of the decision that made the change.' },
  etag: { ...textOrNull, description: 'The entity tag of the record; null if it is gone.' },
});
export type ChangeItem = Shape<typeof changeSchema>;

/** Where to go on: a revision of an area in a generation. */
export type Cursor = {
  readonly generation?: string;
  readonly revision: number;
  /** How far the feed was read before, so that hidden changes are not read again. It is not sent: they would leave a trace in it. */
  readonly passed?: number;
};

/** Changes behind a cursor, and where they end. */
export type ChangePage = Required<Cursor> & { readonly items: readonly ChangeItem[] };

type FeedQuery = {
  readonly record: string | undefined;
  /** Only changes of records of these classes, with their subclasses. */
  readonly classes: readonly string[] | undefined;
  readonly limit: number;
};

/**
 * The generation of a feed: the line of history of the database, the area, and the view of the caller. When one of
 * these is another one, the caller has to start again.
 */
export async function generationOf({
  collection,
  path,
  store,
}: Pick<Feed, 'collection' | 'path' | 'store'>): Promise<string> {
  const parts = [await collection.database.generation(), path, store?.visibility?.key];
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, GENERATION_LENGTH);
}

const GENERATION_LENGTH = 10;

/**
 * The next changes behind a cursor.
 *
 * @throws ServiceError `revision_gone`, `class_unknown`, `prefix_unknown`
 */
export async function changesBehind(feed: Feed, cursor: Cursor, following: FeedQuery): Promise<ChangePage> {
  const { generation } = cursor;
  const { collection, store, label, reader, forUsers } = feed;
  const present = await generationOf(feed);
  if (generation !== undefined && generation !== present)
    throw gone(
      'The cursor is of another generation: the store was restored, or the token sees other records.',
    );
  if (!store) return { items: [], generation: present, revision: 0, passed: 0 };
  const { changes, reached, passed } = await readFrom(feed, store, cursor, following);
  const plans = changes.flatMap(({ kind, batch }) =>
    kind === 'deleted' && batch !== undefined ? [batch] : [],
  );
  const moved = label === '' ? await collection.moves?.movedBy(plans) : undefined;
  const puts = changes.flatMap(({ kind, revision }) => (kind === 'deleted' ? [] : revision));
  const tags = forUsers
    ? await etagsAt(store, collection.scopeOf(label), puts)
    : new Map(puts.map((revision) => [revision, collection.etagOf(label, revision)]));
  const items: ChangeItem[] = [];
  for (const change of changes) {
    const { pid, iri, className, kind, time, author, decision, batch, revision } = change;
    const target = kind === 'deleted' ? moved?.(iri, batch) : undefined;
    const to = target !== undefined && (await isSeen(feed, target)) ? target : undefined;
    items.push({
      revision: numberOf(store, change),
      pid,
      iri,
      class: className,
      kind: to === undefined ? kind : 'moved',
      moved_to: to ?? null,
      time,
      author: reader === undefined || author === reader ? author : null,
      decision: decision ?? null,
      etag: tags.get(revision) ?? null,
    });
  }
  return { items, generation: present, revision: reached, passed };
}

async function readFrom(
  { collection }: Feed,
  store: RecordStore,
  { revision: cursor, passed = 0 }: Cursor,
  { record, classes: given, limit }: FeedQuery,
): Promise<FeedPage & { readonly passed: number }> {
  const after = await revisionOf(store, cursor);
  if (after > 0 && after < (await store.keptFrom()))
    throw gone(`The changes behind the revision ${after} are not kept any more.`);
  if (after > 0 && after > (await store.revision()))
    throw gone(`The area has not come to the revision ${after}: it was restored from a backup.`);
  const { schema } = collection;
  const selection = {
    limit,
    iri: record === undefined ? undefined : resolvePid(schema, record),
    classes: given?.flatMap((name) => schema.descendants(collection.requireClass(name))),
  };
  if (!store.visibility) {
    const page = await store.feed({ ...selection, after });
    return { ...page, passed: page.reached };
  }
  // The caller goes on behind the last change that was seen: hidden ones leave no trace in the cursor. An index skips them: a filter
  // without one would have to end here after a number of changes.
  for (let from = Math.max(after, passed); ; ) {
    const { changes, reached } = await store.feed({ ...selection, after: from });
    const last = changes.at(-1);
    if (last) return { changes, reached: numberOf(store, last), passed: reached };
    if (reached === from) return { changes, reached: cursor, passed: reached };
    from = reached;
  }
}

/** The cursor of a caller who wants the changes to come. */
export async function presentCursor({ store }: Feed): Promise<number> {
  if (!store?.visibility) return (await store?.revision()) ?? 0;
  const [last] = await store.entries({ newestFirst: true, limit: 1 });
  return last ? numberOf(store, last) : 0;
}

/** Whether the caller sees a record that others were moved to. */
async function isSeen({ collection, store }: Feed, pid: string): Promise<boolean> {
  return !store?.visibility || (await store.get(resolvePid(collection.schema, pid))) !== undefined;
}

function gone(what: string): ServiceError {
  const start = 'Read the records again, or all changes that are kept with since=0.';
  return new ServiceError('revision_gone', `${what} ${start}`);
}
