/** Decisions: accept, reject, defer. All that one of them changes, and all that it was checked against, is one transaction. */

import { canonicalJson, parseJson } from '#linkml/json.ts';
import { isServiceError, isStorageFailure, type ServiceError } from '../../../core/errors.ts';
import { isVersion, versionIn } from '../../../core/records/condition.ts';
import { type RecordText, resolvePid } from '../../../core/records/record.ts';
import type { Draft, WriteReceipt } from '../../../core/storage/database.ts';
import type { Actor, AreaId, Change } from '../../../core/storage/store.ts';
import { yielder } from '../../../core/yield.ts';
import type {} from '../codes.ts';
import type { ReviewContext, Reviewer, ReviewParts } from '../parts.ts';
import { Refusal } from '../queue/words.ts';
import { baseOf } from '../submissions/base.ts';
import { currentSubmission } from '../submissions/current.ts';
import { type RecordVersion, type ReviewDraft, reviewDraft } from '../submissions/review-draft.ts';
import { baseOfRow, type Submission } from '../submissions/submission.ts';
import type { Decision } from '../types.ts';
import { approvalsFor, approvalsOf } from './approvals.ts';
import { contentOf } from './content.ts';
import { areaOf, runsOf, zoneOf } from './decision-runs.ts';
import { addDecision, type DecisionRow, decisionOf, newestDecisionId, nextDecisionId } from './decisions.ts';
import type { Kept } from './kept.ts';
import type { Proposal } from './proposal.ts';

/** The outcome of one decision of several. */
export type Outcome = {
  readonly label: string;
  readonly pid: string;
} & ({ readonly decision: Decision } | { readonly error: ServiceError });

/** Makes one decision. @throws ServiceError `label_unknown`, and all refusals in the order in which they are checked */
export async function decide(
  context: ReviewContext,
  proposal: Proposal,
  reviewer: Reviewer,
): Promise<Decision> {
  const [outcome] = await decideTogether(context, [proposal], reviewer);
  if ('error' in outcome!) throw outcome.error;
  return outcome!.decision;
}

/** Makes decisions, each on its own: a refused one changes nothing of the others. */
export async function decideAll(
  context: ReviewContext,
  proposals: readonly Proposal[],
  reviewer: Reviewer,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const run of await runsOf(context, proposals))
    outcomes.push(...(await decideTogether(context, run, reviewer)));
  return outcomes;
}

/** A decision that is about to be made. */
type Planned = {
  readonly decision: DecisionRow;
  readonly kept: Kept;
  readonly zone: AreaId;
  /** The record that an accept stores; undefined if the curated record stays as it is. */
  readonly put: RecordText | undefined;
};

async function decideTogether(
  context: ReviewContext,
  proposals: readonly Proposal[],
  reviewer: Reviewer,
): Promise<Outcome[]> {
  try {
    const { plans, written } = await context.parts.transact(async (draft) => {
      const review = reviewDraft(draft, context, await context.queue());
      const planning = new Planning(context, review, reviewer, await newestDecisionId(context));
      const plans = await planning.plans(proposals);
      const planned = plans.flatMap((plan) => (isServiceError(plan) ? [] : plan));
      return { plans, written: await carryOut(draft, context, review, planned, reviewer) };
    });
    let put = 0;
    return proposals.map(({ label, pid }, at) => {
      const plan = plans[at]!;
      if (isServiceError(plan)) return { label, pid, error: plan };
      const [first] = plan.map((one) =>
        one.put ? { ...one.decision, after_revision: written!.revisions[put++]! } : one.decision,
      );
      return { label, pid, decision: decisionOf(context, first!) };
    });
  } catch (error) {
    if (!isServiceError(error)) throw error;
    // If the storage failed, the commit may have been made: made again, it would be refused as not made.
    if (proposals.length === 1 || isStorageFailure(error))
      return proposals.map(({ label, pid }) => ({ label, pid, error }));
    // The commit was refused because of one of them.
    const outcomes: Outcome[] = [];
    for (const one of proposals) outcomes.push(...(await decideTogether(context, [one], reviewer)));
    return outcomes;
  }
}

