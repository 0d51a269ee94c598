/** Taking decisions back: what they changed is as before. */
import { linksOf } from '../records/links.ts';
import { definedRecord, type RecordText } from '../records/record.ts';
import type { Change } from '../storage/store.ts';
import { microsecondsOf } from '../storage/times.ts';
import { actorFor } from './decide.ts';
import { decisionOf, type KeptDecision, markUndone, stepOf } from './decisions.ts';
import { isoTime, type Making, type Reviewer, type ReviewParts } from './parts.ts';
import { Refusal } from './refusal.ts';
import { type ReviewDraft, reviewDraft } from './review-draft.ts';
import type { Content, Decision } from './types.ts';

/**
 * Undoes a decision and its group, or none of it.
 *
 * @throws ServiceError `record_missing`, Refusal `already_undone`, `curated_changed`, `zone_changed`
 */
export async function undoDecisions(making: Making, id: string, reviewer: Reviewer): Promise<Decision> {
  const { database, curated, zones } = making.parts;
  const by = actorFor(reviewer.userId, null);
  return database.transact(async (draft) => {
    const group = await stepOf(draft, making, id);
    requireStanding(making, group);
    const at = microsecondsOf(isoTime(making.now()));
    const iris = group.map(({ iri }) => iri);
    const review = reviewDraft(draft, making, await making.queue());
    await review.loadRows(iris);
    await review.loadDecisions(iris);
    const ids = new Set(group.map((one) => one.id));
    const returned: { readonly label: string; readonly change: Change }[] = [];
    const restored: Change[] = [];
    for (const kept of group) {
      review.undoDecisions(kept.iri, ids, at);
      if (kept.decision !== 'accept') continue;
      const change = await changeBack(making, review, kept, reviewer);
      if (change) restored.push(change);
      returned.push({ label: kept.label, change: await changeOfZone(making, review, kept, reviewer) });
    }
    for (const [label, ofZone] of Map.groupBy(returned, (one) => one.label)) {
      const zone = (await zones.existing(label))!;
      await draft.write(
        zone.store.area,
        ofZone.map(({ change }) => change),
        by,
      );
    }
    if (restored.length > 0) await draft.write(curated.area, restored, by);
    for (const { iri, digest } of group) review.settle(iri, digest);
    markUndone(draft, making, { step: group[0]!.step, by: reviewer.userId, at });
    review.flush();
    const own = group.find((one) => one.id === id)!;
    return decisionOf(making, { ...own, undone_by: reviewer.userId, undone_at: at });
  });
}

function requireStanding(making: Making, group: readonly KeptDecision[]): void {
  const former = group.map((kept) => decisionOf(making, kept)).find(({ undone }) => undone)?.undone;
  if (!former) return;
  const { reviewer: by, time } = former;
  throw new Refusal(
    'already_undone',
    `The decision was undone by ${by ?? 'a curator'} on ${time.slice(0, 10)}.`,
  );
}

/** The change that makes the curated record what it was; none if the accept did not change it. */
async function changeBack(
  { parts }: Making,
  review: ReviewDraft,
  kept: KeptDecision,
  reviewer: Reviewer,
): Promise<Change | undefined> {
  const { iri, pid, submitted, before_class, before_json, after_class, after_json } = kept;
  if (submitted === null) {
    throw new Refusal(
      'zone_changed',
      `The decision on '${pid}' cannot be undone, since its contents were removed for privacy.`,
    );
  }
  const curated = await review.record(parts.curated.area.id, iri);
  if (!curated || curated.revision !== kept.after_revision || after_json === null) {
    throw new Refusal(
      'curated_changed',
      `The curated record '${pid}' was changed after the decision, so the decision cannot be undone. Edit the record instead.`,
    );
  }
  if (before_json === after_json && before_class === after_class) return undefined;
  const common = { by: actorFor(reviewer.userId, null), note: { decision: kept.id } };
  if (before_json === null || before_class === null) return { delete: iri, ...common };
  const content = { className: before_class, json: before_json };
  return { put: textOf(parts, iri, pidOfText(before_json) ?? pid, content), ...common };
}

/** The change that puts the submission back into its zone. */
async function changeOfZone(
  { parts }: Making,
  review: ReviewDraft,
  kept: KeptDecision,
  reviewer: Reviewer,
): Promise<Change> {
  const { iri, pid, label, class_name: className, submitted, submitter } = kept;
  const zone = await parts.zones.existing(label);
  if (!zone || submitted === null || (await review.record(zone.store.area.id, iri))) {
    throw new Refusal(
      'zone_changed',
      `The zone '${label}' has another submission with the pid '${pid}' by now. Decide on that one instead.`,
    );
  }
  return {
    put: textOf(parts, iri, pid, { className, json: submitted }),
    note: { decision: kept.id },
    by: actorFor(reviewer.userId, submitter),
    context: { restored: kept },
  };
}

function textOf({ schema }: ReviewParts, iri: string, pid: string, content: Content): RecordText {
  const links = linksOf(schema, content.className, definedRecord(schema, content));
  return { iri, pid, ...content, links };
}

function pidOfText(json: string): string | undefined {
  const { pid } = JSON.parse(json) as { pid?: unknown };
  return typeof pid === 'string' ? pid : undefined;
}
