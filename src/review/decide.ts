/** Decisions: accept, reject, defer. Each is checked against what the submission and the curated record are now. */
import { ServiceError } from '../errors.ts';
import { type RecordText, resolvePid } from '../records/record.ts';
import type { Change } from '../storage/store.ts';
import { type Loaded, resultOf } from './accept-result.ts';
import { compare } from './assess.ts';
import type { Curated, Follower } from './follow.ts';
import {
  INTENT,
  type Intent,
  type KeptDecision,
  newDecisionRow,
  nextDecisionId,
  removalId,
} from './ledger-rows.ts';
import { isoTime, type Reviewer, type ReviewParts } from './parts.ts';
import type { Proposal, Ruling } from './proposal.ts';
import { baseOfRow, contentOf, type QueuedSubmission, type QueueIndex, standingOf } from './queue-index.ts';
import { Refusal } from './refusal.ts';
import { actorFor, type Intents, withRevision } from './step.ts';
import type { Decision } from './types.ts';

/** What decisions are made with. */
export type Deciding = {
  readonly parts: ReviewParts;
  readonly index: QueueIndex;
  readonly follower: Follower;
  readonly intents: Intents;
  /** Reads decisions that were made elsewhere meanwhile. */
  followDecisions(): Promise<void>;
  /** Reads what a zone has got meanwhile. */
  followZone(label: string): Promise<void>;
  now(): Date;
  /** Decisions that are not in the index, since it could not be written; 0 again when it has followed the ledger. */
  missed: number;
};

/** How often a curated record may change while a decision on it is made. */
const DECISION_ATTEMPTS = 5;

/** Makes one decision. The caller sees to it that there is one at a time on each IRI. */
export async function decide(to: Deciding, proposal: Proposal, reviewer: Reviewer): Promise<Decision> {
  for (let attempt = 1; ; attempt++) {
    try {
      if (proposal.decision === 'accept') return await accept(to, proposal, reviewer);
      return await refuse(to, await load(to, proposal), proposal, reviewer);
    } catch (error) {
      const isRace =
        error instanceof ServiceError && !(error instanceof Refusal) && error.code === 'precondition_failed';
      if (!isRace || attempt === DECISION_ATTEMPTS) throw error;
      // Another instance may have decided on it.
      await to.followDecisions();
    }
  }
}

type Wanted = Pick<Proposal, 'label' | 'pid' | 'digest' | 'overturn'> & Partial<Pick<Proposal, 'ifCurated'>>;

/** @throws Refusal in the order in which conditions are checked */
async function load(to: Deciding, wanted: Wanted): Promise<Loaded> {
  const { parts, index } = to;
  const { schema, tags } = parts;
  const { label, pid, digest } = wanted;
  const iri = resolvePid(schema, pid);
  const last = index.decisionsOn(iri, 1)[0]?.id ?? '';
  const row = await currentRow(to, label, iri);
  // If it has just left the zone, another instance may have decided.
  if (!row) await to.followDecisions();
  const earlier = acceptedBefore(index, label, iri, digest);
  if (earlier && (!row || (await isLeaving(to, row, earlier))))
    throw alreadyDecided(earlier, 'was accepted and has left the zone');
  if (row?.digest === digest && row.standing === 'rejected' && !wanted.overturn) {
    const last = index.lastOnClaim(iri, digest);
    const decision = last && index.decision(last.id);
    if (decision) throw alreadyDecided(decision, 'is rejected. To decide again, send "overturn": true');
  }
  if (!row) {
    throw new Refusal(
      'record_missing',
      `The zone '${label}' has no submission with the pid '${pid}'. It may have been withdrawn, or decided by another curator.`,
    );
  }
  if (row.digest !== digest) {
    throw new Refusal(
      'submission_changed',
      `The submission '${pid}' was changed after you read it. Read it again, and decide on its present content.`,
      { digest: row.digest },
    );
  }
  const curated = await parts.curated.get(iri);
  if (wanted.ifCurated !== undefined) requireCurated(parts, pid, curated, wanted.ifCurated);
  const sides = { submitted: contentOf(row), curated: curated ?? null, base: baseOfRow(row) };
  return { row, curated, last, compared: compare(schema, tags, sides) };
}

