/** Taking decisions back: what they changed is as before. */
import { isServiceError, isStorageFailure, orRefusal, type ServiceError } from '../../../core/errors.ts';
import type { RecordText } from '../../../core/records/record.ts';
import type { Draft } from '../../../core/storage/database.ts';
import type { AreaId, Change } from '../../../core/storage/store.ts';
import type {} from '../codes.ts';
import type { ReviewContext, Reviewer, ReviewParts } from '../parts.ts';
import { Refusal } from '../queue/words.ts';
import { NOT_DUE } from '../states.ts';
import type { SubmissionContext } from '../submissions/base.ts';
import { type ReviewDraft, reviewDraft } from '../submissions/review-draft.ts';
import type { Decision } from '../types.ts';
import type { Content } from './content.ts';
import { actorFor, alreadyDecided } from './decide.ts';
import { inRuns } from './decision-runs.ts';
import {
  bytesKept,
  type DecisionRow,
  decisionMissing,
  decisionOf,
  keptByAll,
  markUndone,
  stepsOf,
} from './decisions.ts';
import type { Kept } from './kept.ts';

/** The outcome of one undo of several. */
export type UndoOutcome = { readonly id: string } & (
  | { readonly decision: Decision }
  | { readonly error: ServiceError }
);

/**
 * Undoes a decision and its group, or none of it.
 *
 * @throws ServiceError `record_missing`, Refusal `already_undone`, `curated_changed`, `zone_changed`
 */
export async function undoDecision(
  context: ReviewContext,
  id: string,
  reviewer: Reviewer,
): Promise<Decision> {
  const [outcome] = await undoTogether(context, [id], reviewer);
  if ('error' in outcome!) throw outcome.error;
  return outcome!.decision;
}

/** Undoes decisions in the given order, each with its group: one that is refused changes nothing of the others. */
export async function undoAll(
  context: ReviewContext,
  ids: readonly string[],
  reviewer: Reviewer,
): Promise<UndoOutcome[]> {
  const rows = await stepsOf(context.parts.database, context, ids);
  const bytes = await bytesKept(
    context,
    rows.map(({ id }) => id),
  );
  const groups = groupsOf(rows);
  const runs = inRuns(ids, (id) => {
    const group = groups.get(id) ?? [];
    return {
      iris: group.map(({ iri }) => iri),
      bytes: group.reduce((sum, one) => sum + (bytes.get(one.id) ?? 0), 0),
    };
  });
  const outcomes: UndoOutcome[] = [];
  for (const run of runs) outcomes.push(...(await undoTogether(context, run, reviewer)));
  return outcomes;
}

/** By the id of each decision, its group. */
function groupsOf(rows: readonly DecisionRow[]): ReadonlyMap<string, readonly DecisionRow[]> {
  const steps = Map.groupBy(rows, ({ step }) => step);
  return new Map(rows.map(({ id, step }) => [id, steps.get(step)!]));
}

/** What undoes a group of decisions. */
type Plan = {
  readonly group: readonly DecisionRow[];
  readonly returned: readonly { readonly zone: AreaId; readonly change: Change }[];
  readonly restored: readonly Change[];
};

