/** Decisions: accept, reject, defer. All that one of them changes, and all that it was checked against, is one transaction. */
import { ServiceError } from '../errors.ts';
import { type RecordText, resolvePid } from '../records/record.ts';
import type { Draft, Written } from '../storage/database.ts';
import type { Actor, AreaId, Change } from '../storage/store.ts';
import { microsecondsOf } from '../storage/times.ts';
import { type Loaded, resultOf } from './accept-result.ts';
import { claimOfContent, compare } from './assess.ts';
import { baseOf } from './base.ts';
import { currentSubmission } from './current.ts';
import {
  addDecision,
  type DecisionRow,
  decisionOf,
  type KeptDecision,
  newestDecisionId,
  nextDecisionId,
} from './decisions.ts';
import { isoTime, type Making, type Reviewer, type ReviewParts } from './parts.ts';
import type { Proposal } from './proposal.ts';
import { Refusal } from './refusal.ts';
import { type Held, type ReviewDraft, reviewDraft } from './review-draft.ts';
import { baseOfRow } from './submission.ts';
import type { Decision } from './types.ts';

/** The outcome of one decision of several. */
export type Outcome = {
  readonly label: string;
  readonly pid: string;
} & ({ readonly decision: Decision } | { readonly error: ServiceError });

/** Decisions of one transaction. They are about different records. */
const MOST_TOGETHER = 100;

/** Labels that are named to a curator who asks for an unknown one. */
const MOST_LABELS = 20;

/** Makes one decision. @throws ServiceError `label_unknown`, and all refusals in the order in which they are checked */
export async function decide(making: Making, proposal: Proposal, reviewer: Reviewer): Promise<Decision> {
  const [outcome] = await decideTogether(making, [proposal], reviewer);
  if ('error' in outcome!) throw outcome.error;
  return outcome!.decision;
}

/** Makes decisions, each on its own: a refused one changes nothing of the others. */
export async function decideAll(
  making: Making,
  proposals: readonly Proposal[],
  reviewer: Reviewer,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const some of runsOf(making.parts, proposals)) {
    try {
      outcomes.push(...(await decideTogether(making, some, reviewer)));
    } catch (error) {
      if (!(error instanceof ServiceError) || some.length === 1) throw error;
      // The commit was refused because of one of them.
      for (const one of some) outcomes.push(await decideAlone(making, one, reviewer));
    }
  }
  return outcomes;
}

async function decideAlone(making: Making, proposal: Proposal, reviewer: Reviewer): Promise<Outcome> {
  const { label, pid } = proposal;
  try {
    return { label, pid, decision: await decide(making, proposal, reviewer) };
  } catch (error) {
    if (error instanceof ServiceError) return { label, pid, error };
    throw error;
  }
}

/** Runs of decisions for one transaction each: decisions on a record see the ones before them. */
function* runsOf({ schema }: ReviewParts, proposals: readonly Proposal[]): Iterable<Proposal[]> {
  let run: Proposal[] = [];
  const seen = new Set<string>();
  for (const proposal of proposals) {
    const pids = [proposal, ...proposal.references].map(({ pid }) => schema.expand(pid) ?? pid);
    if (run.length > 0 && (seen.size + pids.length > MOST_TOGETHER || pids.some((pid) => seen.has(pid)))) {
      yield run;
      run = [];
      seen.clear();
    }
    run.push(proposal);
    for (const pid of pids) seen.add(pid);
  }
  if (run.length > 0) yield run;
}

/** A decision that is about to be made. */
type Planned = {
  readonly kept: KeptDecision;
  readonly zone: AreaId;
  /** What an accept puts; undefined if the curated record stays as it is. */
  readonly put?: RecordText | undefined;
};

async function decideTogether(
  making: Making,
  proposals: readonly Proposal[],
  reviewer: Reviewer,
): Promise<Outcome[]> {
  const prepared = await making.parts.database.transact(async (draft) => {
    const review = reviewDraft(draft, making, await making.queue());
    const planning = new Planning(making, review, reviewer, await newestDecisionId(making));
    const plans: (readonly Planned[] | ServiceError)[] = [];
    await planning.load(proposals);
    for (const proposal of proposals) plans.push(await planning.plan(proposal));
    const planned = plans.flatMap((plan) => (plan instanceof ServiceError ? [] : plan));
    return { plans, written: await carryOut(draft, making, review, planned, reviewer) };
  });
  const revision = revisionsOf(prepared.plans.flat() as Planned[], prepared.written);
  return prepared.plans.map((plan, at) => {
    const { label, pid } = proposals[at]!;
    if (plan instanceof ServiceError) return { label, pid, error: plan };
    const { kept } = plan[0]!;
    const after = revision.get(kept.id) ?? kept.after_revision;
    return { label, pid, decision: decisionOf(making, { ...kept, after_revision: after }) };
  });
}

