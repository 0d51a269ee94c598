/** Taking decisions back: what they changed is as before. */
import { ServiceError } from '../errors.ts';
import type { Base, Change } from '../storage/store.ts';
import { applyDecisions, type Deciding } from './decide.ts';
import {
  changedRow,
  DECISION,
  decisionRow,
  type Intent,
  type KeptDecision,
  type KeptSubmission,
  nextDecisionId,
} from './ledger-rows.ts';
import { isoTime, type Reviewer } from './parts.ts';
import { Refusal } from './refusal.ts';
import { actorFor } from './step.ts';
import type { Decision } from './types.ts';

const MOST_IN_GROUP = 1001;

/** The decisions that are undone together with one. @throws ServiceError `record_missing` */
export async function groupOf({ parts }: Deciding, id: string): Promise<KeptDecision[]> {
  const { ledger } = parts.curated;
  const row = await ledger.get(DECISION, id);
  if (!row) throw new ServiceError('record_missing', `No decision has the id '${id}'.`);
  const { group } = (JSON.parse(row.json) as KeptDecision).decision;
  const rows = await ledger.list({ kind: DECISION, keys: [`group ${group}`], limit: MOST_IN_GROUP });
  return rows.map(({ json }) => JSON.parse(json) as KeptDecision);
}

/**
 * Undoes a group of decisions, or none of it.
 *
 * @returns the decision with this id
 * @throws Refusal `already_undone`, `curated_changed`, `zone_changed`
 */
export async function undoDecisions(
  to: Deciding,
  id: string,
  group: readonly KeptDecision[],
  reviewer: Reviewer,
): Promise<Decision> {
  const { intents } = to;
  requireStanding(group);
  const undone = { reviewer: reviewer.userId, time: isoTime(to.now()) };
  const changes: Change[] = [];
  const promised: Intent[] = [];
  for (const kept of group) {
    if (kept.decision.decision !== 'accept') continue;
    const change = await restored(to, kept, reviewer);
    if (change) changes.push(change);
    promised.push(await returned(to, kept, reviewer));
  }
  const marked = group.map((kept) => ({ ...kept, decision: { ...kept.decision, undone } }));
  const ids = marked.map(({ decision }) => decision.id);
  const ledger = [
    ...marked.map((kept) => decisionRow(kept, 'present')),
    changedRow(nextDecisionId(to.now(), to.index.lastDecisionId()), ids),
  ];
  const by = actorFor(reviewer.userId, null);
  let isWhole: boolean;
  try {
    ({ isWhole } = await intents.begin({ changes, by, ledger, completed: () => [], intents: promised }));
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'precondition_failed') {
      // Another instance may have undone it.
      const now = await groupOf(to, id);
      requireStanding(now);
      // Or something was submitted under the pid.
      for (const kept of group) if (kept.decision.decision === 'accept') await returned(to, kept, reviewer);
      throw curatedChanged(group[0]!);
    }
    throw error;
  }
  if (!isWhole) for (const intent of promised) await intents.carryOut(intent);
  applyDecisions(to, marked);
  return marked.find(({ decision }) => decision.id === id)!.decision;
}

function requireStanding(group: readonly KeptDecision[]): void {
  const former = group.find(({ decision }) => decision.undone)?.decision.undone;
  if (!former) return;
  const { reviewer: by, time } = former;
  throw new Refusal(
    'already_undone',
    `The decision was undone by ${by ?? 'a curator'} on ${time.slice(0, 10)}.`,
  );
}

/** The change that makes the curated record what it was; none if the accept did not change it. */
async function restored(
  { parts }: Deciding,
  kept: KeptDecision,
  reviewer: Reviewer,
): Promise<Change | undefined> {
  const { iri, before, after, revision, decision } = kept;
  if (!kept.submitted) {
    throw new Refusal(
      'zone_changed',
      `The decision on '${decision.pid}' cannot be undone, since its contents were removed for privacy.`,
    );
  }
  const curated = await parts.curated.get(iri);
  if (!curated || curated.revision !== revision || !after) throw curatedChanged(kept);
  if (before && before.json === after.json && before.className === after.className) return undefined;
  const common = { expect: { revisions: [curated.revision] }, by: actorFor(reviewer.userId, null) };
  const note = { decision: decision.id };
  if (!before) return { delete: iri, ...common, note };
  return { put: { iri, pid: pidOfText(before.json) ?? decision.pid, ...before }, ...common, note };
}

/** The promise to put the submission back into its zone. */
async function returned({ parts }: Deciding, kept: KeptDecision, reviewer: Reviewer): Promise<Intent> {
  const { iri, submitted, decision, submission } = kept;
  const { store } = await parts.zones.open(decision.label);
  if (!submitted || (await store.get(iri))) {
    throw new Refusal(
      'zone_changed',
      `The zone '${decision.label}' has another submission with the pid '${decision.pid}' by now. Decide on that one instead.`,
    );
  }
  return {
    label: decision.label,
    iri,
    decision: decision.id,
    reviewer: reviewer.userId,
    submitter: submission.submitter,
    restore: { pid: decision.pid, ...submitted },
    base: submission.base_known ? baseKept(submission) : null,
  };
}

function baseKept({ base, base_etag: etag }: KeptSubmission): Base {
  return { etag, className: base?.className ?? null, json: base?.json ?? null };
}

function curatedChanged({ decision: { pid } }: KeptDecision): Refusal {
  return new Refusal(
    'curated_changed',
    `The curated record '${pid}' was changed after the decision, so the decision cannot be undone. Edit the record instead.`,
  );
}

function pidOfText(json: string): string | undefined {
  const { pid } = JSON.parse(json) as { pid?: unknown };
  return typeof pid === 'string' ? pid : undefined;
}
