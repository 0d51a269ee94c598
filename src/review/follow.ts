/** Keeps the index of the queue up to date: it follows the entries of zones and the changes of the curated area. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Entry, RecordStore, StoredRecord } from '../storage/store.ts';
import { type Assessment, assess, type BaseContent, claimOfContent, compare } from './assess.ts';
import { carriedContent } from './carry.ts';
import { CHANGED, DECISION, idBefore, type KeptDecision } from './ledger-rows.ts';
import { isoTime, type ReviewParts } from './parts.ts';
import { baseOfRow, contentOf, type QueuedSubmission, type QueueIndex, standingOf } from './queue-index.ts';
import type { Content } from './types.ts';

/** Entries that are read in one step; between steps, requests have their turn. */
const CHANGES_PER_STEP = 200;

/** What an accept, an undo and another program's delete look back at: so many entries of one record. */
const LOOK_BACK = 100;

/**
 * How far back decisions of other instances are read again, in milliseconds, which bounds how much their clocks may differ:
 * each time, and now and then.
 */
const SHORT_OVERLAP = 1000;
const OVERLAP = 60_000;
const LOOK_BACK_EVERY = 500;

/** The curated record of a submission. */
export type Curated = Pick<StoredRecord, 'className' | 'json' | 'revision'> | undefined;

export type Follower = {
  /** Follows one step of a zone. @returns whether there may be more */
  zoneStep(label: string, store: RecordStore): Promise<boolean>;
  /** Follows the curated area up to now. */
  curated(): Promise<void>;
  /** Follows decisions that were not made here; `missed` if there is one that was not seen. */
  decisions(missed?: boolean): Promise<void>;
  /** Ends deferrals whose time has come. */
  time(): void;
  /** Compares a submission again: its curated record, or a decision on its claim, has changed. */
  reassess(row: QueuedSubmission, curated: Curated): QueuedSubmission;
};