function revisionsOf(planned: readonly Planned[], written: Written | undefined): Map<string, number> {
  const puts = planned.filter(({ put }) => put);
  return new Map(puts.map(({ kept }, at) => [kept.id, written!.revisions[at]!]));
}

/** Adds what the decisions do to the transaction. @returns the write to the curated area, if there is one */
async function carryOut(
  draft: Draft,
  making: Making,
  review: ReviewDraft,
  planned: readonly Planned[],
  reviewer: Reviewer,
): Promise<Written | undefined> {
  const { curated } = making.parts;
  const accepts = planned.filter(({ kept }) => kept.decision === 'accept');
  const change = ({ kept }: Planned) => ({
    note: { decision: kept.id },
    by: actorFor(reviewer.userId, kept.submitter),
  });
  for (const { kept } of planned) review.addDecision(kept);
  // Zones first: a submission that has left is not compared with what it became.
  for (const ofZone of Map.groupBy(accepts, ({ zone }) => zone.id).values()) {
    const deletes = ofZone.map((one): Change => ({ delete: one.kept.iri, ...change(one) }));
    await draft.write(ofZone[0]!.zone, deletes, actorFor(reviewer.userId, null));
  }
  const puts = accepts.flatMap((one) => (one.put ? { put: one.put, ...change(one) } : []));
  const written =
    puts.length > 0 ? await draft.write(curated.area, puts, actorFor(reviewer.userId, null)) : undefined;
  let put = 0;
  for (const one of planned) {
    const after = one.put ? written!.revision(put++) : one.kept.after_revision;
    addDecision(draft, making, one.kept, after);
    review.settle(one.kept.iri, one.kept.digest);
  }
  review.flush();
  return written;
}

/** Who changes a store by a decision: the curator, on behalf of the submitter. */
export function actorFor(reviewer: string, submitter: string | null): Actor {
  return { committer: reviewer, author: submitter ?? reviewer, role: 'curator' };
}

type Wanted = Pick<Proposal, 'label' | 'pid' | 'digest' | 'overturn'> & Partial<Pick<Proposal, 'ifCurated'>>;

/** Checks decisions against what submissions and curated records are now. */
class Planning {
  readonly #making: Making;
  readonly #review: ReviewDraft;
  readonly #reviewer: Reviewer;
  #lastId: string;

  constructor(making: Making, review: ReviewDraft, reviewer: Reviewer, lastId: string) {
    this.#making = making;
    this.#review = review;
    this.#reviewer = reviewer;
    this.#lastId = lastId;
  }

