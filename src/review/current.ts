/** The row of a submission, made from what was stored and from what was known of it before. */
import type { Entry } from '../storage/store.ts';
import { microsecondsOf } from '../storage/times.ts';
import { assess, claimOfContent, type ReadContent, readContent } from './assess.ts';
import { type Base, baseOf, UNKNOWN_BASE } from './base.ts';
import type { Making } from './parts.ts';
import type { Held, ReviewDraft } from './review-draft.ts';
import { baseOfRow, type Submission } from './submission.ts';

/** A zone, and the label under which it is listed. */
export type ZoneOf = { readonly area: number; readonly label: string };

/** A store into a zone. */
export type Stored = Pick<Entry, 'iri' | 'pid' | 'className' | 'role' | 'committer' | 'batch' | 'message'> & {
  readonly json: string;
  readonly revision: number;
  readonly time: number;
};

/** Entries of one record that are read for a submission without a row. */
const LOOK_BACK = 50;

/**
 * The row after a store, not yet compared.
 *
 * @param there the submission that is replaced, if there is one in the zone
 */
export function storedRow(
  of: ZoneOf & Pick<Submission, 'queue' | 'version'>,
  stored: Stored,
  there: Submission | undefined,
  digest: string,
  base: Base,
): Submission {
  const { role, committer, batch, message, time } = stored;
  const byUser = role === 'submitter';
  const byCurator = role !== null && !byUser;
  // What a curator edits stays the submission that it was; what another program writes is a new one.
  const former = there?.digest === digest || byCurator ? there : undefined;
  const own = byUser
    ? { submitter: committer, edited_by: null, batch: batch ?? null, message: message ?? null }
    : {
        submitter: former?.submitter ?? null,
        edited_by: byCurator ? committer : (former?.edited_by ?? null),
        batch: batch ?? former?.batch ?? null,
        message: message ?? former?.message ?? null,
      };
  return {
    ...of,
    ...{ iri: stored.iri, pid: stored.pid, class_name: stored.className },
    ...NEW,
    ...own,
    submitted_at: former?.submitted_at ?? time,
    stored_at: time,
    answered_at: message !== undefined ? time : (there?.answered_at ?? null),
    ...{ revision: stored.revision, digest },
    ...baseOf(base),
  };
}

/** Before it is compared and settled. */
const NEW = {
  ...({
    present: 1,
    status: 'waiting',
    until: null,
    settled_at: null,
    decision: null,
    state: 'new',
  } as const),
  ...({ title: null, valid: 0, differences: 0, conflicts: 0, slots: '[]', curated_revision: null } as const),
};

/** A row that is compared with the curated record, and settled by decisions. */
export function assessed(
  review: ReviewDraft,
  { parts, version }: Making,
  row: Submission,
  submitted: ReadContent,
  curated: Held | undefined,
): Submission {
  const found = assess(parts, submitted, curated, baseOfRow(row));
  return review.settled({ ...row, ...found, version, curated_revision: curated?.revision ?? null });
}

/**
 * The submission in a zone as it is now, whatever its row says: areas are adopted without rows, and schemas change.
 * Rows and decisions on the IRI have been read.
 */
export async function currentSubmission(
  review: ReviewDraft,
  making: Making,
  zone: ZoneOf,
  iri: string,
): Promise<Submission | undefined> {
  const record = await review.record(zone.area, iri);
  if (!record) return undefined;
  const row = review.row(zone.area, iri);
  const isTold = row?.present === 1 && row.revision === record.revision;
  if (isTold && row.version === making.version && row.label === zone.label) return row;
  const own = isTold
    ? { ...row, label: zone.label }
    : await toldByEntries(review, making, zone, row, { ...record, iri });
  const curated = await review.record(making.parts.curated.area.id, iri);
  return assessed(review, making, own, readContent(making.parts, record), curated);
}

/** What entries say that its row does not. */
async function toldByEntries(
  { queue }: ReviewDraft,
  { parts, version }: Making,
  zone: ZoneOf,
  row: Submission | undefined,
  record: Held & { readonly iri: string },
): Promise<Submission> {
  const { zones } = parts;
  const of = { ...zone, queue, version };
  const { store } = (await zones.existing(zone.label))!;
  const entries = await store.entries({
    iris: [record.iri],
    after: row?.revision ?? 0,
    newestFirst: true,
    limit: LOOK_BACK,
  });
  let there = row?.present ? row : undefined;
  for (const entry of entries.reverse()) {
    if (entry.json === null) there = undefined;
    else {
      const stored = { ...entry, json: entry.json, time: microsecondsOf(entry.time) };
      const { digest } = claimOfContent(parts, stored);
      const isKept = there?.digest === digest || (entry.role !== 'submitter' && entry.role !== null);
      there = storedRow(of, stored, there, digest, (isKept && there) || UNKNOWN_BASE);
    }
  }
  if (there) return { ...there, revision: record.revision };
  const unknown = { ...record, role: null, committer: null, time: 0 };
  return storedRow(of, unknown, undefined, '', UNKNOWN_BASE);
}
