/**
 * Changes of several records, or of all of a list. Each is stored against the state that the preview has
 * shown, so nothing that a colleague has stored since is lost, and each is undone only if it is still as it was stored.
 */
import type { ItemResult } from '../../src/client/client.ts';
import { isEqual, type JsonObject } from '../shared/json.ts';
import { lookedUp } from '../shared/lost-answer.ts';
import { problemLine } from '../shared/problem-words.ts';
import { type PageQuery, readMany, readPage } from '../shared/records.ts';
import { localPart, readClass, readTitles, type Slot } from '../shared/schema.ts';
import { asClientError, ClientError, lab } from '../shared/service.ts';
import { may } from '../shared/session.ts';
import { MOST_RECORDS, type Steps, sendGroups, together } from '../shared/several.ts';
import { afterWrite } from '../shared/submit.ts';
import { t } from '../texts/texts.ts';
import { tb } from './texts.ts';

/** Records that are read in one request. */
const SIZE = 100;

/** Which records are changed: some by their pids, or all of a list. */
type Chosen =
  | { readonly pids: readonly string[] }
  | { readonly className: string; readonly query: ListQuery };

/** What a list of records shows. */
export type ListQuery = Pick<PageQuery, 'text' | 'sort' | 'where'>;

export type PlannedChange = {
  readonly pid: string;
  readonly title: string;
  readonly className: string;
  readonly inZone: boolean;
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** The entity tag of the record as it was read. */
  readonly tag: string | undefined;
  /** Why it cannot be changed. */
  readonly problem?: string;
  /** The record as someone else has stored it meanwhile; null if there is none. */
  readonly now?: JsonObject | null;
};

/** A change that was made, and the entity tag of the record since. */
type MadeChange = PlannedChange & { readonly made: string | undefined };

export type Outcome = {
  readonly made: readonly MadeChange[];
  readonly refused: readonly PlannedChange[];
  /** Those that were refused, and those that it has ended before. */
  readonly rest: readonly PlannedChange[];
  /** Why it has ended early: the service is away. */
  readonly error?: ClientError;
};

/** Curators change curated records, and others submit to their zone. */
const areaOf = (collection: string, signal?: AbortSignal) =>
  may(collection, 'curate') ? lab(collection, signal).curated : lab(collection, signal);

/** The records of a list, page by page. @throws ClientError if the search ends before all of them are found */
export async function* pagesOf(
  collection: string,
  className: string,
  query: ListQuery,
  signal?: AbortSignal,
): AsyncGenerator<{ readonly items: readonly JsonObject[]; readonly total: number }> {
  for (let page = 1; ; page += 1) {
    const found = await readPage(collection, className, { ...query, page, size: SIZE }, signal);
    yield found;
    if (found.items.length === SIZE) continue;
    // A search for parts of words ends when its time is used up, also in the middle of a page.
    if (found.complete === false) throw new ClientError(tb('listIncomplete'), -1);
    return;
  }
}