  /** Reads all that the decisions are about, with few statements. */
  async load(proposals: readonly Proposal[]): Promise<void> {
    const { schema, curated } = this.#making.parts;
    const pids = proposals.flatMap((one) => [one.pid, ...one.references.map(({ pid }) => pid)]);
    const iris = [...new Set(pids.flatMap((pid) => schema.expand(pid) ?? []))];
    const areas = new Set([curated.area.id]);
    for (const label of new Set(proposals.map((one) => one.label))) {
      const zone = await zoneOf(this.#making.parts, label).catch(() => undefined);
      if (zone) areas.add(zone.store.area.id);
    }
    await this.#review.loadRows(iris);
    await this.#review.loadDecisions(iris);
    await this.#review.loadRecords([...areas], iris);
  }

  /** @returns the decision and, with references, those on them; or why it is refused */
  async plan(proposal: Proposal): Promise<readonly Planned[] | ServiceError> {
    try {
      if (proposal.decision !== 'accept') {
        const { loaded, zone } = await this.#load(proposal);
        return [{ kept: this.#decision(loaded, proposal), zone }];
      }
      return await this.#planAccept(proposal);
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  async #planAccept(proposal: Proposal): Promise<Planned[]> {
    const { label, overturn } = proposal;
    const { parts } = this.#making;
    const all = [await this.#load(proposal)];
    for (const { pid, digest } of proposal.references) {
      const other = await this.#load({ label, pid, digest, overturn });
      if (all.every(({ loaded }) => loaded.row.iri !== other.loaded.row.iri)) all.push(other);
    }
    const results = all.map(({ loaded }, at) => resultOf(parts, loaded, at === 0 ? proposal : {}));
    let step: string | undefined;
    return all.map(({ loaded, zone }, at) => {
      const result = results[at]!;
      const { curated } = loaded;
      const kept = this.#decision(loaded, proposal, step);
      step ??= kept.step;
      const isUnchanged = curated?.json === result.json && curated.className === result.className;
      const contents = {
        before_class: curated?.className ?? null,
        before_json: curated?.json ?? null,
        after_class: result.className,
        after_json: result.json,
        after_revision: isUnchanged ? (curated.revision as number) : null,
      };
      return { kept: { ...kept, ...contents }, zone, put: isUnchanged ? undefined : result };
    });
  }

  /** @throws Refusal in the order in which conditions are checked */
  async #load(wanted: Wanted): Promise<{ readonly loaded: Loaded; readonly zone: AreaId }> {
    const { parts } = this.#making;
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
    const row = of && (await currentSubmission(review, this.#making, of, iri));
    const decided = review.decisions(iri).filter((one) => one.undone_at === null);
    const known = (one: DecisionRow) => decisionOf(this.#making, one);
    if (!area || !row || !submitted) {
      const earlier = decided.find(
        (one) => one.decision === 'accept' && one.label === label && one.digest === digest,
      );
      if (earlier) throw alreadyDecided(known(earlier), 'was accepted and has left the zone');
      throw new Refusal(
        'record_missing',
        `The zone '${label}' has no submission with the pid '${pid}'. It may have been withdrawn, or decided by another curator.`,
      );
    }
    const last = decided.find((one) => one.digest === row.digest);
    if (row.digest === digest && last?.decision === 'reject' && !wanted.overturn)
      throw alreadyDecided(known(last), 'is rejected. To decide again, send "overturn": true');
    if (row.digest !== digest) {
      throw new Refusal(
        'submission_changed',
        `The submission '${pid}' was changed after you read it. Read it again, and decide on its present content.`,
        { digest: row.digest },
      );
    }
    const curated = await review.record(parts.curated.area.id, iri);
    if (wanted.ifCurated !== undefined) requireCurated(parts, pid, curated, wanted.ifCurated);
    const compared = compare(parts, claimOfContent(parts, submitted), curated, baseOfRow(row));
    return { loaded: { row, submitted, curated, compared }, zone: area };
  }

  #decision({ row, submitted, curated }: Loaded, ruling: Proposal, step?: string): KeptDecision {
    const now = this.#making.now();
    const onRecord = this.#review.decisions(row.iri)[0]?.id ?? '';
    const id = nextDecisionId(now, onRecord > this.#lastId ? onRecord : this.#lastId);
    this.#lastId = id;
    const revision = (curated?.revision as number | undefined) ?? null;
    return {
      ...{ id, step: step ?? id, iri: row.iri, pid: row.pid, class_name: row.class_name },
      ...{ decision: ruling.decision, label: row.label, digest: row.digest, reason: ruling.reason },
      until: ruling.until === null ? null : microsecondsOf(ruling.until),
      ...{ submitter: row.submitter, reviewer: this.#reviewer.userId, time: microsecondsOf(isoTime(now)) },
      before_revision: revision,
      after_revision: ruling.decision === 'accept' ? null : revision,
      ...{ undone_by: null, undone_at: null },
      ...{ edited_by: row.edited_by, submitted_at: row.submitted_at, batch: row.batch, message: row.message },
      ...{ answered_at: row.answered_at, ...baseOf(row), submitted: submitted.json },
      ...{ before_class: null, before_json: null, after_class: null, after_json: null },
    };
  }
}

/** The zone of a label, if it was ever written to. @throws ServiceError `label_unknown` */
export async function zoneOf({ zones, collection }: ReviewParts, label: string) {
  if (await zones.has(label)) return zones.existing(zones.first(label));
  const labels = (await zones.labels()).slice(0, MOST_LABELS);
  const known = labels.map((one) => `'${one}'`).join(', ') || 'none';
  throw new ServiceError(
    'label_unknown',
    `The collection '${collection}' has no incoming zone '${label}', expected ${known}.`,
  );
}

function alreadyDecided(decision: Decision, how: string): Refusal {
  const { pid, reviewer, time } = decision;
  const who = `by ${reviewer ?? 'a curator'} on ${time.slice(0, 10)}`;
  return new Refusal('already_decided', `The submission '${pid}' ${how}: decided ${who}.`, { decision });
}

function requireCurated(
  parts: ReviewParts,
  pid: string,
  curated: Held | undefined,
  expected: string | null,
): void {
  const found = curated ? parts.etagOf('', curated.revision as number) : null;
  const isExpected =
    expected === null || found === null ? expected === found : versionIn(expected) === versionIn(found);
  if (isExpected) return;
  throw new Refusal(
    'precondition_failed',
    `The curated record '${pid}' was changed after you read it. Read the submission again: your changes must be made to the record of today.`,
    { curated_etag: found },
  );
}

/** Area and revision in an entity tag; the rest is the format. */
function versionIn(tag: string): string {
  return /^"([\w-]+\.[0-9a-z]+)\./.exec(tag)?.[1] ?? tag;
}
