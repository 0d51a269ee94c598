/**
 * The same change of one slot in several records. Each is stored against the state that the preview has shown, so nothing
 * that a colleague has stored since is lost, and each is undone only if it is still as it was stored.
 */
import { isEqual, type Json, type JsonObject, withValue } from '../shared/json.ts';
import { readRecord } from '../shared/records.ts';
import { localPart, readTitles } from '../shared/schema.ts';
import { asClientError, lab } from '../shared/service.ts';
import { may } from '../shared/session.ts';
import { afterWrite } from '../shared/submit.ts';
import { t } from '../texts/texts.ts';

/** Records that are changed at once. */
export const MOST_RECORDS = 200;

export type PlannedChange = {
  readonly pid: string;
  readonly title: string;
  readonly className: string;
  readonly inZone: boolean;
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** The entity tag of the record that was read. */
  readonly etag: string | null;
  /** Why it cannot be changed. */
  readonly problem?: string;
};

/** A change that was made. */
type MadeChange = PlannedChange & { readonly made: string | undefined };

export type Outcome = { readonly made: readonly MadeChange[]; readonly refused: readonly PlannedChange[] };

/** Curators change curated records, and others submit to their zone. */
const areaOf = (collection: string) =>
  may(collection, 'curate') ? lab(collection).curated : lab(collection);

/** The changes to make; records that have the value already are left out. A curator does not change submissions in zones. */
export async function planChanges(
  collection: string,
  pids: readonly string[],
  slot: string,
  value: Json | undefined,
): Promise<PlannedChange[]> {
  const curated = may(collection, 'curate');
  const titles = await readTitles(collection, pids);
  const planned: PlannedChange[] = [];
  for (const pid of pids) {
    const known = titles.get(pid);
    const found = known && (await readRecord(collection, pid, { curated }));
    if (!found) {
      const missing = { pid, title: known?.title || localPart(pid), className: known?.class ?? '' };
      const nothing = { inZone: false, before: {}, after: {}, etag: null };
      planned.push({ ...missing, ...nothing, problem: t('value.notFound') });
      continue;
    }
    if (isEqual(found.record[slot] ?? null, value ?? null)) continue;
    const after = withValue(found.record, [slot], value) as JsonObject;
    const title = known.title || localPart(pid);
    const inZone = known.in === 'zone' && !curated;
    planned.push({
      pid,
      title,
      className: known.class,
      inZone,
      before: found.record,
      after,
      etag: found.etag,
    });
  }
  return checked(collection, planned);
}

/** The same with what the service finds in the results. */
async function checked(collection: string, planned: readonly PlannedChange[]): Promise<PlannedChange[]> {
  const problems = new Map<PlannedChange, string>();
  for (const [className, ofClass] of Map.groupBy(
    planned.filter(({ problem }) => problem === undefined),
    (one) => one.className,
  )) {
    const texts = ofClass.map(({ after }) => JSON.stringify(after));
    const results = await areaOf(collection).validateMany(texts, className);
    for (const [index, { status, detail }] of results.entries())
      if (status !== 200)
        problems.set(ofClass[index]!, typeof detail === 'string' ? detail : (detail?.[0]?.msg ?? ''));
  }
  return planned.map((one) => {
    const problem = problems.get(one);
    return problem === undefined ? one : { ...one, problem };
  });
}

/** Makes the changes, each on its own. */
export async function makeChanges(collection: string, planned: readonly PlannedChange[]): Promise<Outcome> {
  const isCurator = may(collection, 'curate');
  const made: MadeChange[] = [];
  const refused: PlannedChange[] = [];
  for (const one of planned) {
    const tag = one.etag ?? undefined;
    const given = isCurator || one.inZone ? { ifMatch: tag } : { basedOn: tag };
    try {
      made.push({
        ...one,
        made: await areaOf(collection).put(one.className, JSON.stringify(one.after), given),
      });
    } catch (error) {
      refused.push({ ...one, problem: asClientError(error).message });
    }
  }
  afterWrite();
  return { made, refused };
}

/** Undoes changes. @returns those that stay, since someone has changed the record again */
export async function undoChanges(collection: string, made: readonly MadeChange[]): Promise<MadeChange[]> {
  const isCurator = may(collection, 'curate');
  const left: MadeChange[] = [];
  for (const one of made.toReversed()) {
    const area = areaOf(collection);
    const ifMatch = one.made;
    const undo =
      isCurator || one.inZone
        ? area.put(one.className, JSON.stringify(one.before), { ifMatch })
        : area.delete(one.pid, { ifMatch });
    await undo.catch(() => left.push(one));
  }
  afterWrite();
  return left;
}
