/**
 * One step over two stores: the curated area and a zone.
 *
 * The commit in the curated area is the point of no return: it holds the change, the decision, and an intent for the
 * zone. Then the zone is changed, and last the intent is cleared. An intent that a crash left is carried out at the next
 * start, before the zone is read; one that a zone refuses is tried again.
 */
import { ServiceError } from '../errors.ts';
import type { Actor, Change, ChangeNote } from '../storage/store.ts';
import { DECISION, decisionRow, INTENT, type Intent, intentDone, type KeptDecision } from './ledger-rows.ts';
import type { ReviewParts } from './parts.ts';

/** Who changes a store by a decision: the curator, on behalf of the submitter. */
export function actorFor(reviewer: string, submitter: string | null): Actor {
  return { committer: reviewer, author: submitter ?? reviewer, role: 'curator' };
}

/** How long a zone that cannot be written is left alone, in milliseconds. */
const STEP_RETRY = 10_000;
const INTENTS_AT_ONCE = 1000;

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
    const { label, iri, decision, reviewer, submitter } = intent;
    const { store } = await this.#parts.zones.open(label);
    const note: ChangeNote = { decision };
    const change: Change =
      'remove' in intent
        ? { delete: iri, expect: { revisions: [intent.remove.revision] }, note }
        : {
            put: { iri, ...intent.restore },
            expect: { absent: true },
            note: { ...note, ...(intent.base && { base: intent.base }) },
          };
    try {
      await store.write([change], actorFor(reviewer, submitter));
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

/** An accept with the revision that the curated record has by it; null if it did not change the record. */
export function withRevision(parts: ReviewParts, kept: KeptDecision, revision: number | null): KeptDecision {
  if (revision === null) return kept;
  const decision = { ...kept.decision, curated_after: parts.etagOf('', revision) };
  return { ...kept, revision, decision };
}
