/**
 * Changes of several records, or of all of a list. Each is stored against the state that the preview has
 * shown, so nothing that a colleague has stored since is lost, and each is undone only if it is still as it was stored.
 */
import { isAway } from '../shared/connection.ts';
import { isEqual, type JsonObject } from '../shared/json.ts';
import { problemLine } from '../shared/problem-words.ts';
import { type PageQuery, readPage, readRecord } from '../shared/records.ts';
import { localPart, readTitles } from '../shared/schema.ts';
import { asClientError, ClientError, lab } from '../shared/service.ts';
import { may } from '../shared/session.ts';
import { forEachOf, MOST_RECORDS, type Steps } from '../shared/several.ts';
import { afterWrite } from '../shared/submit.ts';
import { t } from '../texts/texts.ts';
import { tb } from './texts.ts';

/** Records that are read in one request. */
const SIZE = 100;

/** Which records are changed: some by their pids, or all of a list. */
export type Chosen =
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
  /** Why it cannot be changed. */
  readonly problem?: string;
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

/** A record, or its pid if there is none. */
type Read = { readonly pid: string; readonly record: JsonObject | undefined };

/** The records that are changed, in groups. Of a list, a curator gets those that are curated. */
async function* groupsOf(
  collection: string,
  chosen: Chosen,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Read[]> {
  const curated = may(collection, 'curate');
  const read = async (pid: string): Promise<Read> => {
    const found = await readRecord(collection, pid, { curated, ...(signal && { signal }) });
    return { pid, record: found?.record };
  };
  if ('pids' in chosen) {
    for (let from = 0; from < chosen.pids.length; from += SIZE)
      yield await forEachOf(chosen.pids.slice(from, from + SIZE), read, { signal });
    return;
  }
  for await (const { items } of pagesOf(collection, chosen.className, chosen.query, signal)) {
    const titles = await readTitles(collection, items.map(pidOf));
    yield await forEachOf(items, async (record) => {
      const pid = pidOf(record);
      return curated && titles.get(pid)?.in === 'zone' ? read(pid) : { pid, record };
    });
  }
}

const pidOf = ({ pid }: JsonObject) => String(pid);

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
  for await (const group of groupsOf(collection, chosen, signal)) {
    // A list that changes while it is read has a record on two pages.
    const fresh = group.filter(({ pid }) => !seen.has(pid));
    for (const { pid } of fresh) seen.add(pid);
    if (seen.size > MOST_RECORDS) throw new ClientError(tb('changeTooMany', { n: MOST_RECORDS }), -1);
    const titles = await readTitles(
      collection,
      fresh.map(({ pid }) => pid),
    );
    const changes = fresh.flatMap(({ pid, record }): PlannedChange[] => {
      const known = titles.get(pid);
      const named = { pid, title: known?.title || localPart(pid), className: known?.class ?? '' };
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

/** The same with what the service finds in the results. */
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
    const results = await areaOf(collection, signal).validateMany(texts, className);
    for (const [index, { status, detail }] of results.entries())
      if (status !== 200)
        problems.set(
          ofClass[index]!,
          typeof detail === 'string' ? detail : detail?.[0] ? problemLine(detail[0]) : '',
        );
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
  const curated = may(collection, 'curate');
  const made: MadeChange[] = [];
  const refused: PlannedChange[] = [];
  const make = async (one: PlannedChange) => {
    const { pid, className, inZone, before, after } = one;
    const now = await readRecord(collection, pid, { curated });
    if (!now || !isEqual(now.record, before)) return refused.push({ ...one, problem: tb('changedSince') });
    const tag = now.etag ?? undefined;
    const given = curated || inZone ? { ifMatch: tag } : { basedOn: tag };
    const text = JSON.stringify(after);
    return made.push({ ...one, made: await areaOf(collection).put(className, text, given) });
  };
  const orRefused = (one: PlannedChange) =>
    make(one).catch((problem: unknown) => {
      const error = asClientError(problem);
      if (isAway(error.status)) throw error;
      refused.push({ ...one, problem: error.message });
    });
  const error = await forEachOf(planned, orRefused, steps).then(() => undefined, asClientError);
  afterWrite();
  const ended = new Set([...made, ...refused].map(({ pid }) => pid));
  const rest = [...refused, ...planned.filter(({ pid }) => !ended.has(pid))];
  return { made, refused, rest, ...(error && { error }) };
}

export type Undone = {
  readonly undone: number;
  /** How many stay, since someone has changed the record again. */
  readonly left: number;
  /** Those that are not undone yet, since the service is away. */
  readonly open: readonly MadeChange[];
};

/** Undoes changes, the last one first. */
export async function undoChanges(
  collection: string,
  made: readonly MadeChange[],
  steps: Steps = {},
): Promise<Undone> {
  const isCurator = may(collection, 'curate');
  const undone = new Set<MadeChange>();
  const left = new Set<MadeChange>();
  const undo = async (one: MadeChange) => {
    const area = areaOf(collection);
    const ifMatch = one.made;
    const undoing =
      isCurator || one.inZone
        ? area.put(one.className, JSON.stringify(one.before), { ifMatch })
        : area.delete(one.pid, { ifMatch });
    await undoing.then(
      () => undone.add(one),
      (problem: unknown) => {
        if (isAway(asClientError(problem).status)) throw problem;
        left.add(one);
      },
    );
  };
  // What it has ended before is open.
  await forEachOf(made.toReversed(), undo, steps).catch(() => {});
  afterWrite();
  const open = made.filter((one) => !undone.has(one) && !left.has(one));
  return { undone: undone.size, left: left.size, open };
}
