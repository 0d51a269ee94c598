/** The submitters' view: what became of the submissions of one zone. */
import { JsonText } from '#linkml/json.ts';
import { etagsAt } from '../../../core/records/condition.ts';
import type { Shape } from '../../../core/shapes.ts';
import { formerTextAt, recordOfRow, textOfRecord } from '../../../core/storage/read/record-sql.ts';
import { compileLikePattern } from '../../../core/storage/search/matching.ts';
import type { RecordStore } from '../../../core/storage/store.ts';
import { microsecondsOf, timeOf } from '../../../core/storage/times.ts';
import type { Visibility } from '../../../core/storage/visibility.ts';
import { yielder } from '../../../core/yield.ts';
import { type Content, contentOf } from '../decisions/content.ts';
import {
  type DecisionRow,
  decisionOf,
  decisionsOn,
  jsonOf,
  keptBy,
  MOST_EARLIER,
} from '../decisions/decisions.ts';
import type { QueueReading, ReviewParts } from '../parts.ts';
import type { CountedField } from '../queue/fields.ts';
import { amongIds, type Condition, oneOf, submissionsMatching, withSubclasses } from '../queue/filter.ts';
import { selectRows, tally } from '../queue/queue.ts';
import { LEFT_TEXT } from '../queue/words.ts';
import type { ownItemSchema, ownPageSchema, ownSchema } from '../schemas.ts';
import type { Request, State, Status } from '../states.ts';
import type { Decision, WithTexts } from '../types.ts';
import { commentsOn } from './comments.ts';
import type { ListedSubmission, Submission } from './submission.ts';

/** A submission as its zone's tokens see it. */
type OwnRow = Shape<typeof ownSchema>;

export type OwnPage = Shape<typeof ownPageSchema>;

export type OwnItem = WithTexts<
  Shape<typeof ownItemSchema>,
  'submitted' | 'curated' | 'differences' | 'changed_by_curator'
>;

/** A decision on a submission of the zone, or on the same claim in another zone, which is not named. */
type OwnDecision = OwnItem['decisions'][number];

export type OwnFilter = {
  readonly status?: readonly Status[];
  readonly class?: readonly string[];
  readonly batch?: string;
  readonly requested?: readonly Request[];
  readonly matching?: string;
  /** Words, each of which the submission has. */
  readonly q?: string;
  /** Decided or left since. */
  readonly since?: string;
};

/** The records that a token may see. */
export type Sight = {
  readonly readCurated: boolean;
  /** Which records it sees; undefined if all. */
  readonly visibility?: Visibility | undefined;
};

/** A zone that a token reads. */
export type OwnZone = { readonly label: string; readonly store: RecordStore };

/** Submissions that are searched at a time: each may have 10 MiB. */
const STRIDE = 20;

/** A page of the submissions of a zone, newest first; one for each pid. */
export async function listOwn(
  reading: QueueReading,
  { label, store }: OwnZone,
  filter: OwnFilter,
  sight: Sight,
  {
    page,
    size,
    having,
  }: { readonly page: number; readonly size: number; readonly having: Condition | undefined },
): Promise<OwnPage> {
  const { parts } = reading.context;
  const { class: classes, batch, since, matching, requested } = filter;
  const yieldIfDue = yielder();
  const counted = new Map<CountedField, Condition>([['label', oneOf(parts, 'label', [label])]]);
  if (classes) counted.set('class', oneOf(parts, 'class_name', withSubclasses(parts, classes)));
  if (batch !== undefined) counted.set('batch', oneOf(parts, 'batch', [batch]));
  const others: Condition[] = having ? [having] : [];
  if (matching !== undefined) others.push(amongIds(parts, await matchingOwn(reading, store, matching)));
  if (sight.visibility) others.push(amongIds(parts, await seenOwn(reading, store, sight.visibility)));
  if (requested) others.push(oneOf(parts, 'requested', requested));
  if (since !== undefined) others.push((given) => `settled_at >= ${given(microsecondsOf(since))}`);
  // The area has an index of all its submissions by time, the label one of those of each status.
  const all = {
    counted,
    others,
    scope: requested ? `present = 1 AND area = ${store.area.id}` : `area = ${store.area.id}`,
  };
  const status = filter.status && [...new Set(filter.status)];
  const selected = status
    ? { others, counted: new Map(counted).set('standing', oneOf(parts, 'status', status)), scope: '1 = 1' }
    : all;
  // Equal searches end at once, and a statement with the ids of thousands takes some milliseconds.
  await yieldIfDue();
  const counts = (await tally(reading, all, 'standing')) as [Status, number][];
  await yieldIfDue();
  const total = counts.reduce((sum, [one, n]) => sum + (!status || status.includes(one) ? n : 0), 0);
  const sort = { by: 'submitted', reverse: true } as const;
  const rows = await selectRows(reading, selected, { sort, offset: (page - 1) * size, limit: size });
  return {
    items: await ownRows(reading, rows, sight),
    total,
    page,
    size,
    pages: Math.ceil(total / size),
    counts: Object.fromEntries(counts),
  };
}

