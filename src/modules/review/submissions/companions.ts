/** Changes the rows of submissions in the transaction that changes the records. */
import { compareCodePoints } from '#linkml/json.ts';
import { readCursor, startCursorAt } from '../../../core/storage/cursors.ts';
import type { Companion } from '../../../core/storage/database.ts';
import { type Actor, type AreaId, type Change, iriOfChange } from '../../../core/storage/store.ts';
import { yielder } from '../../../core/yield.ts';
import { contextOf, cursorOf, type ReviewContext, type ReviewParts } from '../parts.ts';
import { baseFrom, namedBase, type SubmissionContext, UNKNOWN_BASE } from './base.ts';
import { assessed, currentSubmission, storedRow, type ZoneOf } from './current.ts';
import { type RecordVersion, type ReviewDraft, reviewDraft } from './review-draft.ts';
import { AT_COMMIT, type Submission } from './submission.ts';

type ReviewCompanions = {
  readonly curated: Companion;
  /** @param label the first of those that name the zone */
  zone(label: string): Companion;
};

/** Returns a function that finds the companion of the area with a path. */
export function companionOf(
  companions: ReviewCompanions,
  curated: Pick<AreaId, 'path'>,
  zones: { labelsAt(path: string): Iterable<string> },
): (path: string) => Companion | undefined {
  return (path) => {
    if (path === curated.path) return companions.curated;
    const [label] = [...zones.labelsAt(path)].sort(compareCodePoints);
    return label === undefined ? undefined : companions.zone(label);
  };
}

export function reviewCompanions(parts: ReviewParts): ReviewCompanions {
  const context = contextOf(parts);
  return { curated: curatedCompanion(context), zone: zoneCompanions(context) };
}

/** Changes of the curated area: submissions are compared with their records again, and settled if they are the same. */
function curatedCompanion(context: ReviewContext): Companion {
  const { work } = context.parts;
  return async (draft, area, changes) => {
    const queue = await context.queue();
    const review = reviewDraft(draft, context, queue);
    await review.loadRows(changes.map(iriOfChange), true);
    const last = new Map(changes.map((change) => [iriOfChange(change), change]));
    const isAffected = (row: Submission) =>
      row.queue === queue && (row.present === 1 || row.status === 'removed');
    for (const [iri, change] of last) review.setRecord(area.id, iri, versionAfter(change));
    const affected = [...last.keys()].flatMap((iri) => review.rows(iri).filter(isAffected));
    if (affected.length === 0) return;
    await review.loadDecisions(affected.map(({ iri }) => iri));
    const yieldIfDue = yielder();
    for (const row of affected) {
      await yieldIfDue();
      const record = await review.record(area.id, row.iri);
      const submitted = row.present && (await review.record(row.area, row.iri));
      if (submitted) review.put(await assessed(review, context, row, await work.read(submitted), record));
      else if (!row.present && record && (await work.read(record)).digest === row.digest)
        review.put({ ...row, status: 'accepted' });
    }
    review.flush();
  };
}

/** Changes of zones: submissions arrive, are replaced, and leave. */
function zoneCompanions(context: ReviewContext): ReviewCompanions['zone'] {
  const { parts } = context;
  const reconciled = new Set<number>();

  return (label) => async (draft, area, changes, by) => {
    const review = reviewDraft(draft, context, await context.queue());
    const zone: ZoneOf = { area: area.id, label };
    const iris = [...new Set(changes.map(iriOfChange))];
    await review.load(iris, zone.area);
    const isCurrent = (iri: string) => {
      const row = review.row(zone.area, iri);
      return row?.present === 1 && row.version === context.version;
    };
    // A list, or a record with inlined ones, may have tens of thousands.
    const yieldIfDue = yielder();
    for (const change of changes) {
      await yieldIfDue();
      const iri = iriOfChange(change);
      const previous = isCurrent(iri)
        ? review.row(zone.area, iri)
        : await currentSubmission(review, context, zone, iri);
      const actor = change.by ?? by;
      if ('put' in change) await store(review, zone, change, previous, actor);
      else if (previous) leave(review, change, previous, actor);
      review.setRecord(zone.area, iri, versionAfter(change));
    }
    if (!(await isReconciled(review.queue, zone))) {
      const { name, version } = cursorOf(context, review.queue, zone);
      startCursorAt(draft, name, area.id, { version, revision: changes.length });
    }
    review.flush();
  };

  async function store(
    review: ReviewDraft,
    zone: ZoneOf,
    { put, note, context: submission = {} }: Extract<Change, { put: unknown }>,
    previous: Submission | undefined,
    actor: Actor | null,
  ): Promise<void> {
    const role = actor?.role ?? null;
    const { iri, pid } = put;
    const { basedOn, restored, isChecked } = submission as SubmissionContext;
    const content = await parts.work.read({ ...put, isChecked });
    const record = await review.record(parts.curated.area.id, iri);
    const isSame = previous?.digest === content.digest;
    const named = !isSame && basedOn ? await namedBase(parts, iri, basedOn) : undefined;
    const usual = role === null ? UNKNOWN_BASE : (previous ?? baseFrom(record));
    const base = previous && isSame ? previous : (named ?? usual);
    const by = { role, committer: actor?.committer ?? null, ...note };
    const stored = { iri, pid, ...by, content, revision: AT_COMMIT, time: AT_COMMIT, previous, base };
    const row = await storedRow(review, context, zone, stored, record);
    const next = restored ? assessed(review, context, { ...row, ...restored }, content, record) : row;
    review.put(await next, true);
  }

  /** Whether the rows of a zone are known to be reconciled with its records. A zone that had nothing before a change has all of them. */
  async function isReconciled(queue: number, zone: ZoneOf): Promise<boolean> {
    if (reconciled.has(zone.area)) return true;
    const { name, version } = cursorOf(context, queue, zone);
    const [, found] = (await readCursor(parts.database, name, zone.area)) ?? [];
    if (found === version) reconciled.add(zone.area);
    return found === version;
  }
}

function leave(review: ReviewDraft, { note }: Change, previous: Submission, actor: Actor | null): void {
  const decision = note?.decision ?? null;
  const isWithdrawn = actor?.role === 'submitter';
  const isAccepted = decision !== null || (!isWithdrawn && previous.state === 'same');
  const status = isAccepted ? 'accepted' : isWithdrawn ? 'withdrawn' : 'removed';
  review.put({
    ...previous,
    ...({
      present: 0,
      status,
      until: null,
      settled_at: AT_COMMIT,
      revision: AT_COMMIT,
      decision,
      requested: null,
    } as const),
  });
}

/**
 * Which staged changes concern submissions, as a condition on the staged change `p`: those of records that have one. Who shares the
 * area as a zone has a submission for each of its records.
 */
export const CONCERNED =
  'EXISTS (SELECT 1 FROM accession_submission s WHERE s.iri = p.iri OR s.iri = p.new_iri)';

function versionAfter(change: Change): RecordVersion | undefined {
  return 'put' in change ? { ...change.put, revision: AT_COMMIT } : undefined;
}
