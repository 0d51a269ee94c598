/** The row of a submission, made from what was stored and from what was known of it before. */
import { ServiceError } from '../../../core/errors.ts';
import type { Entry } from '../../../core/storage/store.ts';
import { microsecondsOf } from '../../../core/storage/times.ts';
import { LONG_BODY } from '../../../core/work/pool.ts';
import { submissionTime } from '../../claims/submission-tags.ts';
import type { Content } from '../decisions/content.ts';
import type { ReviewContext } from '../parts.ts';
import { type ReadContent, recordOf } from './assess.ts';
import { type Base, UNKNOWN_BASE } from './base.ts';
import type { RecordVersion, ReviewDraft } from './review-draft.ts';
import { AT_COMMIT, baseOfRow, type Submission } from './submission.ts';

/** A zone, and the label under which it is listed. */
export type ZoneOf = { readonly area: number; readonly label: string };

/** A store into a zone. */
type Stored = Pick<Entry, 'iri' | 'pid' | 'role' | 'committer' | 'batch' | 'message'> & {
  readonly content: ReadContent;
  readonly revision: number;
  readonly time: number;
  /** When it was submitted, if that was before it came into this zone. */
  readonly submittedAt?: number | undefined;
  /** The submission that is replaced, if there is one in the zone. */
  readonly previous: Submission | undefined;
  readonly base: Base;
};

/** Entries of one record that are read for a submission without a row. */
const LOOK_BACK = 50;

/** The row after a store. Stores are frequent, so it is made at once, not from parts. */
export async function storedRow(
  review: ReviewDraft,
  { version, time: now }: ReviewContext,
  { area, label }: ZoneOf,
  { iri, pid, role, committer, batch, message, content, revision, time, submittedAt, previous, base }: Stored,
  curated: RecordVersion | undefined,
): Promise<Submission> {
  const { digest } = content;
  const byUser = role === 'submitter';
  const byCurator = role !== null && !byUser;
  // A submission that a curator edits stays the same; one that another program writes is new.
  const former = previous?.digest === digest || byCurator ? previous : undefined;
  const kept = byUser ? undefined : former;
  // What is stored with a message answers a decision that a clock has dated in the future, too.
  const decided = time === AT_COMMIT ? (review.lastOn(iri, digest)?.time ?? 0) : 0;
  const answered = decided > 0 && decided >= now() ? decided + 1 : time;
  const answered_at = message === undefined ? (previous?.answered_at ?? null) : answered;
  const found = await content.assess(curated, baseOfRow(base));
  const settled = review.settledBy(iri, digest, answered_at);
  const { assignee, due } = previous ?? (await review.assigned(content.className, label));
  return {
    queue: review.queue,
    area,
    iri,
    label,
    pid,
    class_name: content.className,
    present: 1,
    status: settled.status,
    state: found.state,
    submitter: byUser ? committer : (kept?.submitter ?? null),
    edited_by: byCurator ? committer : (kept?.edited_by ?? null),
    submitted_at: former?.submitted_at ?? submittedAt ?? time,
    stored_at: time,
    batch: batch ?? kept?.batch ?? null,
    message: message ?? kept?.message ?? null,
    answered_at,
    until: settled.until,
    settled_at: settled.settled_at,
    decision: settled.decision,
    requested: message === undefined ? (former?.requested ?? null) : null,
    commented_at: previous?.commented_at ?? null,
    commented_by: previous?.commented_by ?? null,
    faulty_at: null,
    assignee,
    due,
    revision,
    version,
    digest,
    title: found.title,
    valid: found.valid,
    differences: found.differences,
    conflicts: found.conflicts,
    slots: found.slots,
    curated_revision: curated?.revision ?? null,
    base_known: base.base_known,
    base_revision: base.base_revision,
    base_class: base.base_class,
    base_json: base.base_json,
  };
}