/** The ids of the submissions that a pattern matches: in the zone as its store finds them, and those that have left. */
async function matchingOwn(
  { reader, queue, context }: QueueReading,
  store: RecordStore,
  matching: string,
): Promise<number[]> {
  const found = await submissionsMatching(context.parts, store, matching);
  const pattern = compileLikePattern(matching);
  const yieldIfDue = yielder();
  for (let after = 0; ; ) {
    const rows = await reader.tuples<[number, string | null]>(
      `SELECT s.id, ${LEFT_TEXT} FROM accession_submission s
       WHERE s.queue = $1 AND s.area = $2 AND s.present = 0 AND s.id > $3 ORDER BY s.id LIMIT $4`,
      [queue, store.area.id, after, STRIDE],
    );
    for (const [id, json] of rows) {
      if (json !== null && pattern.matchesRecord(json)) found.push(id);
      await yieldIfDue();
    }
    if (rows.length < STRIDE) return found;
    after = rows.at(-1)![0];
  }
}

/** The ids of the submissions that a token sees: by the policy of the record in the zone or, of those that have left, of the last one. */
async function seenOwn(
  { reader, queue }: QueueReading,
  store: RecordStore,
  visibility: Visibility,
): Promise<number[]> {
  const found: number[] = [];
  const yieldIfDue = yielder();
  for (let after = 0; ; ) {
    await yieldIfDue();
    const rows = await reader.tuples<[number, policy: string | null, left: string | null]>(
      `SELECT s.id, r.policy, CASE WHEN s.present = 1 THEN NULL ELSE ${LEFT_TEXT} END
       FROM accession_submission s ${recordOfRow('s')}
       WHERE s.queue = $1 AND s.area = $2 AND s.id > $3 ORDER BY s.id LIMIT $4`,
      [queue, store.area.id, after, STRIDE],
    );
    for (const [id, policy, left] of rows) {
      const isSeen = policy === null ? left !== null && visibility.seesText(left) : visibility.sees(policy);
      if (isSeen) found.push(id);
    }
    if (rows.length < STRIDE) return found;
    after = rows.at(-1)![0];
  }
}

/** The text of the submitted record of a row. */
export function textOfRow(
  { reader }: QueueReading,
  { present, area, iri, revision }: Pick<ListedSubmission, 'present' | 'area' | 'iri' | 'revision'>,
): Promise<string | undefined> {
  return present ? textOfRecord(reader, area, iri) : formerTextAt(reader, area, revision);
}

/** The submitted record of a row. */
export async function contentOfRow(reading: QueueReading, row: ListedSubmission): Promise<Content> {
  return { className: row.class_name, json: (await textOfRow(reading, row)) ?? '{}' };
}

async function ownRows(
  reading: QueueReading,
  rows: readonly ListedSubmission[],
  { readCurated, visibility }: Sight,
): Promise<OwnRow[]> {
  const { reader, context } = reading;
  const states = readCurated ? await statesSeen(reading, rows, visibility) : undefined;
  const decided = rows.filter(({ decision }) => decision !== null).map(({ iri }) => iri);
  const decisions = new Map((await decisionsOn(reader, context, decided)).map((one) => [one.id, one]));
  return rows.map((row) => {
    const decision = row.status === 'waiting' ? undefined : decisions.get(row.decision ?? '');
    const decidedAt = decision?.time ?? (row.present ? null : row.settled_at);
    return {
      pid: row.pid,
      class: row.class_name,
      batch: row.batch,
      message: row.message,
      submitted_at: timeOf(row.submitted_at),
      state: states?.get(row.iri) ?? null,
      status: row.status,
      reason: decision?.reason ?? null,
      until: row.until === null ? null : timeOf(row.until * 1000),
      decided_at: decidedAt === null ? null : timeOf(decidedAt),
      requested: row.requested,
      commented_at: row.commented_at === null ? null : timeOf(row.commented_at),
      commented_by: row.commented_by,
      digest: row.digest,
      title: row.title,
    };
  });
}

/**
 * The states of the submissions of a zone that are present, by IRI. For those who do not see every record, a curated version that
 * they do not see never was: neither now nor as a base.
 */
