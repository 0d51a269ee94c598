/**
 * The review of a collection: the queue of what its zones propose, decisions on it, and what submitters see of them.
 *
 * The queue is an index over the zones (`queue-index.ts`), which is brought up to date before each read (`follow.ts`).
 * Decisions are kept in the curated area's ledger and change the two stores in one step (`decide.ts`, `step.ts`).
 * HTTP is a thin layer over the methods of this class, which has the lifetime of the collection.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { canonicalJson, type JsonValue } from '../json.ts';
import { resolvePid } from '../records/record.ts';
import type { StoreFault } from '../storage/store.ts';
import { type Deciding, decide } from './decide.ts';
import {
  type DecisionFilter,
  type DecisionItem,
  type DecisionPage,
  listDecisions,
  readDecision,
} from './decisions.ts';
import { conditionsOf, type Filter, firstLabel } from './filter.ts';
import { followerOf } from './follow.ts';
import { type ReadItem, readItem } from './item.ts';
import { Locks } from './locks.ts';
import { isoTime, type Reviewer, type ReviewParts } from './parts.ts';
import { MOST_DECISIONS, proposalInvalid, readFilterProposal, readProposal } from './proposal.ts';
import {
  behind,
  countRows,
  nextOf,
  pagePosition,
  type QueuePage,
  rowsOf,
  type Sort,
  type Summary,
  selectRows,
  summaryOf,
} from './queue.ts';
import { QueueIndex } from './queue-index.ts';
import { Refusal } from './refusal.ts';
import { Intents } from './step.ts';
import {
  listOwn,
  matchingOwn,
  type OwnFilter,
  type OwnItem,
  type OwnPage,
  readOwn,
  type Sight,
} from './submissions.ts';
import type { Decision, Hinter } from './types.ts';
import { groupOf, undoDecisions } from './undo.ts';

/** The outcome of one decision of several. */
export type Outcome = {
  readonly label: string;
  readonly pid: string;
} & ({ readonly decision: Decision } | { readonly error: ServiceError });

export type Paging = { readonly page: number; readonly size: number; readonly after?: string };

/** How long a request waits for zones that are read for the first time since the start, in milliseconds. */
const REVIEW_PATIENCE = 1000;
/** How long it waits for one that was written to. */
const PATIENCE_WITH_USED = 5000;
/** So many labels are named to a curator who asks for an unknown one. */
const MOST_LABELS = 20;
/** Decisions of one request that are made at a time: they share commits. */
const AT_ONCE = 8;

export class Review {
  readonly #parts: ReviewParts;
  readonly #index: QueueIndex;
  readonly #intents: Intents;
  readonly #deciding: Deciding;
  readonly #follower: ReturnType<typeof followerOf>;
  readonly #locks = new Locks();
  readonly #zoneLocks = new Locks();
  /** Zones that have not been read up to now since the start. */
  readonly #pending = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #failed = new Map<string, unknown>();
  #following: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #background: Promise<void> | undefined;
  #recovered: Promise<void> | undefined;
  #closed = false;

