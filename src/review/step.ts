/**
 * One step over two stores: the curated area and a zone.
 *
 * If both are in one database, the step is one transaction. If not, the commit in the curated area is the point of no
 * return: it holds the change, the decision, and an intent for the zone. Then the zone is changed, and last the intent is
 * cleared. An intent that a crash left is carried out at the next start, before the zone is read; one that a zone refuses is
 * tried again.
 */
import { ServiceError } from '../errors.ts';
import type { Actor, Change, ChangeNote, JointWrites, LedgerChange } from '../storage/store.ts';
import {
  DECISION,
  decisionAsRow,
  decisionRow,
  INTENT,
  type Intent,
  intentDone,
  intentRow,
  type KeptDecision,
} from './ledger-rows.ts';
import type { ReviewParts } from './parts.ts';

/** Who changes a store by a decision: the curator, on behalf of the submitter. */
export function actorFor(reviewer: string, submitter: string | null): Actor {
  return { committer: reviewer, author: submitter ?? reviewer, role: 'curator' };
}

/** How long a zone that cannot be written is left alone, in milliseconds. */
const STEP_RETRY = 10_000;
const INTENTS_AT_ONCE = 1000;

/** What a step does: in the curated area, and in the zones of its intents. */
export type Step = {
  readonly changes: readonly Change[];
  readonly by: Actor;
  readonly ledger: readonly LedgerChange[];
  /** The decisions with what is known of them when the curated area is changed. */
  completed(revisions: readonly number[]): readonly KeptDecision[];
  readonly intents: readonly Intent[];
};

/** `isWhole`: the zones are changed as well; otherwise the intents have to be carried out. */
export type Begun = { readonly revisions: readonly number[]; readonly isWhole: boolean };

/** Carries intents out. Those that fail are kept, and retried. */
export class Intents {
  readonly #parts: ReviewParts;
  readonly #failed = new Map<string, Intent>();
  readonly #clearing = new Set<Promise<void>>();
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(parts: ReviewParts) {
    this.#parts = parts;
  }

  /**
   * Makes a step as far as one transaction goes.
   *
   * @throws ServiceError `precondition_failed` if something has changed meanwhile
   */
  async begin(step: Step): Promise<Begun> {
    const { changes, by, ledger, intents } = step;
    const { curated } = this.#parts;
    const zones = await this.#jointZones(intents);
    if (!curated.joint || !zones) {
      const results = await curated.write(changes, by, [...ledger, ...intents.map(intentRow)]);
      return { revisions: results.map(({ revision }) => revision), isWhole: false };
    }
    const rowsAfter = (revisions: readonly number[]) => step.completed(revisions).map(decisionAsRow);
    const own = curated.joint.part({ changes, by, ledger, rowsAfter });
    const parts = [...zones].map(([joint, ofZone]) => joint.part({ changes: ofZone.map(zoneChange), by }));
    const [revisions = []] = await curated.joint.write([own, ...parts]);
    return { revisions, isWhole: true };
  }

