/**
 * The history of curated records, and of the configuration: who changed what and when, and former states
 * (specification 1).
 */

import { type JsonObject, parseJson, withoutUndefined } from '#linkml/json.ts';
import type { ConfigurationSchemas } from '../config/config.ts';
import { CONFIGURATION_PID } from '../config/record.ts';
import { ServiceError } from '../errors.ts';
import type { DescribedChange, RecordStep } from '../records/describe-change.ts';
import { resolvePid } from '../records/record.ts';
import { asDefined, classNamedIn, schemaTypeInWords } from '../schema-type.ts';
import { scanEntries } from '../storage/read/paging.ts';
import type { Entry, RecordStore } from '../storage/store.ts';
import { microsecondsOf, timeOf } from '../storage/times.ts';
import { type Pool, runIfLong } from '../work/pool.ts';
import { changeOf } from '../work/tasks.ts';
import { yielder } from '../yield.ts';
import type { Collection } from './collection.ts';

/** One change as JSON, in parts. The record, and with it the parts, may be long. */
export type EntryText = readonly string[];

/** All changes of a curated record, oldest first. @throws ServiceError `prefix_unknown` */
export async function* recordHistory(
  pool: Pool,
  { schema, curated }: Collection,
  pid: string,
): AsyncGenerator<EntryText> {
  const yieldIfDue = yielder();
  let before: string | undefined;
  for await (const { pid: given, ...entry } of scanEntries(curated, { iris: [resolvePid(schema, pid)] })) {
    const after = entry.json ?? undefined;
    const { time, committer, author } = entry;
    yield entryText(
      { pid: given, time, committer, author },
      after === undefined,
      await described(pool, { before, after }),
    );
    before = after;
    await yieldIfDue();
  }
}

/**
 * The canonical JSON of a curated record as it was at a time; undefined if there was none.
 *
 * @param at in the form of {@link Entry.time}
 */
export async function formerState(
  { schema, curated }: Collection,
  pid: string,
  at: string,
): Promise<string | undefined> {
  const iris = [resolvePid(schema, pid)];
  // The history has times of entries, which may be ahead of the clock.
  const before = (await curated.revisionDated(at)) + 1;
  const [dated] = await curated.entries({ iris, before, newestFirst: true, limit: 1 });
  if (dated?.time === at) return dated.json ?? undefined;
  const [last] = await curated.entries({ iris, until: at, newestFirst: true, limit: 1 });
  return last?.json ?? undefined;
}

/** A former state and its class, to be stored again. @throws ServiceError `record_missing`, `class_unknown` */
export async function formerRecord(
  collection: Collection,
  pid: string,
  at: string,
): Promise<{ readonly className: string; readonly record: JsonObject }> {
  const json = await formerState(collection, pid, at);
  if (json === undefined) {
    throw new ServiceError('record_missing', `The record '${pid}' did not exist at that time.`);
  }
  const record = parseJson(json) as JsonObject;
  const className = classOfFormer(collection, record);
  return { className, record: asDefined(collection.schema, className, record) };
}

/** A page of the changes of the configuration, with all masked that is not shown of it. */
export function configurationActivity(
  pool: Pool,
  area: RecordStore,
  query: ActivityQuery,
  { shown }: Pick<ConfigurationSchemas, 'shown'>,
): AsyncGenerator<ActivityItem> {
  return activityOf(pool, area, { ...query, iris: [CONFIGURATION_PID] }, { masks: { shown } });
}

/** Which changes of an area; all that is given has to be true of them. */
type ActivityQuery = {
  readonly iris?: readonly string[] | undefined;
  readonly author?: string | undefined;
  readonly className?: string | undefined;
  /** Times in the form of entries, both inclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Only changes before this number: that of a change, `next` of a page. */
  readonly before?: number | undefined;
  readonly size: number;
};

/** A change in an area, newest first, as JSON; `next` is the `before` of the next page. */
export type ActivityItem = { readonly text: EntryText } | { readonly next: number | null };

type HistoryAudience = Pick<RecordStep, 'masks'> & { readonly owner?: string | undefined };