/** Undoes decisions on different records in one transaction. */
async function undoTogether(
  context: ReviewContext,
  ids: readonly string[],
  reviewer: Reviewer,
): Promise<UndoOutcome[]> {
  try {
    return await context.parts.transact(async (draft) => {
      const rows = await stepsOf(draft, context, ids);
      const groups = groupsOf(rows);
      const review = reviewDraft(draft, context, await context.queue());
      const iris = rows.map(({ iri }) => iri);
      await review.loadRows(iris);
      await review.loadDecisions(iris);
      await review.loadRecords(await areasOf(context, rows), iris);
      const accepts = rows.filter(({ decision }) => decision === 'accept');
      const kept = await keptByAll(
        draft,
        context,
        accepts.map(({ id }) => id),
      );
      const plans = new Map<string, Plan | ServiceError>();
      for (const id of ids) {
        const group = groups.get(id);
        plans.set(
          id,
          group ? await orRefusal(planUndo(context, review, group, kept, reviewer)) : decisionMissing(id),
        );
      }
      const at = context.time();
      const planned = [...plans.values()].flatMap((plan) => (isServiceError(plan) ? [] : plan));
      await carryOut(draft, context, review, planned, { reviewer, at });
      return ids.map((id): UndoOutcome => {
        const plan = plans.get(id)!;
        if (isServiceError(plan)) return { id, error: plan };
        const own = plan.group.find((one) => one.id === id)!;
        const undone = { ...own, undone_by: reviewer.userId, undone_at: at };
        return { id, decision: decisionOf(context, undone) };
      });
    });
  } catch (error) {
    if (!isServiceError(error)) throw error;
    // If the storage failed, the commit may have been made: made again, it would be refused as undone before.
    if (ids.length === 1 || isStorageFailure(error)) return ids.map((id) => ({ id, error }));
    // The commit was refused because of one of them.
    const outcomes: UndoOutcome[] = [];
    for (const id of ids) outcomes.push(...(await undoTogether(context, [id], reviewer)));
    return outcomes;
  }
}

/** The curated area and the zones of decisions. */
async function areasOf({ parts }: ReviewContext, rows: readonly DecisionRow[]): Promise<number[]> {
  const labels = [...new Set(rows.map(({ label }) => label))];
  const zones = await Promise.all(labels.map((label) => parts.zones.existing(label)));
  return [parts.curated.area.id, ...zones.flatMap((zone) => zone?.store.area.id ?? [])];
}

/** @throws Refusal `already_undone`, `already_decided`, `curated_changed`, `zone_changed` */
async function planUndo(
  context: ReviewContext,
  review: ReviewDraft,
  group: readonly DecisionRow[],
  keptBy: ReadonlyMap<string, Kept>,
  reviewer: Reviewer,
): Promise<Plan> {
  requireStanding(context, group);
  const returned: { readonly zone: AreaId; readonly change: Change }[] = [];
  const restored: Change[] = [];
  for (const one of group) {
    if (one.decision === 'approve') requireOpen(context, review, one);
    if (one.decision !== 'accept') continue;
    const kept = keptBy.get(one.id);
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
  return { group, returned, restored };
}

/** Adds what the undo of groups does to the transaction. */
async function carryOut(
  draft: Draft,
  context: ReviewContext,
  review: ReviewDraft,
  plans: readonly Plan[],
  { reviewer, at }: { readonly reviewer: Reviewer; readonly at: number },
): Promise<void> {
  const by = actorFor(reviewer.userId, null);
  const rows = plans.flatMap(({ group }) => group);
  const ids = new Set(rows.map(({ id }) => id));
  for (const { iri } of rows) review.undoDecisions(iri, ids, at);
  const returned = plans.flatMap((plan) => plan.returned);
  for (const ofZone of Map.groupBy(returned, ({ zone }) => zone.id).values()) {
    const changes = ofZone.map(({ change }) => change);
    await draft.write(ofZone[0]!.zone, changes, by);
  }
  const restored = plans.flatMap((plan) => plan.restored);
  if (restored.length > 0) await draft.write(context.parts.curated.area, restored, by);
  for (const { iri, digest } of rows) review.settle(iri, digest);
  for (const { group } of plans)
    markUndone(draft, context, { step: group[0]!.step, by: reviewer.userId, at });
  review.flush();
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

/** An approval stays while the submission is accepted with it. @throws Refusal `already_decided` */
function requireOpen(
  context: ReviewContext,
  review: ReviewDraft,
  { id, iri, label, digest }: DecisionRow,
): void {
  const accept = review
    .decisions(iri)
    .find(
      (one) =>
        one.decision === 'accept' &&
        one.undone_at === null &&
        one.id > id &&
        one.label === label &&
        one.digest === digest,
    );
  if (accept) throw alreadyDecided(decisionOf(context, accept), 'accepted', 'Undo that decision instead.');
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