export function followerOf(parts: ReviewParts, index: QueueIndex): Follower {
  const { schema, tags, curated } = parts;
  const now = () => isoTime(parts.now?.() ?? new Date());
  const digestOf = (content: Content) => claimOfContent(schema, tags, content).digest;

  let lookedBack = Number.NEGATIVE_INFINITY;

  return { zoneStep, curated: followCurated, decisions: followDecisions, time: endDeferrals, reassess };

  async function zoneStep(label: string, store: RecordStore): Promise<boolean> {
    let after = index.cursor(label) ?? 0;
    const revision = await store.revision();
    if (revision < after) {
      // The zone was replaced by another one: its counter starts again.
      index.change(() => index.forgetZone(label));
      after = 0;
    }
    if (revision === after) {
      if (index.cursor(label) === undefined) index.change(() => index.setCursor(label, after));
      return false;
    }
    const entries = await store.entries({ after, limit: CHANGES_PER_STEP });
    const last = entries.at(-1);
    if (!last) return false;
    const rows = new Map<string, QueuedSubmission>();
    for (const entry of entries) {
      const prior = rows.get(entry.iri) ?? index.get(label, entry.iri);
      const row = entry.kind === 'put' ? await stored(label, entry, prior) : await left(entry, prior);
      if (row) rows.set(entry.iri, row);
    }
    const found = new Map<string, Curated>();
    for (const [iri, row] of rows) if (row.present) found.set(iri, await curated.get(iri));
    index.change(() => {
      for (const [iri, row] of rows) {
        const { className, json } = { className: row.class, json: row.json };
        const decided = index.get(label, iri);
        // A decision that was made meanwhile has taken this very content out of the queue.
        if (decided && !decided.present && decided.revision === row.revision) continue;
        index.put(row.present ? reassess({ ...row, class: className, json }, found.get(iri)) : row);
      }
      index.setCursor(label, last.revision);
    });
    return entries.length === CHANGES_PER_STEP || last.revision < revision;
  }

  /** The row of a submission that was stored. */
  async function stored(
    label: string,
    entry: Entry,
    prior: QueuedSubmission | undefined,
  ): Promise<QueuedSubmission> {
    const content = { className: entry.className, json: entry.json ?? '{}' };
    const digest = digestOf(content);
    const there = prior?.present ? prior : undefined;
    const isSame = there?.digest === digest;
    const byUser = entry.role === 'submitter';
    const byCurator = entry.role !== null && !byUser;
    const restored = entry.decision === undefined ? undefined : await kept(entry.decision);
    // What a curator edits stays the submission that it was; what another program writes is a new one.
    const former = isSame || byCurator ? there : undefined;
    const base: Base = isSame
      ? baseFields(there)
      : entry.base
        ? knownBase(entry.base.etag, contentOfBase(entry.base))
        : baseFields(byCurator ? there : undefined);
    const own = byUser
      ? {
          submitter: entry.committer,
          edited_by: null,
          batch: entry.batch ?? null,
          message: entry.message ?? null,
        }
      : {
          submitter: former?.submitter ?? null,
          edited_by: byCurator ? entry.committer : (former?.edited_by ?? null),
          batch: entry.batch ?? former?.batch ?? null,
          message: entry.message ?? former?.message ?? null,
        };
    return {
      label,
      iri: entry.iri,
      pid: entry.pid,
      class: content.className,
      json: content.json,
      present: 1,
      standing: 'waiting',
      until: null,
      ...own,
      submitted_at: former?.submitted_at ?? entry.time,
      answered_at: entry.message !== undefined ? entry.time : (there?.answered_at ?? null),
      ...base,
      ...(restored && restoredFields(restored)),
      stored_at: entry.time,
      revision: entry.revision,
      digest,
      ...UNASSESSED,
      status: null,
      left_at: null,
      decision: null,
    };
  }

  /** The row of a submission that left its zone. */
  async function left(
    entry: Entry,
    prior: QueuedSubmission | undefined,
  ): Promise<QueuedSubmission | undefined> {
    if (!prior?.present) return prior;
    const gone = { ...prior, present: 0, revision: entry.revision, left_at: entry.time } as const;
    if (entry.decision !== undefined) return { ...gone, status: 'accepted', decision: entry.decision };
    if (entry.role === 'submitter') return { ...gone, status: 'withdrawn' };
    return { ...gone, status: (await wasAccepted(prior, entry.time)) ? 'accepted' : 'removed' };
  }

  /** Whether the curated record made the claim when the submission left, or at some later time. */
  async function wasAccepted({ iri, digest }: QueuedSubmission, time: string): Promise<boolean> {
    const entries = await curated.entries({ iris: [iri], newestFirst: true, limit: LOOK_BACK });
    for (const { className, json, time: changed } of entries) {
      if (json !== null && digestOf({ className, json }) === digest) return true;
      if (changed <= time) return false;
    }
    return false;
  }

  async function kept(id: string): Promise<KeptDecision | undefined> {
    const row = await curated.ledger.get(DECISION, id);
    return row && (JSON.parse(row.json) as KeptDecision);
  }

  function reassess(row: QueuedSubmission, record: Curated): QueuedSubmission {
    const submitted = contentOf(row);
    const sides = { submitted, curated: record ?? null, base: baseOfRow(row) };
    const found = assess(schema, submitted, compare(schema, tags, sides));
    const last = index.lastOnClaim(row.iri, found.digest);
    return {
      ...row,
      ...assessedFields(found),
      ...standingOf(last, row.answered_at, now()),
      curated_revision: record?.revision ?? null,
    };
  }

  async function followCurated(): Promise<void> {
    for (;;) {
      const after = index.meta('curated');
      const revision = await curated.revision();
      if (after === undefined) {
        // No zone has been read yet: rows are compared with the curated records of today.
        index.change(() => index.setMeta('curated', String(revision)));
        return;
      }
      if (revision === Number(after)) return;
      // A counter that went back belongs to another area.
      const from = revision < Number(after) ? 0 : Number(after);
      const changes = await curated.changesSince(from, CHANGES_PER_STEP);
      const last = changes.at(-1);
      const reached = last ? ('record' in last ? last.record.revision : last.revision) : revision;
      index.change(() => {
        for (const change of changes) {
          const record = change.kind === 'put' ? change.record : undefined;
          for (const row of index.on(record?.iri ?? (change as { iri: string }).iri)) {
            if (row.present) index.put(reassess(row, record));
            else if (row.status === 'removed' && record && digestOf(record) === row.digest)
              index.put({ ...row, status: 'accepted' });
          }
        }
        index.setMeta('curated', String(reached));
      });
      await nextTurn();
    }
  }

  async function followDecisions(missed = false): Promise<void> {
    // Ids begin with the time at which another instance made them, which is before they are seen.
    const isShared = parts.shared === true;
    const looksBack = isShared && (missed || performance.now() - lookedBack > LOOK_BACK_EVERY);
    if (looksBack) lookedBack = performance.now();
    const from = (id: string) => (isShared ? idBefore(id, looksBack ? OVERLAP : SHORT_OVERLAP) : id);
    for (let after = from(index.lastDecisionId()); ; ) {
      const rows = await curated.ledger.list({ kind: DECISION, after, limit: CHANGES_PER_STEP });
      const read = (await Promise.all(rows.map(readDecision))).filter(isNew);
      if (read.length > 0) index.change(() => read.forEach(noteDecision));
      after = rows.at(-1)?.id ?? after;
      if (rows.length < CHANGES_PER_STEP) break;
      await nextTurn();
    }
    for (let after = from(index.meta('changed') ?? ''); ; ) {
      const rows = await curated.ledger.list({ kind: CHANGED, after, limit: CHANGES_PER_STEP });
      const ids = rows.flatMap(({ json }) => JSON.parse(json) as string[]);
      const changed = await Promise.all(
        ids.map(async (id) => {
          const row = await curated.ledger.get(DECISION, id);
          return row && readDecision(row);
        }),
      );
      const last = rows.at(-1);
      if (!last) return;
      index.change(() => {
        for (const one of changed) if (one && isNew(one)) noteDecision(one);
        if (last.id > (index.meta('changed') ?? '')) index.setMeta('changed', last.id);
      });
      after = last.id;
    }
  }

  /** A decision with the digest that the schema of today gives to what was submitted. */
  async function readDecision({ json }: { readonly json: string }): Promise<ReadDecision> {
    const { decision, iri, schema: made, submitted } = JSON.parse(json) as KeptDecision;
    if (made === schema.digest || !submitted) return { decision, iri, digest: decision.digest };
    const content = (await carriedContent(curated, decision.id, schema.digest)) ?? submitted;
    return { decision, iri, digest: digestOf(content) };
  }

  /** Whether the index lacks a decision, or has it as it was: those that are read again are mostly known. */
  function isNew({ decision, digest }: ReadDecision): boolean {
    return !index.hasDecision(digest, decision);
  }

  /** Stores a decision, and the resulting state of the submissions of its claim. */
  function noteDecision({ decision, iri, digest }: ReadDecision): void {
    index.putDecision(iri, digest, decision);
    for (const row of index.on(iri)) {
      if (!row.present || row.digest !== digest) continue;
      index.put({ ...row, ...standingOf(index.lastOnClaim(iri, digest), row.answered_at, now()) });
    }
  }

  function endDeferrals(): void {
    const due = index.sql('SELECT label, iri FROM submission WHERE until <= ? LIMIT 1000').all(now()) as {
      label: string;
      iri: string;
    }[];
    if (due.length === 0) return;
    index.change(() => {
      for (const { label, iri } of due) {
        const row = index.get(label, iri)!;
        const last = index.lastOnClaim(iri, row.digest);
        index.put({ ...row, ...standingOf(last, row.answered_at, now()) });
      }
    });
  }
}