/** Adds what the decisions do to the transaction. @returns the write to the curated area, if there is one */
async function carryOut(
  draft: Draft,
  context: ReviewContext,
  review: ReviewDraft,
  planned: readonly Planned[],
  reviewer: Reviewer,
): Promise<WriteReceipt | undefined> {
  const by = actorFor(reviewer.userId, null);
  const changing = ({ decision: { id, submitter } }: Planned) => ({
    note: { decision: id },
    by: actorFor(reviewer.userId, submitter),
  });
  for (const { decision } of planned) review.addDecision(decision);
  // Zones first: a submission that has left is not compared with what it became.
  const accepts = planned.filter(({ decision }) => decision.decision === 'accept');
  for (const ofZone of Map.groupBy(accepts, ({ zone }) => zone.id).values()) {
    const deletes = ofZone.map((one): Change => ({ delete: one.decision.iri, ...changing(one) }));
    await draft.write(ofZone[0]!.zone, deletes, by);
  }
  const puts = accepts.flatMap((one) => (one.put ? { put: one.put, ...changing(one) } : []));
  const written = puts.length > 0 ? await draft.write(context.parts.curated.area, puts, by) : undefined;
  let put = 0;
  for (const one of planned) {
    const after = one.put ? written!.revision(put++) : one.decision.after_revision;
    addDecision(draft, context, one.decision, one.kept, after);
    review.settle(one.decision.iri, one.decision.digest);
  }
  review.flush();
  return written;
}

/** Who changes a store by a decision: the curator, on behalf of the submitter. */
export function actorFor(reviewer: string, submitter: string | null): Actor {
  return { committer: reviewer, author: submitter ?? reviewer, role: 'curator' };
}

/** A submission as it is now, next to the curated record. */
type Loaded = {
  readonly row: Submission;
  readonly submitted: RecordVersion;
  readonly curated: RecordVersion | undefined;
  readonly zone: AreaId;
};

type Wanted = Pick<Proposal, 'label' | 'pid' | 'digest' | 'overturn'> & Partial<Pick<Proposal, 'ifCurated'>>;

/** Checks decisions against what submissions and curated records are now. */
class Planning {
  readonly #context: ReviewContext;
  readonly #review: ReviewDraft;
  readonly #reviewer: Reviewer;
  #lastId: string;

  constructor(context: ReviewContext, review: ReviewDraft, reviewer: Reviewer, lastId: string) {
    this.#context = context;
    this.#review = review;
    this.#reviewer = reviewer;
    this.#lastId = lastId;
  }

  /** @returns for each the decision and, with references, those on them; or why it is refused */
  async plans(proposals: readonly Proposal[]): Promise<(readonly Planned[] | ServiceError)[]> {
    await this.#read(proposals);
    const plans: (readonly Planned[] | ServiceError)[] = [];
    const yieldIfDue = yielder();
    for (const proposal of proposals) {
      await yieldIfDue();
      const plan = proposal.decision === 'accept' ? this.#accept(proposal) : this.#refuse(proposal);
      plans.push(
        await plan.catch((error: unknown) => {
          if (isServiceError(error)) return error;
          throw error;
        }),
      );
    }
    return plans;
  }