/** Characters of records on a page: the rest comes with the next page. */
const CHARACTERS_OF_PAGE = 4_000_000;

/**
 * A page of the changes in an area, newest first, then its end. Changes are numbered by their revisions, for the owner of a zone
 * by the microseconds of their times: revisions would count the changes that the owner does not see.
 *
 * @param shown.owner the owner of a zone, who does not learn which curators made some of the changes
 * @param shown.masks masks the values that it does not show
 */
export async function* activityOf(
  pool: Pool,
  store: RecordStore,
  { size, before, until, ...rest }: ActivityQuery,
  shown: HistoryAudience = {},
): AsyncGenerator<ActivityItem> {
  const { owner } = shown;
  const yieldIfDue = yielder();
  const bounds = { before: before && (await revisionOfNumber(store, before, owner)), until };
  const selection = withoutUndefined({ ...rest, ...bounds });
  let items = 0;
  let characters = 0;
  let last: number | null = null;
  for await (const entry of scanEntries(store, { ...selection, newestFirst: true, withFormer: true })) {
    if (items >= size || characters > CHARACTERS_OF_PAGE) return yield { next: last };
    last = owner === undefined ? entry.revision : microsecondsOf(entry.time);
    yield { text: await activityEntry(pool, store, entry, last, shown) };
    items += 1;
    characters += entry.json?.length ?? 0;
    await yieldIfDue();
  }
  yield { next: null };
}

/** The revision of the change with a number, before which a page goes on. */
async function revisionOfNumber(
  store: RecordStore,
  number: number,
  owner: string | undefined,
): Promise<number> {
  return owner === undefined ? number : (await store.revisionDated(timeOf(Math.max(0, number - 1)))) + 1;
}

async function activityEntry(
  pool: Pool,
  store: RecordStore,
  entry: Entry,
  number: number,
  { owner, masks }: HistoryAudience,
): Promise<EntryText> {
  const { iri, revision, className, role, pid, time, committer, author } = entry;
  // The former version may be one that the caller does not see.
  const [former] = store.visibility
    ? await store.entries({ iris: [iri], before: revision, newestFirst: true, limit: 1 })
    : [{ json: entry.former }];
  const shown = (id: string | null) => (owner === undefined || id === owner ? id : null);
  const step = { before: former?.json ?? undefined, after: entry.json ?? undefined, masks };
  return entryText(
    {
      pid,
      time,
      committer: shown(committer),
      author: shown(author),
      more: { revision: number, className, role },
    },
    step.after === undefined,
    await described(pool, step),
  );
}

function classOfFormer({ schema, name }: Collection, record: JsonObject): string {
  const className = classNamedIn(schema, record);
  if (className !== undefined) return className;
  throw new ServiceError(
    'class_unknown',
    `The record cannot be restored: it has ${schemaTypeInWords(record)}, expected that of a class of the collection '${name}'.`,
  );
}

/** Of long records, the differences are found in a thread. */
function described(pool: Pool, step: RecordStep): DescribedChange | Promise<DescribedChange> {
  return runIfLong(pool, changeOf, step, (step.before?.length ?? 0) + (step.after?.length ?? 0));
}

type About = {
  readonly pid: string;
  readonly time: string;
  /** Null if another program made the change. */
  readonly committer: string | null;
  readonly author: string | null;
  readonly more?: Pick<Entry, 'revision' | 'className' | 'role'>;
};

/** Canonical JSON, as everything else: the members are sorted. */
function entryText(
  { pid, time, committer, author, more }: About,
  deleted: boolean,
  { changes, record }: DescribedChange,
): EntryText {
  const text = JSON.stringify;
  const named = more ? `"class":${text(more.className)},` : '';
  const numbered = more ? `"revision":${more.revision},"role":${text(more.role)},` : '';
  return [
    `{"author_id":${text(author)},"changes":`,
    changes,
    `,${named}"committer_id":${text(committer)},"deleted":${deleted},"pid":${text(pid)},"record":`,
    record,
    `,${numbered}"time_stamp":${text(time)}}`,
  ];
}