/** The row of a submission that is in its zone, as the zone is now. */
async function currentRow(to: Deciding, label: string, iri: string): Promise<QueuedSubmission | undefined> {
  const { store } = await to.parts.zones.open(label);
  for (let attempt = 1; ; attempt++) {
    await to.followZone(label);
    const row = to.index.get(label, iri);
    if (!row?.present) return undefined;
    const record = await store.get(iri);
    if (row.revision === record?.revision) return row;
    if (attempt === DECISION_ATTEMPTS) return undefined;
  }
}

/** Whether an accept takes a submission out of its zone right now. One that was submitted again stays there. */
async function isLeaving(to: Deciding, { label, iri }: QueuedSubmission, { id }: Decision): Promise<boolean> {
  const promise = await to.parts.curated.ledger.get(INTENT, removalId(id));
  return promise !== undefined || (await currentRow(to, label, iri)) === undefined;
}

function acceptedBefore(index: QueueIndex, label: string, iri: string, digest: string): Decision | undefined {
  return index
    .decisionsOn(iri, 100)
    .find((one) => one.decision === 'accept' && !one.undone && one.label === label && one.digest === digest);
}

function alreadyDecided(decision: Decision, how: string): Refusal {
  const { pid, reviewer, time } = decision;
  const who = `by ${reviewer ?? 'a curator'} on ${time.slice(0, 10)}`;
  return new Refusal('already_decided', `The submission '${pid}' ${how}: decided ${who}.`, { decision });
}

