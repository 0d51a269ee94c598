/** Changes the rows of submissions in the transaction that changes the records. */
import { compareCodePoints } from '../../json.ts';
import { readCursor, startCursorAt } from '../../storage/cursors.ts';
import type { Companion } from '../../storage/database.ts';
import { type Actor, type AreaId, type Change, iriOfChange } from '../../storage/store.ts';
import { yielder } from '../../yield.ts';
import { baseFrom, namedBase, type SubmissionContext, UNKNOWN_BASE } from './base.ts';
import { assessed, currentSubmission, storedRow, type ZoneOf } from './current.ts';
import { cursorOf, makingOf, type ReviewParts } from './parts.ts';
import { type Held, type ReviewDraft, reviewDraft } from './review-draft.ts';
import { NOW, type Submission } from './submission.ts';

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
  const making = makingOf(parts);
  const { curated } = parts;
  const complete = new Set<number>();

  return {
    async curated(draft, area, changes) {
      const queue = await making.queue();
      const review = reviewDraft(draft, making, queue);
      await review.loadRows(changes.map(iriOfChange));
      const last = new Map(changes.map((change) => [iriOfChange(change), change]));
      const isAffected = (row: Submission) =>
        row.queue === queue && (row.present === 1 || row.status === 'removed');
      for (const [iri, change] of last) review.setRecord(area.id, iri, heldAfter(change));
      const affected = [...last.keys()].flatMap((iri) => review.rows(iri).filter(isAffected));
      if (affected.length === 0) return;
      await review.loadDecisions(affected.map(({ iri }) => iri));
      const yieldIfDue = yielder();
      for (const row of affected) {
        await yieldIfDue();
        const record = await review.record(area.id, row.iri);
        const submitted = row.present && (await review.record(row.area, row.iri));
        if (submitted)
          review.put(await assessed(review, making, row, await parts.work.read(submitted), record));
        else if (!row.present && record && (await parts.work.read(record)).digest === row.digest)
          review.put({ ...row, status: 'accepted' });
      }
      review.flush();
    },

    zone: (label) => async (draft, area, changes, by) => {
      const review = reviewDraft(draft, making, await making.queue());
      const zone: ZoneOf = { area: area.id, label };
      const iris = [...new Set(changes.map(iriOfChange))];
      await review.load(iris, zone.area);
      const isCurrent = (iri: string) => {
        const row = review.row(zone.area, iri);
        return row?.present === 1 && row.version === making.version;
      };
      // A list, or a record with inlined ones, may have tens of thousands.
      const yieldIfDue = yielder();
      for (const change of changes) {
        await yieldIfDue();
        const iri = iriOfChange(change);
        const there = isCurrent(iri)
          ? review.row(zone.area, iri)
          : await currentSubmission(review, making, zone, iri);
        const actor = change.by ?? by;
        if ('put' in change) await store(review, zone, change, there, actor);
        else if (there) leave(review, change, there, actor);
        review.setRecord(zone.area, iri, heldAfter(change));
      }
      if (!(await isComplete(review.queue, zone))) {
        const { name, version } = cursorOf(making, review.queue, zone);
        startCursorAt(draft, name, area.id, { version, revision: changes.length });
      }
      review.flush();
    },
  };

  async function store(
    review: ReviewDraft,
    zone: ZoneOf,
    { put, note, context = {} }: Extract<Change, { put: unknown }>,
    there: Submission | undefined,
    actor: Actor | null,
  ): Promise<void> {
    const role = actor?.role ?? null;
    const { iri, pid } = put;
    const { basedOn, restored, isChecked } = context as SubmissionContext;
    const content = await parts.work.read({ ...put, isChecked });
    const record = await review.record(curated.area.id, iri);
    const isSame = there?.digest === content.digest;
    const named = !isSame && basedOn ? await namedBase(parts, iri, basedOn) : undefined;
    const usual = role === null ? UNKNOWN_BASE : (there ?? baseFrom(record));
    const base = there && isSame ? there : (named ?? usual);
    const by = { role, committer: actor?.committer ?? null, ...note };
    const stored = { iri, pid, ...by, content, revision: NOW, time: NOW, there, base };
    const row = await storedRow(review, making, zone, stored, record);
    const next = restored ? assessed(review, making, { ...row, ...restored }, content, record) : row;
    review.put(await next, true);
  }

  /** Whether the rows of a zone are known to be complete. A zone that had nothing before a change has all of them. */
  async function isComplete(queue: number, zone: ZoneOf): Promise<boolean> {
    if (complete.has(zone.area)) return true;
    const { name, version } = cursorOf(making, queue, zone);
    const [, found] = (await readCursor(parts.database, name, zone.area)) ?? [];
    if (found === version) complete.add(zone.area);
    return found === version;
  }

  function leave(review: ReviewDraft, { note }: Change, there: Submission, actor: Actor | null): void {
    const decision = note?.decision ?? null;
    const isWithdrawn = actor?.role === 'submitter';
    const isAccepted = decision !== null || (!isWithdrawn && there.state === 'same');
    const status = isAccepted ? 'accepted' : isWithdrawn ? 'withdrawn' : 'removed';
    review.put({
      ...there,
      ...({
        present: 0,
        status,
        until: null,
        settled_at: NOW,
        revision: NOW,
        decision,
        requested: null,
      } as const),
    });
  }
}

/**
 * Which staged changes concern submissions, as a condition on the staged change `p`: those of records that have one. Who shares the
 * area as a zone has a submission for each of its records.
 */
export const CONCERNED =
  'EXISTS (SELECT 1 FROM accession_submission s WHERE s.iri = p.iri OR s.iri = p.new_iri)';

function heldAfter(change: Change): Held | undefined {
  return 'put' in change ? { ...change.put, revision: NOW } : undefined;
}