/** A row that is compared with the curated record, and settled by decisions. */
export async function assessed(
  review: ReviewDraft,
  { version, now }: ReviewContext,
  row: Submission,
  submitted: ReadContent,
  curated: RecordVersion | undefined,
): Promise<Submission> {
  const found = await submitted.assess(curated, baseOfRow(row));
  const settled = review.settledBy(row.iri, found.digest, row.answered_at);
  // Its content is the same, so the schema is another one.
  const faulty_at = found.valid ? null : row.valid ? now().getTime() * 1000 : row.faulty_at;
  return { ...row, ...found, ...settled, faulty_at, version, curated_revision: curated?.revision ?? null };
}

/**
 * The submission in a zone as it is now, whatever its row says: areas are adopted without rows, and schemas change.
 * Rows and decisions on the IRI have been read.
 */
export async function currentSubmission(
  review: ReviewDraft,
  context: ReviewContext,
  zone: ZoneOf,
  iri: string,
): Promise<Submission | undefined> {
  const record = await review.record(zone.area, iri);
  if (!record) return undefined;
  const row = review.row(zone.area, iri);
  const isReported = row?.present === 1 && row.revision === record.revision;
  if (isReported && row.version === context.version && row.label === zone.label) return row;
  const curated = await review.record(context.parts.curated.area.id, iri);
  if (!isReported) return keptByEntries(review, context, zone, { ...record, iri }, curated);
  return assessed(
    review,
    context,
    { ...row, label: zone.label },
    await context.parts.work.read(record),
    curated,
  );
}

/** The submission of a record, which has to exist. @throws ServiceError `record_missing` */
export async function presentSubmission(
  review: ReviewDraft,
  context: ReviewContext,
  zone: ZoneOf | undefined,
  { iri, pid }: { readonly iri: string; readonly pid: string },
): Promise<Submission> {
  await review.loadRows([iri]);
  await review.loadDecisions([iri]);
  const row = zone && (await currentSubmission(review, context, zone, iri));
  if (row) return row;
  throw new ServiceError(
    'record_missing',
    `No submission with the pid '${pid}' waits in the zone. It may have been withdrawn or accepted.`,
  );
}

function submissionTimeIn({ schema, tags }: ReviewContext['parts'], content: Content): number | undefined {
  return content.json.length < LONG_BODY ? submissionTime(schema, recordOf(content), tags) : undefined;
}

/** Reads from entries what the row of a submission does not have. */
async function keptByEntries(
  review: ReviewDraft,
  context: ReviewContext,
  zone: ZoneOf,
  record: RecordVersion & { readonly iri: string },
  curated: RecordVersion | undefined,
): Promise<Submission> {
  const { parts } = context;
  const row = review.row(zone.area, record.iri);
  const { store } = (await parts.zones.existing(zone.label))!;
  const query = { iris: [record.iri], after: row?.revision ?? 0, newestFirst: true, limit: LOOK_BACK };
  const stored = async (entry: Entry, json: string, previous: Submission | undefined) => {
    const content = await parts.work.read({ className: entry.className, json });
    const isEdit = entry.role !== 'submitter' && entry.role !== null;
    const base = (previous?.digest === content.digest || isEdit) && previous ? previous : UNKNOWN_BASE;
    const time = microsecondsOf(entry.time);
    // An import has the time of a file, or its own; the record itself may say when it was submitted. Nothing was before 1970.
    const said =
      entry.role === null ? submissionTimeIn(parts, { className: entry.className, json }) : undefined;
    const submittedAt = said !== undefined && said > 0 && said < time ? said : undefined;
    const made = { ...entry, content, time, submittedAt, previous, base };
    return storedRow(review, context, zone, made, curated);
  };
  let previous = row?.present ? row : undefined;
  for (const entry of (await store.entries(query)).reverse())
    previous = entry.json === null ? undefined : await stored(entry, entry.json, previous);
  if (previous) return { ...previous, revision: record.revision };
  const unknown = { role: null, committer: null, time: 0, previous, base: UNKNOWN_BASE };
  const content = await parts.work.read(record);
  return storedRow(review, context, zone, { ...record, ...unknown, content }, curated);
}