function requireCurated(parts: ReviewParts, pid: string, curated: Curated, expected: string | null): void {
  const found = curated ? parts.etagOf('', curated.revision) : null;
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

function decisionOf(
  to: Deciding,
  { row, curated }: Loaded,
  ruling: Ruling,
  reviewer: Reviewer,
  group?: string,
): KeptDecision {
  const { parts, index } = to;
  const now = to.now();
  const id = nextDecisionId(now, index.lastDecisionId());
  const isAccept = ruling.decision === 'accept';
  const before = curated ? parts.etagOf('', curated.revision) : null;
  return {
    decision: {
      id,
      decision: ruling.decision,
      label: row.label,
      pid: row.pid,
      class: row.class,
      digest: row.digest,
      reason: ruling.reason,
      until: ruling.until,
      submitter: row.submitter,
      reviewer: reviewer.userId,
      time: isoTime(now),
      group: group ?? id,
      curated_before: before,
      curated_after: isAccept ? null : before,
      undone: null,
    },
    iri: row.iri,
    schema: parts.schema.digest,
    submitted: contentOf(row),
    before: isAccept && curated ? { className: curated.className, json: curated.json } : null,
    after: null,
    revision: null,
    submission: {
      submitter: row.submitter,
      edited_by: row.edited_by,
      submitted_at: row.submitted_at,
      batch: row.batch,
      message: row.message,
      answered_at: row.answered_at,
      base_known: row.base_known,
      base_etag: row.base_etag,
      base: baseOfRow(row) ?? null,
    },
  };
}

/** A reject or defer: it is kept, and nothing else is touched. */
async function refuse(to: Deciding, loaded: Loaded, ruling: Ruling, reviewer: Reviewer): Promise<Decision> {
  const kept = decisionOf(to, loaded, ruling, reviewer);
  const by = actorFor(reviewer.userId, loaded.row.submitter);
  await to.parts.curated.write([], by, [newDecisionRow(kept, loaded.last)]);
  applyDecisions(to, [kept]);
  return kept.decision;
}

type Acceptance = {
  readonly kept: KeptDecision;
  readonly loaded: Loaded;
  readonly change: Change | undefined;
  readonly intent: Intent;
};

async function accept(to: Deciding, proposal: Proposal, reviewer: Reviewer): Promise<Decision> {
  const { parts, intents } = to;
  const main = await load(to, proposal);
  const others: Loaded[] = [];
  for (const { pid, digest } of proposal.references) {
    const other = await load(to, { label: proposal.label, pid, digest, overturn: proposal.overturn });
    if ([main, ...others].every(({ row }) => row.iri !== other.row.iri)) others.push(other);
  }
  const first = acceptance(to, main, resultOf(parts, main, proposal), proposal, reviewer);
  const group = first.kept.decision.id;
  const all = [
    first,
    ...others.map((other) => acceptance(to, other, resultOf(parts, other, {}), proposal, reviewer, group)),
  ];
  const completed = (revisions: readonly number[]) => {
    let at = 0;
    return all.map(({ change, kept }) =>
      withRevision(parts, kept, change ? revisions[at++]! : kept.revision),
    );
  };
  const { revisions, isWhole } = await intents.begin({
    changes: all.flatMap(({ change }) => change ?? []),
    by: actorFor(reviewer.userId, main.row.submitter),
    ledger: all.map(({ kept, loaded }) => newDecisionRow(kept, loaded.last)),
    completed,
    intents: all.map(({ intent }) => intent),
  });
  const done = completed(revisions);
  applyDecisions(to, done);
  if (!isWhole)
    for (const [at, { intent }] of all.entries()) await intents.carryOut(intent, done[at]!.revision);
  return done[0]!.decision;
}

function acceptance(
  to: Deciding,
  loaded: Loaded,
  result: RecordText,
  ruling: Ruling,
  reviewer: Reviewer,
  group?: string,
): Acceptance {
  const { row, curated } = loaded;
  const made = decisionOf(to, loaded, ruling, reviewer, group);
  const { id } = made.decision;
  const isUnchanged = curated?.json === result.json && curated.className === result.className;
  const after = { className: result.className, json: result.json };
  const kept: KeptDecision = isUnchanged
    ? { ...withRevision(to.parts, made, curated.revision), after }
    : { ...made, after };
  const expect = curated ? { revisions: [curated.revision] } : ({ absent: true } as const);
  const by = actorFor(reviewer.userId, row.submitter);
  return {
    loaded,
    kept,
    change: isUnchanged ? undefined : { put: result, expect, note: { decision: id }, by },
    intent: {
      label: row.label,
      iri: row.iri,
      decision: id,
      reviewer: reviewer.userId,
      submitter: row.submitter,
      remove: { revision: row.revision },
    },
  };
}

/**
 * What a decision means for the queue, as soon as it is durable. If the index cannot be written, as on a full disk, the
 * decision is made all the same: the next read follows the ledger. Until then no other decision is applied, since the
 * ledger is followed from the last one in the index.
 */
export function applyDecisions(to: Deciding, all: readonly KeptDecision[]): void {
  if (to.missed > 0) {
    to.missed += 1;
    return;
  }
  try {
    apply(to, all);
  } catch (error) {
    to.missed += 1;
    const { log, collection } = to.parts;
    log.warn({ err: error, collection }, 'could not add a decision to the index of the review, will retry');
  }
}

function apply({ index, now }: Deciding, all: readonly KeptDecision[]): void {
  const time = isoTime(now());
  index.change(() => {
    for (const { decision, iri } of all) {
      const { id, digest, label, undone } = decision;
      index.putDecision(iri, digest, decision);
      for (const row of index.on(iri)) {
        if (!row.present || row.digest !== digest) continue;
        if (decision.decision === 'accept' && row.label === label && !undone)
          index.put({
            ...row,
            present: 0,
            until: null,
            status: 'accepted',
            decision: id,
            left_at: decision.time,
          });
        else index.put({ ...row, ...standingOf(index.lastOnClaim(iri, digest), row.answered_at, time) });
      }
    }
  });
}