type ReadDecision = Pick<KeptDecision, 'decision' | 'iri'> & { readonly digest: string };

type Base = Pick<QueuedSubmission, 'base_known' | 'base_etag' | 'base_class' | 'base_json'>;

const UNKNOWN_BASE: Base = { base_known: 0, base_etag: null, base_class: null, base_json: null };

function knownBase(etag: string | null, content: BaseContent): Base {
  return {
    base_known: 1,
    base_etag: etag,
    base_class: content?.className ?? null,
    base_json: content?.json ?? null,
  };
}

function baseFields(row: QueuedSubmission | undefined): Base {
  if (!row) return UNKNOWN_BASE;
  const { base_known, base_etag, base_class, base_json } = row;
  return { base_known, base_etag, base_class, base_json };
}

function contentOfBase({ className, json }: NonNullable<Entry['base']>): BaseContent {
  return className === null || json === null ? null : { className, json };
}

/** What an undo puts back together with the record. */
function restoredFields({ submission }: KeptDecision) {
  const { submitter, edited_by, submitted_at, batch, message, answered_at } = submission;
  const base = submission.base_known ? knownBase(submission.base_etag, submission.base) : UNKNOWN_BASE;
  return { submitter, edited_by, submitted_at, batch, message, answered_at, ...base };
}

const UNASSESSED = {
  state: 'new',
  title: null,
  valid: 0,
  differences: 0,
  conflicts: 0,
  slots: '[]',
  curated_revision: null,
} as const;

function assessedFields({ digest, state, title, valid, differences, conflicts, slots }: Assessment) {
  return {
    digest,
    state,
    title,
    differences,
    conflicts,
    valid: valid ? 1 : 0,
    slots: JSON.stringify(slots),
  } as const;
}