  constructor(parts: ReviewParts) {
    const made = `${parts.schema.digest} ${canonicalJson(parts.tags as unknown as JsonValue)}`;
    this.#parts = parts;
    this.#index = new QueueIndex(parts.indexFile, made);
    this.#intents = new Intents(parts);
    this.#follower = followerOf(parts, this.#index);
    this.#deciding = {
      parts,
      index: this.#index,
      follower: this.#follower,
      intents: this.#intents,
      followDecisions: () => this.#follower.decisions(true),
      followZone: (label) => this.#readZone(label),
      now: () => this.#now(),
      missed: 0,
    };
  }

  /** Changes whenever the queue does: the entity tag of its lists. */
  async version(): Promise<string> {
    await this.#follow();
    // Hints of rows depend on other curated records, too.
    return `${this.#index.version}.${this.#pending.size}.${this.#index.meta('curated') ?? ''}`;
  }

  /** A page of the queue. */
  async queue(
    filter: Filter,
    sort: Sort,
    { page, size, after }: Paging,
    hinter?: Hinter,
  ): Promise<QueuePage> {
    await this.#follow();
    const conditions = await conditionsOf(this.#parts, filter);
    const total = countRows(this.#index, conditions);
    const position = after === undefined ? undefined : pagePosition(after);
    if (after !== undefined && !position) throw unknownPosition('after');
    const offset = position ? 0 : (page - 1) * size;
    const range = { offset, limit: size + 1, ...(position && { after: position }) };
    const rows = selectRows(this.#index, conditions, sort, range);
    const items = rows.slice(0, size);
    return {
      items: await rowsOf(this.#parts, this.#index, items, hinter),
      total,
      page,
      size,
      pages: Math.ceil(total / size),
      next: rows.length > size ? nextOf(items.at(-1), sort) : null,
      as_of: this.#asOf(),
      zones_pending: this.#pending.size,
    };
  }

  /** How many submissions there are of each kind. */
  async summary(filter: Filter): Promise<Summary> {
    await this.#follow();
    const conditions = await conditionsOf(this.#parts, filter);
    return summaryOf(this.#index, conditions, this.#pending.size, this.#asOf());
  }

  /** @throws ServiceError `label_unknown`, `record_missing`, `prefix_unknown` */
  async item(label: string, pid: string, hinter?: Hinter): Promise<ReadItem> {
    await this.#follow();
    const zone = await this.#zone(label);
    await this.#readZone(zone);
    const row = this.#index.get(zone, resolvePid(this.#parts.schema, pid));
    if (!row?.present) {
      throw new ServiceError(
        'record_missing',
        `The zone '${label}' has no submission with the pid '${pid}'.`,
      );
    }
    return readItem(this.#parts, this.#index, row, hinter);
  }

  /**
   * Makes one decision.
   *
   * @throws ServiceError `payload_invalid`, `label_unknown`, and all refusals of `decide.ts`
   */
  async decide(body: JsonValue, reviewer: Reviewer): Promise<Decision> {
    const proposal = readProposal(body, ['body'], this.#now());
    const label = await this.#zone(proposal.label);
    const { schema } = this.#parts;
    const iris = [proposal, ...proposal.references].map(({ pid }) => resolvePid(schema, pid));
    return this.#locks.run(iris, () => decide(this.#deciding, { ...proposal, label }, reviewer));
  }

  /** Makes several decisions, each on its own. @throws ServiceError `payload_invalid` for any other body */
  async decideAll(bodies: readonly JsonValue[], reviewer: Reviewer): Promise<Outcome[]> {
    if (bodies.length === 0 || bodies.length > MOST_DECISIONS) {
      const msg = `body: found ${bodies.length} decisions, expected 1 to ${MOST_DECISIONS}.`;
      throw proposalInvalid([{ type: 'payload_invalid', loc: ['body'], msg }]);
    }
    const now = this.#now();
    for (const [at, body] of bodies.entries()) readProposal(body, ['body', at], now);
    return inTurns(bodies, async (body) => {
      const { label, pid } = body as { label: string; pid: string };
      return outcome(label, pid, () => this.decide(body, reviewer));
    });
  }

  /** The same decision on what a filter selects. @throws ServiceError `payload_invalid`, `selection_changed` */
  async decideByFilter(
    body: JsonValue,
    reviewer: Reviewer,
  ): Promise<{ selected: number; results: Outcome[]; next: string | null }> {
    const { filter, expected, asOf, after, ...ruling } = readFilterProposal(body, this.#now());
    await this.#follow();
    const conditions = await conditionsOf(this.#parts, filter);
    const position = after === undefined ? undefined : pagePosition(after);
    if (after !== undefined && !position) throw unknownPosition('after');
    const upTo = asOf ?? this.#asOf();
    const selected = countRows(this.#index, conditions, upTo, position && behind(position));
    if (selected !== expected) {
      throw new Refusal(
        'selection_changed',
        `The filter selects ${selected} submissions, and you expected ${expected}. Look at the queue again before you decide.`,
        { selected },
      );
    }
    const sort = { by: 'submitted', reverse: false } as const;
    const range = { offset: 0, limit: MOST_DECISIONS, upTo, ...(position && { after: position }) };
    const rows = selectRows(this.#index, conditions, sort, range);
    const results = await inTurns(rows, ({ label, pid, digest, iri }) =>
      outcome(label, pid, () => {
        const proposal = {
          ...ruling,
          ...{ label, pid, digest, references: [] },
          ...{ record: undefined, take: undefined, ifCurated: undefined },
        };
        return this.#locks.run([iri], () => decide(this.#deciding, proposal, reviewer));
      }),
    );
    return { selected, results, next: selected > rows.length ? nextOf(rows.at(-1), sort) : null };
  }

  /** Undoes a decision and its group. @throws ServiceError `record_missing`, and the refusals of `undo.ts` */
  async undo(id: string, reviewer: Reviewer): Promise<Decision> {
    await this.#follow();
    await this.#intents.settled();
    const iris = (await groupOf(this.#deciding, id)).map(({ iri }) => iri);
    const decision = await this.#locks.run(iris, async () => {
      const group = await groupOf(this.#deciding, id);
      return undoDecisions(this.#deciding, id, group, reviewer);
    });
    return decision;
  }

  async decisions(filter: DecisionFilter & { readonly pid?: string }, paging: Paging): Promise<DecisionPage> {
    await this.#follow();
    const { pid, ...others } = filter;
    const iri = pid === undefined ? {} : { iri: this.#parts.schema.expand(pid) ?? pid };
    return listDecisions(this.#index, { ...others, ...iri }, paging.page, paging.size);
  }

  /** @throws ServiceError `record_missing` */
  async decision(id: string): Promise<DecisionItem> {
    await this.#follow();
    return readDecision(this.#parts, this.#index, id);
  }

  /** A page of the submissions of a zone, for its tokens. */
  async submissions(
    label: string,
    filter: OwnFilter,
    sight: Sight,
    { page, size }: Paging,
  ): Promise<OwnPage> {
    await this.#follow();
    const zone = await firstLabel(this.#parts, label);
    await this.#readZone(zone);
    const found =
      filter.matching === undefined ? undefined : await matchingOwn(this.#deciding, zone, filter.matching);
    return listOwn(this.#deciding, zone, filter, found, sight, page, size);
  }

  /** @throws ServiceError `record_missing`, `prefix_unknown` */
  async submission(label: string, pid: string, sight: Sight): Promise<OwnItem> {
    await this.#follow();
    const zone = await firstLabel(this.#parts, label);
    await this.#readZone(zone);
    const row = this.#index.get(zone, resolvePid(this.#parts.schema, pid));
    if (!row) throw new ServiceError('record_missing', `You have no submission with the pid '${pid}'.`);
    return readOwn(this.#deciding, row, sight);
  }

  /** What operators have to know: decisions that a zone does not carry out, and zones that cannot be read. */
  faults(): StoreFault[] {
    return [
      ...this.#intents.failed().map(({ label, decision }) => ({
        path: `incoming/${label}`,
        message: `The decision ${decision} is made, but its zone cannot be changed. It is tried again.`,
      })),
      ...[...this.#failed.keys()].map((label) => ({
        path: `incoming/${label}`,
        message: 'The zone cannot be read, so the queue lacks its submissions.',
      })),
    ];
  }

  /** Carries out what a crash left between the two stores of a step. */
  recover(): Promise<void> {
    this.#recovered ??= this.#intents.recover().catch((error) => {
      // The next one to ask tries again.
      this.#recovered = undefined;
      throw error;
    });
    return this.#recovered;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#background;
    await this.#following;
    await this.#intents.close();
    this.#index.close();
  }

  #now(): Date {
    return this.#parts.now?.() ?? new Date();
  }

  /** Up to when the queue is known: the time of the last store in it, since the clock may have passed later ones. */
  #asOf(): string {
    return this.#index.lastStored() ?? isoTime(this.#now());
  }

  /** The label under which a zone is listed. @throws ServiceError `label_unknown` */
  async #zone(label: string): Promise<string> {
    const labels = await this.#parts.zones.labels();
    if (labels.includes(label)) return firstLabel(this.#parts, label);
    const known =
      labels
        .slice(0, MOST_LABELS)
        .map((one) => `'${one}'`)
        .join(', ') || 'none';
    throw new ServiceError(
      'label_unknown',
      `The collection '${this.#parts.collection}' has no incoming zone '${label}', expected ${known}.`,
    );
  }

  /** Brings the index up to date. Those who ask while an update is waiting share it. */
  #follow(): Promise<void> {
    this.#next ??= this.#following.then(() => {
      this.#next = undefined;
      const step = this.#catchUp();
      this.#following = step.catch(() => undefined);
      return step;
    });
    return this.#next;
  }

  async #catchUp(): Promise<void> {
    // Intents first: between the two stores of a step, an accepted record may be in both.
    const { zones, follows } = this.#parts;
    if (!follows) await this.recover();
    const labels = await zones.labels();
    const revisions = await zones.revisions?.();
    const changed = revisions ? undefined : zones.used();
    const used = changed && new Set(changed);
    const isKnown = (label: string) =>
      revisions
        ? (revisions.get(label) ?? 0) === (this.#index.cursor(label) ?? 0)
        : used?.has(label) === false;
    // Changes that are made while zones are read are followed after that.
    if (this.#index.meta('curated') === undefined) await this.#follower.curated();
    const { missed } = this.#deciding;
    await this.#follower.decisions();
    if (this.#deciding.missed === missed) this.#deciding.missed = 0;
    // The index of a former run may be up to date.
    if (revisions) for (const label of labels) if (isKnown(label)) this.#seen.add(label);
    for (const label of labels) if (!this.#seen.has(label)) this.#pending.add(label);
    for (const label of this.#index.zones())
      if (!labels.includes(label)) this.#index.change(() => this.#index.forgetZone(label));
    for (const label of this.#pending) if (!labels.includes(label)) this.#pending.delete(label);
    const deadline = performance.now() + PATIENCE_WITH_USED;
    for (const label of labels)
      if (!isKnown(label)) await this.#followZone(label, this.#seen.has(label) ? undefined : deadline);
    await this.#readPending(performance.now() + REVIEW_PATIENCE);
    if (this.#pending.size > 0) this.#background ??= this.#readInBackground();
    await this.#follower.curated();
    this.#follower.time();
  }

  /** Reads zones for the first time. */
  async #readPending(deadline: number): Promise<void> {
    for (const label of [...this.#pending].sort()) {
      if (this.#closed || performance.now() > deadline) return;
      await this.#followZone(label, deadline);
    }
  }

  async #readInBackground(): Promise<void> {
    const release = this.#parts.hold?.();
    while (this.#pending.size > this.#failed.size && !this.#closed) {
      await this.#readPending(Number.POSITIVE_INFINITY);
      await nextTurn();
    }
    this.#background = undefined;
    release?.();
  }

  /**
   * Follows a zone up to now. Without its database, it may have submissions that the index lacks: a request about one of
   * them must not find that it is missing.
   *
   * @throws ServiceError `storage_unavailable`
   */
  async #readZone(label: string): Promise<void> {
    await this.#followZone(label);
    const failure = this.#failed.get(label);
    if (failure instanceof ServiceError && failure.code === 'storage_unavailable') throw failure;
  }

  /** Follows a zone up to now, or until a time. One that cannot be read does not keep others from being read. */
  #followZone(label: string, deadline = Number.POSITIVE_INFINITY): Promise<void> {
    return this.#zoneLocks.run([label], async () => {
      try {
        const zone = await this.#parts.zones.follow(label);
        const isListed = !zone.isCurated && (await firstLabel(this.#parts, label)) === label;
        while (isListed && !this.#closed && (await this.#follower.zoneStep(label, zone.store))) {
          if (performance.now() > deadline) return;
          await nextTurn();
        }
        this.#failed.delete(label);
        this.#seen.add(label);
        this.#pending.delete(label);
      } catch (error) {
        if (!this.#failed.has(label)) {
          const { collection, log } = this.#parts;
          log.warn({ err: error, collection, zone: label }, 'could not read a zone for review, will retry');
        }
        this.#failed.set(label, error);
      }
    });
  }
}

async function outcome(label: string, pid: string, work: () => Promise<Decision>): Promise<Outcome> {
  try {
    return { label, pid, decision: await work() };
  } catch (error) {
    if (error instanceof ServiceError) return { label, pid, error };
    throw error;
  }
}

/** Works on several at a time, and returns results in order. */
async function inTurns<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(all.length);
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < all.length; at = next++) results[at] = await work(all[at]!);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, all.length) }, worker));
  return results;
}

function unknownPosition(parameter: string): ServiceError {
  const msg = `${parameter}: expected the value of next on a former page.`;
  return proposalInvalid([{ type: 'payload_invalid', loc: [parameter], msg }]);
}