/** The pids of the records that are changed, in groups. */
async function* pidGroups(
  collection: string,
  chosen: Chosen,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly string[]> {
  if ('pids' in chosen) yield* together(chosen.pids);
  else
    for await (const { items } of pagesOf(collection, chosen.className, chosen.query, signal))
      yield items.map(({ pid }) => String(pid));
}

export type Plan = {
  readonly planned: readonly PlannedChange[];
  /** How many records were read. */
  readonly total: number;
  /** How many fewer than the list had when it was chosen. */
  readonly missed?: number;
};

/** The changes to make; records that stay the same are left out. A curator does not change submissions in zones. */
export async function planChanges(
  collection: string,
  chosen: Chosen,
  change: (record: JsonObject) => JsonObject,
  { onDone, signal }: Steps = {},
): Promise<Plan> {
  const curated = may(collection, 'curate');
  const planned: PlannedChange[] = [];
  const seen = new Set<string>();
  for await (const group of pidGroups(collection, chosen, signal)) {
    // A list that changes while it is read has a record on two pages.
    const fresh = group.filter((pid) => !seen.has(pid));
    for (const pid of fresh) seen.add(pid);
    if (seen.size > MOST_RECORDS) throw new ClientError(tb('changeTooMany', { n: MOST_RECORDS }), -1);
    const [titles, found] = await Promise.all([
      readTitles(collection, fresh),
      readMany(collection, fresh, { curated, signal }),
    ]);
    const changes = fresh.flatMap((pid): PlannedChange[] => {
      const { record, etag: tag } = found.get(pid) ?? {};
      const known = titles.get(pid);
      const named = { pid, title: known?.title || localPart(pid), className: known?.class ?? '', tag };
      if (!known || !record)
        return [{ ...named, inZone: false, before: {}, after: {}, problem: t('value.notFound') }];
      const after = change(record);
      if (isEqual(after, record)) return [];
      return [{ ...named, inZone: known.in === 'zone' && !curated, before: record, after }];
    });
    planned.push(...(await checked(collection, changes, signal)));
    onDone?.(seen.size);
  }
  return { planned, total: seen.size };
}

/** The first problem of a record, in words. */
function problemOf(slots: readonly Slot[], detail: ItemResult['detail'] = ''): string {
  return typeof detail === 'string' ? detail : detail[0] ? problemLine(detail[0], slots) : '';
}

/** Adds the problems that the service finds in the records as they would be. */
async function checked(
  collection: string,
  planned: readonly PlannedChange[],
  signal: AbortSignal | undefined,
): Promise<PlannedChange[]> {
  const problems = new Map<PlannedChange, string>();
  for (const [className, ofClass] of Map.groupBy(
    planned.filter(({ problem }) => problem === undefined),
    (one) => one.className,
  )) {
    const texts = ofClass.map(({ after }) => JSON.stringify(after));
    const [{ slots }, results] = await Promise.all([
      readClass(collection, className),
      areaOf(collection, signal).validateMany(texts, className),
    ]);
    for (const [index, { status, detail }] of results.entries())
      if (status !== 200) problems.set(ofClass[index]!, problemOf(slots, detail));
  }
  return planned.map((one) => {
    const problem = problems.get(one);
    return problem === undefined ? one : { ...one, problem };
  });
}

/** Makes the changes, each on its own; those that it is stopped before are neither made nor refused. */
export async function makeChanges(
  collection: string,
  planned: readonly PlannedChange[],
  steps: Steps = {},
): Promise<Outcome> {
  const made: MadeChange[] = [];
  const refused: PlannedChange[] = [];
  const texts = new Map(planned.map((one) => [one, JSON.stringify(one.after)]));
  const groups = together(
    planned,
    ({ className }) => className,
    (one) => texts.get(one)!.length,
  );
  const slotsOf = new Map<string, readonly Slot[]>();
  const put = async (group: readonly PlannedChange[]) => {
    const { className } = group[0]!;
    slotsOf.set(className, (await readClass(collection, className)).slots);
    return areaOf(collection).putMany(
      group.map((one) => ({ text: texts.get(one)!, ifMatch: one.tag })),
      className,
    );
  };
  const send = (group: readonly PlannedChange[]) =>
    lookedUp(
      () => put(group),
      () => put(group),
    );
  const onResult = (one: PlannedChange, { status, detail, etag, record: now }: ItemResult) => {
    // The answer to a request may get lost that has stored it.
    const isMade = status === 200 || (status === 412 && now && isEqual(now, one.after));
    if (isMade) made.push({ ...one, made: etag });
    else if (status === 412)
      refused.push({ ...one, problem: tb('changedSince'), ...(now !== undefined && { now }) });
    else refused.push({ ...one, problem: problemOf(slotsOf.get(one.className) ?? [], detail) });
  };
  const error = await sendGroups(groups, send, onResult, steps).then(() => undefined, asClientError);
  afterWrite();
  const ended = new Set([...made, ...refused].map(({ pid }) => pid));
  const rest = [...refused, ...planned.filter(({ pid }) => !ended.has(pid))];
  return { made, refused, rest, ...(error && { error }) };
}

type Undone = {
  readonly undone: number;
  /** How many stay, since someone has changed the record again. */
  readonly left: number;
  /** Those that are not undone yet, since the service is away. */
  readonly open: readonly MadeChange[];
};

/** Undoes changes, the last one first: records are as before, and submissions that were made of curated ones are withdrawn. */
export async function undoChanges(
  collection: string,
  made: readonly MadeChange[],
  steps: Steps = {},
): Promise<Undone> {
  const isCurator = may(collection, 'curate');
  const area = areaOf(collection);
  const undone = new Set<MadeChange>();
  const left = new Set<MadeChange>();
  const isStored = ({ inZone }: MadeChange) => isCurator || inZone;
  const texts = new Map(made.map((one) => [one, JSON.stringify(one.before)]));
  const groups = together(
    made.toReversed(),
    (one) => `${isStored(one)} ${one.className}`,
    (one) => texts.get(one)!.length,
  );
  const send = (group: readonly MadeChange[]) =>
    isStored(group[0]!)
      ? area.putMany(
          group.map((one) => ({ text: texts.get(one)!, ifMatch: one.made })),
          group[0]!.className,
        )
      : area.deleteMany(group.map(({ pid, made: ifMatch }) => ({ pid, ifMatch })));
  const onResult = (one: MadeChange, { status }: ItemResult) => (status === 200 ? undone : left).add(one);
  // What it has ended before is open.
  await sendGroups(groups, send, onResult, steps).catch(() => {});
  afterWrite();
  const open = made.filter((one) => !undone.has(one) && !left.has(one));
  return { undone: undone.size, left: left.size, open };
}