async function statesSeen(
  reading: QueueReading,
  rows: readonly ListedSubmission[],
  visibility: Visibility | undefined,
): Promise<ReadonlyMap<string, State>> {
  const present = rows.filter((row) => row.present);
  const states = new Map(present.map(({ iri, state }) => [iri, state]));
  const [first] = present;
  if (!visibility || !first) return states;
  const { reader, context } = reading;
  const { curated, database, work } = context.parts;
  const iris = [...states.keys()];
  const bases = await reader.tuples<[iri: string, json: string]>(
    `SELECT iri, base_json FROM accession_submission
     WHERE queue = $1 AND area = $2 AND ${database.dialect.among('iri', 3)} AND base_json IS NOT NULL`,
    [first.queue, first.area, iris],
  );
  const hidden = new Set(bases.flatMap(([iri, json]) => (visibility.seesText(json) ? [] : [iri])));
  const store = curated.as(visibility);
  const seen = new Set(await store.having(iris));
  for (const row of present) {
    const { iri, base_known, base_revision } = row;
    // Without a curated record and a base, nothing can be hidden: so it is of most submissions.
    if (row.state === 'new' || (seen.has(iri) && !hidden.has(iri))) continue;
    const upToBase = { iris: [iri], before: (base_revision ?? 0) + 1, newestFirst: true, limit: 1 };
    const [entry] = await store.entries(upToBase);
    const base = entry?.json ? { className: entry.className, json: entry.json } : null;
    const record = await store.get(iri);
    const submitted = await work.read(await contentOfRow(reading, row));
    const { state } = await submitted.assess(record && contentOf(record), base_known ? base : undefined);
    states.set(iri, state);
  }
  return states;
}

/** One submission, with the decisions on it and on its claim; undefined if the token does not see it. */
export async function readOwn(
  reading: QueueReading,
  row: Submission,
  sight: Sight,
): Promise<OwnItem | undefined> {
  const { reader, context } = reading;
  const { parts } = context;
  const submitted = await contentOfRow(reading, row);
  const { visibility } = sight;
  if (visibility && !visibility.seesText(submitted.json)) return undefined;
  const curated = sight.readCurated ? await parts.curated.as(visibility).get(row.iri) : undefined;
  const after = sight.readCurated && !row.present && row.decision !== null;
  const kept = after ? (await keptBy(reader, context, row.decision!))?.after : undefined;
  const stored = kept && (visibility?.seesText(kept.json) ?? true) ? kept : undefined;
  const [own] = await ownRows(reading, [row], sight);
  const made = (await decisionsOn(reader, context, [row.iri]))
    .slice(0, MOST_EARLIER)
    // Approvals are among curators, and decide nothing.
    .filter(({ decision }) => decision !== 'approve')
    .filter(({ label, digest }) => label === row.label || digest === row.digest);
  const tags = await ownTags(parts, made, sight);
  const decisions: OwnDecision[] = [];
  for (const one of made) {
    const [curated_before, curated_after] = [one.before_revision, one.after_revision].map(
      (revision) => tags.get(revision) ?? null,
    ) as [string | null, string | null];
    const decision = { ...decisionOf(context, one), curated_before, curated_after };
    const shown = decision.label === row.label ? decision : withoutZone(decision);
    decisions.push(parts.showReviewer ? shown : withoutReviewer(shown));
  }
  const open = curated && row.present ? contentOf(curated) : undefined;
  const proposed = open && (await parts.work.changes({ base: open, from: open, to: submitted }));
  const edited = stored && (await parts.work.changes({ base: submitted, from: stored, to: submitted }));
  return {
    ...own!,
    submitted: jsonOf(submitted),
    curated: jsonOf(curated),
    differences: new JsonText(proposed?.differences ?? 'null'),
    changed_by_curator: new JsonText(edited?.differences ?? 'null'),
    more_differences: (proposed ?? edited)?.more ?? 0,
    decisions,
    comments: (await commentsOn(reading, row)).map((one) =>
      one.role === 'curator' && !parts.showReviewer ? { ...one, author: null } : one,
    ),
  };
}

/** The tags of curated records before and after decisions, as users read them, by revision: of those that they see. */
async function ownTags(
  { curated, curatedScope }: ReviewParts,
  decisions: readonly DecisionRow[],
  { readCurated, visibility }: Sight,
): Promise<ReadonlyMap<number | null, string>> {
  if (!readCurated) return new Map();
  const revisions = decisions.flatMap(({ before_revision, after_revision }) => [
    before_revision,
    after_revision,
  ]);
  return etagsAt(
    curated.as(visibility),
    curatedScope,
    revisions.filter((revision) => revision !== null),
  );
}

/** Which zone made the same claim, and whose submission it was, is not for others. */
function withoutZone(decision: Decision): OwnDecision {
  return { ...decision, label: null, submitter: null };
}

function withoutReviewer(decision: OwnDecision): OwnDecision {
  const { undone } = decision;
  return { ...decision, reviewer: null, undone: undone && { ...undone, reviewer: null } };
}