  /** Reads all that the decisions are about, with few statements. */
  async #read(proposals: readonly Proposal[]): Promise<void> {
    const { parts } = this.#context;
    const pids = proposals.flatMap((one) => [one.pid, ...one.references.map(({ pid }) => pid)]);
    const iris = [...new Set(pids.flatMap((pid) => parts.schema.expand(pid) ?? []))];
    const areas = new Set([parts.curated.area.id]);
    for (const label of new Set(proposals.map((one) => one.label))) {
      const area = await areaOf(parts, label);
      if (area !== undefined) areas.add(area);
    }
    await this.#review.loadRecords([...areas], iris);
    await this.#review.loadRows(iris);
    // Read last, so that a submission that has left is known to have been decided.
    await this.#review.loadDecisions(iris);
  }

  async #refuse(proposal: Proposal): Promise<Planned[]> {
    return [this.#planned(await this.#load(proposal), proposal)];
  }

  async #accept(proposal: Proposal): Promise<Planned[]> {
    const { label, overturn } = proposal;
    const all = [await this.#load(proposal)];
    for (const { pid, digest } of proposal.references) {
      const other = await this.#load({ label, pid, digest, overturn });
      if (all.every(({ row }) => row.iri !== other.row.iri)) all.push(other);
    }
    const results: RecordText[] = [];
    for (const [at, one] of all.entries())
      results.push(await resultOf(this.#context.parts, one, at === 0 ? proposal : {}));
    const decision = await this.#approved(all, results);
    const planned: Planned[] = [];
    for (const [at, one] of all.entries())
      planned.push(this.#planned(one, { ...proposal, decision }, results[at], planned[0]?.decision.step));
    return planned;
  }

  /**
   * Whether the accept of this curator accepts, or approves until another one accepts, too. What is accepted in one step is
   * accepted or approved together.
   *
   * @throws Refusal `own_submission`, `already_decided`
   */
  async #approved(all: readonly Loaded[], results: readonly RecordText[]): Promise<'accept' | 'approve'> {
    const { approvals: required = 1 } = await this.#review.settings();
    if (required === 1) return 'accept';
    const { userId } = this.#reviewer;
    let isEnough = true;
    let own: DecisionRow | undefined;
    let approvedBefore = 0;
    for (const [at, { row }] of all.entries()) {
      if (row.submitter === userId) {
        throw new Refusal(
          'own_submission',
          `You have submitted '${row.pid}'. In this collection, two others have to accept it.`,
        );
      }
      const approvals = approvalsOf(row, this.#review.decisions(row.iri));
      const same = await approvalsFor(this.#review.draft, this.#context, approvals, contentOf(results[at]!));
      const before = same.find(({ reviewer }) => reviewer === userId);
      own ??= before;
      if (before) approvedBefore++;
      if (new Set([userId, ...same.map(({ reviewer }) => reviewer)]).size < required) isEnough = false;
    }
    if (!isEnough && own && approvedBefore === all.length)
      throw alreadyDecided(
        decisionOf(this.#context, own),
        'approved',
        'Another curator has to accept it, too.',
      );
    return isEnough ? 'accept' : 'approve';
  }

  /** @throws Refusal in the order in which conditions are checked */
  async #load(wanted: Wanted): Promise<Loaded> {
    const { parts } = this.#context;
    const { schema, zones } = parts;
    const { pid, digest } = wanted;
    const iri = resolvePid(schema, pid);
    const zone = await zoneOf(parts, wanted.label);
    const label = zones.first(wanted.label);
    const review = this.#review;
    await review.loadRows([iri]);
    await review.loadDecisions([iri]);
    const area = zone?.store.area;
    const of = area && { area: area.id, label };
    const submitted = of && (await review.record(of.area, iri));
    const row = of && (await currentSubmission(review, this.#context, of, iri));
    const decided = review
      .decisions(iri)
      .filter((one) => one.undone_at === null && one.decision !== 'approve');
    const known = (one: DecisionRow) => decisionOf(this.#context, one);
    if (!area || !row || !submitted) {
      const earlier = decided.find(
        (one) => one.decision === 'accept' && one.label === label && one.digest === digest,
      );
      if (earlier) throw alreadyDecided(known(earlier), 'accepted', 'It has left the zone.');
      throw new Refusal(
        'record_missing',
        `The zone '${label}' has no submission with the pid '${pid}'. It may have been withdrawn, or decided by another curator.`,
      );
    }
    const last = decided.find((one) => one.digest === row.digest);
    if (row.digest === digest && last?.decision === 'reject' && !wanted.overturn)
      throw alreadyDecided(known(last), 'rejected', 'To decide again, send "overturn": true.');
    if (row.digest !== digest) {
      throw new Refusal(
        'submission_changed',
        `The submission '${pid}' was changed after you read it. Read it again, and decide on its present content.`,
        { digest: row.digest },
      );
    }
    const curated = await review.record(parts.curated.area.id, iri);
    if (wanted.ifCurated !== undefined) requireCurated(parts, pid, curated, wanted.ifCurated);
    return { row, submitted, curated, zone: area };
  }

  /** @param result what the curated record becomes */
  #planned(
    { row, submitted, curated, zone }: Loaded,
    { decision, reason, until }: Pick<Proposal, 'reason' | 'until'> & Pick<DecisionRow, 'decision'>,
    result?: RecordText,
    step?: string,
  ): Planned {
    const onRecord = this.#review.decisions(row.iri)[0]?.id ?? '';
    this.#lastId = nextDecisionId(this.#context.now(), [onRecord, this.#lastId].sort().at(-1)!);
    const id = this.#lastId;
    const { iri, pid, class_name, label, digest, version, submitter, edited_by } = row;
    const { submitted_at, batch, message, answered_at } = row;
    const isPut =
      decision === 'accept' &&
      result &&
      (curated?.json !== result.json || curated.className !== result.className);
    const revision = curated?.revision ?? null;
    return {
      decision: {
        id,
        step: step ?? id,
        iri,
        pid,
        class_name,
        decision,
        label,
        digest,
        version,
        reason,
        until: until === null ? null : Date.parse(until),
        submitter,
        edited_by,
        reviewer: this.#reviewer.userId,
        // Behind an answer that a clock has dated in the future: it was before this decision.
        time: Math.max(this.#context.time(), answered_at ?? 0),
        before_revision: revision,
        after_revision: isPut ? null : revision,
        undone_by: null,
        undone_at: null,
      },
      kept: {
        submitted: contentOf(submitted),
        before: result && curated ? contentOf(curated) : null,
        after: result ? contentOf(result) : null,
        submission: { submitted_at, batch, message, answered_at, ...baseOf(row) },
      },
      zone,
      put: isPut ? result : undefined,
    };
  }
}

/** The record that an accept puts into the curated area. @throws Refusal `merge_conflict`, ServiceError */
async function resultOf(
  { work }: ReviewParts,
  { row, submitted, curated }: Loaded,
  { record, take }: Partial<Pick<Proposal, 'record' | 'take'>>,
): Promise<RecordText> {
  const { iri, pid } = row;
  const result = await work.accepted({
    iri,
    pid,
    take,
    base: baseOfRow(row),
    submitted: contentOf(submitted),
    curated: curated && contentOf(curated),
    record: record && canonicalJson(record),
  });
  switch (result.kind) {
    case 'changed':
      return result.text;
    case 'unchanged':
      return { ...curated!, iri };
    case 'conflicts': {
      const { paths, more, listed } = result;
      throw new Refusal(
        'merge_conflict',
        `The submission '${pid}' and the curated record changed the same values, at ${paths.map((path) => `'${path}'`).join(', ')}${more}. Choose a side for each with take, or send the record.`,
        { pid, differences: parseJson(listed.differences), more_differences: listed.more },
      );
    }
  }
}

export function alreadyDecided(
  decision: Decision,
  was: 'accepted' | 'approved' | 'rejected',
  next: string,
): Refusal {
  const { pid, reviewer, time } = decision;
  const who = `by ${reviewer ?? 'a curator'} on ${time.slice(0, 10)}`;
  return new Refusal('already_decided', `The submission '${pid}' was ${was} ${who}. ${next}`, { decision });
}

function requireCurated(
  parts: ReviewParts,
  pid: string,
  curated: RecordVersion | undefined,
  expected: string | null,
): void {
  const found = curated ? parts.etagOf('', curated.revision) : null;
  const isExpected =
    expected === null || !curated ? expected === found : isTagOf(expected, parts.curatedScope, curated);
  if (isExpected) return;
  throw new Refusal(
    'precondition_failed',
    `The curated record '${pid}' was changed after you read it. Read the submission again: your changes must be made to the record of today.`,
    { curated_etag: found },
  );
}

function isTagOf(tag: string, scope: string, record: RecordVersion): boolean {
  const version = versionIn(tag);
  return version !== undefined && isVersion(version, scope, record);
}
