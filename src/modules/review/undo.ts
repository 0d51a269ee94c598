/** Taking decisions back: what they changed is as before. */
import type { RecordText } from '../../core/records/record.ts';
import type { AreaId, Change } from '../../core/storage/store.ts';
import type { SubmissionContext } from './base.ts';
import type {} from './codes.ts';
import type { Content } from './content.ts';
import { actorFor } from './decide.ts';
import { type DecisionRow, decisionOf, keptBy, markUndone, stepOf } from './decisions.ts';
import type { Kept } from './kept.ts';
import type { ReviewContext, Reviewer, ReviewParts } from './parts.ts';
import { type ReviewDraft, reviewDraft } from './review-draft.ts';
import { NOT_DUE } from './submission.ts';
import type { Decision } from './types.ts';
import { Refusal } from './words.ts';

/**
 * Undoes a decision and its group, or none of it.
 *
 * @throws ServiceError `record_missing`, Refusal `already_undone`, `curated_changed`, `zone_changed`
 */
export async function undoDecisions(
  context: ReviewContext,
  id: string,
  reviewer: Reviewer,
): Promise<Decision> {
  const { transact, curated } = context.parts;
  const by = actorFor(reviewer.userId, null);
  return transact(async (draft) => {
    const group = await stepOf(draft, context, id);
    requireStanding(context, group);
    const at = context.time();
    const iris = group.map(({ iri }) => iri);
    const review = reviewDraft(draft, context, await context.queue());
    await review.loadRows(iris);
    await review.loadDecisions(iris);
    const ids = new Set(group.map((one) => one.id));
    for (const { iri } of group) review.undoDecisions(iri, ids, at);
    const returned: { readonly zone: AreaId; readonly change: Change }[] = [];
    const restored: Change[] = [];
    for (const one of group) {
      if (one.decision !== 'accept') continue;
      const kept = await keptBy(draft, context, one.id);
      if (!kept) {
        throw new Refusal(
          'zone_changed',
          `The decision on '${one.pid}' cannot be undone, since its contents were removed for privacy.`,
        );
      }
      const change = await changeBack(context, review, one, kept);
      if (change) restored.push({ ...change, note: { decision: one.id } });
      returned.push(await changeOfZone(context, review, one, kept, reviewer));
    }
    for (const ofZone of Map.groupBy(returned, ({ zone }) => zone.id).values()) {
      const changes = ofZone.map(({ change }) => change);
      await draft.write(ofZone[0]!.zone, changes, by);
    }
    if (restored.length > 0) await draft.write(curated.area, restored, by);
    for (const { iri, digest } of group) review.settle(iri, digest);
    markUndone(draft, context, { step: group[0]!.step, by: reviewer.userId, at });
    review.flush();
    const own = group.find((one) => one.id === id)!;
    return decisionOf(context, { ...own, undone_by: reviewer.userId, undone_at: at });
  });
}

function requireStanding(context: ReviewContext, group: readonly DecisionRow[]): void {
  const former = group.map((one) => decisionOf(context, one)).find(({ undone }) => undone)?.undone;
  if (!former) return;
  const { reviewer: by, time } = former;
  throw new Refusal(
    'already_undone',
    `The decision was undone by ${by ?? 'a curator'} on ${time.slice(0, 10)}.`,
  );
}

/** The change that makes the curated record what it was; none if the accept did not change it. */
async function changeBack(
  { parts }: ReviewContext,
  review: ReviewDraft,
  { iri, pid, after_revision }: DecisionRow,
  { before, after }: Kept,
): Promise<Change | undefined> {
  const curated = await review.record(parts.curated.area.id, iri);
  if (!curated || curated.revision !== after_revision) {
    throw new Refusal(
      'curated_changed',
      `The curated record '${pid}' was changed after the decision, so the decision cannot be undone. Edit the record instead.`,
    );
  }
  if (!before) return { delete: iri };
  if (before.json === after?.json && before.className === after.className) return undefined;
  return { put: await textOf(parts, { iri, pid }, before) };
}

/** The change that puts the submission back into its zone. */
async function changeOfZone(
  { parts }: ReviewContext,
  review: ReviewDraft,
  { id, iri, pid, label, submitter, edited_by }: DecisionRow,
  { submitted, submission }: Kept,
  reviewer: Reviewer,
): Promise<{ readonly zone: AreaId; readonly change: Change }> {
  const zone = (await parts.zones.existing(label))?.store.area;
  if (!zone || (await review.record(zone.id, iri))) {
    throw new Refusal(
      'zone_changed',
      `The zone '${label}' has another submission with the pid '${pid}' by now. Decide on that one instead.`,
    );
  }
  const { assignee = '', due = NOT_DUE } = review.row(zone.id, iri) ?? {};
  const context: SubmissionContext = {
    restored: { submitter, edited_by, assignee, due, ...submission },
  };
  const by = actorFor(reviewer.userId, submitter);
  const put = { ...(await textOf(parts, { iri, pid }, submitted)), pid };
  return { zone, change: { put, note: { decision: id }, by, context } };
}

/** @returns the record with its own pid, which may be another spelling */
async function textOf(
  { work }: ReviewParts,
  { iri, pid }: Pick<DecisionRow, 'iri' | 'pid'>,
  content: Content,
): Promise<RecordText> {
  const { pid: own = pid, links } = await work.identified(content);
  return { iri, pid: own, ...content, links };
}