  /** The intents by zone, if all zones are in one database with the curated area. */
  async #jointZones(intents: readonly Intent[]): Promise<Map<JointWrites, Intent[]> | undefined> {
    const { curated, zones } = this.#parts;
    const byLabel = Map.groupBy(intents, ({ label }) => label);
    const found = new Map<JointWrites, Intent[]>();
    for (const [label, ofZone] of byLabel) {
      const { joint } = (await zones.open(label)).store;
      if (!joint || joint.database !== curated.joint?.database) return undefined;
      found.set(joint, ofZone);
    }
    return found;
  }

  /** Carries out what a crash left. */
  async recover(): Promise<void> {
    for (let after = ''; ; ) {
      const query = { kind: INTENT, after, limit: INTENTS_AT_ONCE };
      const rows = await this.#parts.curated.ledger.list(query);
      for (const { json } of rows) await this.carryOut(JSON.parse(json) as Intent);
      // The queue reads decisions as they are then: with the entity tags of their results.
      await this.settled();
      if (rows.length < INTENTS_AT_ONCE) return;
      after = rows.at(-1)!.id;
    }
  }

  /** Changes the zone, durably; the intent is cleared after that, in the background. */
  async carryOut(intent: Intent, revision?: number | null): Promise<void> {
    const key = `${intent.decision} ${intent.iri}`;
    try {
      await this.#changeZone(intent);
      this.#failed.delete(key);
    } catch (error) {
      this.#failed.set(key, intent);
      const { label, decision } = intent;
      this.#parts.log.warn(
        { err: error, collection: this.#parts.collection, zone: label, decision },
        'could not carry out a decision in its zone, will retry',
      );
      this.#retryLater();
      return;
    }
    const clearing = this.#clear(intent, revision).finally(() => this.#clearing.delete(clearing));
    this.#clearing.add(clearing);
  }

  /** The zones that decisions still have to be carried out in. */
  failed(): readonly Intent[] {
    return [...this.#failed.values()];
  }

  /** Waits until all intents that were carried out are cleared. */
  async settled(): Promise<void> {
    await Promise.all(this.#clearing);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.settled();
  }

  async #changeZone(intent: Intent): Promise<void> {
    const { store } = await this.#parts.zones.open(intent.label);
    const change = zoneChange(intent);
    try {
      await store.write([change], change.by);
    } catch (error) {
      // Something else was stored meanwhile, or a crash came after this very change: either way there is nothing to do.
      if (!(error instanceof ServiceError)) throw error;
      if (error.code !== 'precondition_failed' && error.code !== 'record_missing') throw error;
    }
  }

  async #clear(intent: Intent, revision?: number | null): Promise<void> {
    const { curated, log, collection } = this.#parts;
    try {
      const kept = 'remove' in intent ? await this.#withRevision(intent, revision) : undefined;
      const rows = kept ? [decisionRow(kept), intentDone(intent)] : [intentDone(intent)];
      await curated.write([], actorFor(intent.reviewer, intent.submitter), rows);
    } catch (error) {
      log.warn(
        { err: error, collection },
        'could not clear an intent, will carry it out again at the next start',
      );
    }
  }

  /**
   * The decision with the entity tag that the curated record got: it is known only after the commit. After a crash it
   * is that of the entry which names the decision.
   */
  async #withRevision(intent: Intent, known?: number | null): Promise<KeptDecision | undefined> {
    const { curated } = this.#parts;
    const row = await curated.ledger.get(DECISION, intent.decision);
    if (!row) return undefined;
    const kept = JSON.parse(row.json) as KeptDecision;
    if (kept.revision !== null || kept.decision.undone) return undefined;
    return withRevision(this.#parts, kept, known ?? (await this.#revisionOf(intent)));
  }

  async #revisionOf({ iri, decision }: Intent): Promise<number | null> {
    const entries = await this.#parts.curated.entries({ iris: [iri], newestFirst: true, limit: 100 });
    return entries.find((entry) => entry.decision === decision)?.revision ?? null;
  }

  #retryLater(): void {
    if (this.#closed || this.#retry) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      void this.#retryAll();
    }, STEP_RETRY).unref();
  }

  async #retryAll(): Promise<void> {
    const release = this.#parts.hold?.();
    for (const intent of this.#failed.values()) if (!this.#closed) await this.carryOut(intent);
    release?.();
  }
}

/** What an intent does to its zone. */
function zoneChange(intent: Intent): Change & { readonly by: Actor } {
  const { iri, decision, reviewer, submitter } = intent;
  const by = actorFor(reviewer, submitter);
  const note: ChangeNote = { decision };
  if ('remove' in intent) return { delete: iri, expect: { revisions: [intent.remove.revision] }, note, by };
  return {
    put: { iri, ...intent.restore },
    expect: { absent: true },
    note: { ...note, ...(intent.base && { base: intent.base }) },
    by,
  };
}

/** An accept with the revision that the curated record has by it; null if it did not change the record. */
export function withRevision(parts: ReviewParts, kept: KeptDecision, revision: number | null): KeptDecision {
  if (revision === null) return kept;
  const decision = { ...kept.decision, curated_after: parts.etagOf('', revision) };
  return { ...kept, revision, decision };
}
