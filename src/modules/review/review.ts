/**
 * The review of a collection: the queue of what its zones propose, decisions on it, and what submitters see of them.
 *
 * Submissions and decisions are rows of the database. The companions of the areas (`companions.ts`) change the rows in the
 * transactions that change records; a decision (`decide.ts`) changes records, rows and decisions in one. HTTP is a thin layer
 * over the methods of this class, which has the lifetime of the collection.
 */
import { hash } from 'node:crypto';
import { isServiceError, ServiceError } from '../../core/errors.ts';
import { resolvePid } from '../../core/records/record.ts';
import { backgroundWork } from '../../core/storage/open-database.ts';
import { microsecondsOf, timeOf } from '../../core/storage/times.ts';
import type { Visibility } from '../../core/storage/visibility.ts';
import { yielder } from '../../core/yield.ts';
import type {} from './codes.ts';
import { decide, decideAll, type Outcome } from './decisions/decide.ts';
import { zoneOf } from './decisions/decision-runs.ts';
import {
  type DecisionFilter,
  type DecisionItem,
  type DecisionPage,
  listDecisions,
  readDecision,
} from './decisions/decisions.ts';
import {
  type Proposal,
  readFilterProposal,
  readProposal,
  type SentFilterProposal,
  type SentProposal,
} from './decisions/proposal.ts';
import { type UndoOutcome, undoAll, undoDecision } from './decisions/undo.ts';
import type { QueueReading } from './parts.ts';
import { contextOf, type ReviewContext, type Reviewer, type ReviewParts } from './parts.ts';
import { type Activity, type ActivityQuery, activityOf } from './queue/activity.ts';
import {
  type Assignment,
  type AssignmentOutcome,
  assignAll,
  type Curator,
  lostIn,
  type SentAssignment,
} from './queue/assign.ts';
import { type EventPosition, eventsFor, type ReviewEvent, refuseAfter, seesEvent } from './queue/events.ts';
import type { Filter } from './queue/fields.ts';
import { type Condition, type Conditions, conditionsOf, filterFor } from './queue/filter.ts';
import { type ReadItem, readItem, submissionAt } from './queue/item.ts';
import {
  before,
  behind,
  type CuratorReading,
  countRows,
  nextOf,
  pagePosition,
  positionIn,
  type QueuePage,
  type QueuePosition,
  rowsOf,
  type Sort,
  type Summary,
  selectRows,
  storedBy,
  summaryOf,
} from './queue/queue.ts';
import { Refusal, type Scope, WordResults } from './queue/words.ts';
import { MOST_DECISIONS } from './states.ts';
import { addComment, type Comment, type SentComment } from './submissions/comments.ts';
import { Reconciliation } from './submissions/reconcile.ts';
import { reviewDraft } from './submissions/review-draft.ts';
import {
  listOwn,
  type OwnFilter,
  type OwnItem,
  type OwnPage,
  type OwnZone,
  readOwn,
  type Sight,
} from './submissions/submissions.ts';
import type { Decision, HintProvider } from './types.ts';

export type { Outcome } from './decisions/decide.ts';
export type { AssignmentOutcome } from './queue/assign.ts';

/** The outcome of one comment of several. */
export type CommentOutcome = {
  readonly label: string;
  readonly pid: string;
} & ({ readonly comment: Comment } | { readonly error: ServiceError });

type Paging = {
  readonly page: number;
  readonly size: number;
  /** Behind the last row of a former page. */
  readonly after?: string;
  /** From a few rows before a submission on, or before where it was. */
  readonly around?: { readonly label: string; readonly pid: string };
};

/** Whom events are for. With a label, those of this zone are their own. */
type Informed = {
  readonly userId: string;
  readonly label?: string;
  readonly curates: boolean;
  /** Which records they see; undefined if all. */
  readonly visibility: Visibility | undefined;
};

/** A page of events. Each has a position behind which a page continues, and so has the page, unless nothing is behind it. */
type Events = {
  readonly events: { readonly event: ReviewEvent; readonly position: EventPosition }[];
  readonly next: EventPosition | null;
};

/** Rows of a page before the submission that it is around. */
const ROWS_BEFORE = 5;

/** The order in which a filter decides. */
const OLDEST_FIRST: Sort = { by: 'submitted', reverse: false };
/** Events that are read for a page of those that a caller sees, and at least with a statement. */
const MOST_EVENTS_READ = 1000;
const EVENTS_AT_ONCE = 50;
/** Deferrals that are ended at a time. */
const ENDED_AT_ONCE = 1000;

export class Review {
  readonly #parts: ReviewParts;
  readonly #context: ReviewContext;
  readonly #reconciliation: Reconciliation;
  readonly #words: WordResults;

  constructor(parts: ReviewParts, words = new WordResults()) {
    this.#parts = parts;
    this.#words = words;
    this.#context = contextOf(parts);
    this.#reconciliation = new Reconciliation(this.#context);
  }

  /** Changes whenever the queue does: the entity tag of its lists. */
  async version(): Promise<string> {
    const { queue, lost } = await this.#curating();
    const { changes } = await this.#state(queue);
    // Hints of rows depend on other curated records, too.
    const state = [queue, changes, this.#reconciliation.pending, await this.#parts.curated.revision()];
    // Nothing of the queue changes if someone curates no more.
    return [...state, ...(lost.size > 0 ? [hash('sha256', [...lost].join('\n'), 'base64url')] : [])].join(
      '.',
    );
  }

  async queue(
    filter: Filter,
    sort: Sort,
    { page, size, after, around }: Paging,
    findHints?: HintProvider,
  ): Promise<QueuePage> {
    const reading = await this.#curating();
    const conditions = await this.#conditions(reading, filter);
    const position = positionOf(after, sort);
    // Asked before rows are read: if none is pending, these are all.
    const zones_pending = this.#reconciliation.pending;
    const { asOf } = await this.#state(reading.queue);
    const total = await countRows(reading, conditions);
    const first = around ? await this.#firstAround(reading, conditions, sort, around) : (page - 1) * size;
    const offset = position ? 0 : first;
    const rows = await selectRows(reading, conditions, { sort, after: position, offset, limit: size + 1 });
    const items = rows.slice(0, size);
    return {
      items: await rowsOf(reading, items, findHints),
      total,
      page,
      size,
      pages: Math.ceil(total / size),
      next: rows.length > size ? nextOf(items.at(-1), sort) : null,
      as_of: asOf,
      zones_pending,
      ...(around && { offset }),
    };
  }

  /** How many submissions there are of each kind. */
  async summary(filter: Filter): Promise<Summary> {
    const reading = await this.#curating();
    const zones_pending = this.#reconciliation.pending;
    const { changes, asOf: as_of } = await this.#state(reading.queue);
    const counts = await summaryOf(reading, await this.#conditions(reading, filter));
    return { ...counts, changes, as_of, zones_pending };
  }

  /** What has happened in the last weeks. */
  async activity(query: ActivityQuery): Promise<Activity> {
    return activityOf(await this.#reading(), query);
  }

  /**
   * What has happened that concerns a user, newest first: with a zone, to the submissions of that. Submissions of which a caller does not
   * see the record are left out.
   */
  async events(
    { userId, label, curates, visibility }: Informed,
    { after, limit }: { readonly after?: EventPosition | undefined; readonly limit: number },
  ): Promise<Events> {
    let position = after;
    const zone = label === undefined ? undefined : await this.#ownZone(label);
    const reading = await this.#reading(label);
    const concerned = { userId, zone: zone?.store.area.id, curates };
    const yieldIfDue = yielder();
    const events: Events['events'] = [];
    const step = Math.max(limit + 1, EVENTS_AT_ONCE);
    for (let read = 0; read < MOST_EVENTS_READ; read += step) {
      const found = await eventsFor(reading, concerned, { after: position, limit: step });
      for (const one of found) {
        await yieldIfDue();
        if (visibility && !(await seesEvent(reading, one, visibility))) continue;
        if (events.length === limit) return { events, next: events.at(-1)!.position };
        // Submitters are not shown who curates, unless the configuration says so.
        const isShown = curates || this.#parts.showReviewer;
        const event = isShown ? one.event : { ...one.event, by: null };
        events.push({ event, position: one.position });
      }
      if (found.length < step) return { events, next: null };
      position = found.at(-1)!.position;
    }
    return { events, next: position ?? null };
  }

  /** The queue, and its last change: later events have greater positions. */
  async lastChange(): Promise<{ readonly queue: number; readonly change: number }> {
    const queue = await this.#context.existingQueue();
    return { queue, change: (await this.#state(queue)).changes };
  }

  /** @throws ServiceError `label_unknown`, `record_missing`, `prefix_unknown` */
  async item(label: string, pid: string, findHints?: HintProvider): Promise<ReadItem> {
    const zone = await zoneOf(this.#parts, label);
    const reading = await this.#curating(label);
    const iri = resolvePid(this.#parts.schema, pid);
    const row = zone && (await submissionAt(reading, zone.store.area.id, iri));
    if (!row?.present) {
      throw new ServiceError(
        'record_missing',
        `The zone '${label}' has no submission with the pid '${pid}'.`,
      );
    }
    return readItem(reading, row, findHints);
  }

  /**
   * Makes one decision.
   *
   * @throws ServiceError `payload_invalid`, `label_unknown`, and all refusals of `decisions/decide.ts`
   */
  async decide(sent: SentProposal, reviewer: Reviewer): Promise<Decision> {
    return decide(this.#context, readProposal(sent, ['body'], this.#context.now()), reviewer);
  }

  /** Makes several decisions, each on its own. @throws ServiceError `payload_invalid` if one breaks a rule */
  async decideAll(sent: readonly SentProposal[], reviewer: Reviewer): Promise<Outcome[]> {
    const now = this.#context.now();
    const proposals = sent.map((one, at) => readProposal(one, ['body', at], now));
    return decideAll(this.#context, proposals, reviewer);
  }

  /** Makes one decision on every submission that a filter selects. @throws ServiceError `payload_invalid`, `selection_changed` */
  async decideByFilter(
    sent: SentFilterProposal,
    reviewer: Reviewer,
  ): Promise<{ selected: number; results: Outcome[]; next: string | null }> {
    const proposal = readFilterProposal(sent, this.#context.now());
    const { filter, expected, asOf, after, ...ruling } = proposal;
    const reading = await this.#curating();
    const conditions = await this.#conditions(reading, filterFor(filter, reviewer.userId));
    const position = positionOf(after, OLDEST_FIRST);
    const upTo = microsecondsOf(asOf ?? (await this.#state(reading.queue)).asOf);
    const more = [storedBy(upTo)];
    const rest = position ? [...more, behind(OLDEST_FIRST, position)] : more;
    const selected = await countRows(reading, conditions, rest);
    if (selected !== expected) {
      throw new Refusal(
        'selection_changed',
        `The filter selects ${selected} submissions, and you expected ${expected}. Look at the queue again before you decide.`,
        { selected },
      );
    }
    const slice = { sort: OLDEST_FIRST, after: position, offset: 0, limit: MOST_DECISIONS, more };
    const rows = await selectRows(reading, conditions, slice);
    const proposals = rows.map(({ label, pid, digest }): Proposal => {
      return {
        ...ruling,
        label,
        pid,
        digest,
        references: [],
        record: undefined,
        take: undefined,
        ifCurated: undefined,
      };
    });
    const results = await decideAll(this.#context, proposals, reviewer);
    return { selected, results, next: selected > rows.length ? nextOf(rows.at(-1), OLDEST_FIRST) : null };
  }

  /** Undoes a decision and its group. @throws ServiceError `record_missing`, and the refusals of `decisions/undo.ts` */
  undo(id: string, reviewer: Reviewer): Promise<Decision> {
    return undoDecision(this.#context, id, reviewer);
  }

  /** Undoes several decisions in the given order, each on its own. */
  undoAll(ids: readonly string[], reviewer: Reviewer): Promise<UndoOutcome[]> {
    return undoAll(this.#context, ids, reviewer);
  }

  async decisions(filter: DecisionFilter & { readonly pid?: string }, paging: Paging): Promise<DecisionPage> {
    const { pid, ...others } = filter;
    const iri = pid === undefined ? {} : { iri: this.#parts.schema.expand(pid) ?? pid };
    const { database } = this.#parts;
    return listDecisions(database, this.#context, { ...others, ...iri }, paging.page, paging.size);
  }

  /** @throws ServiceError `record_missing` */
  decision(id: string): Promise<DecisionItem> {
    return readDecision(this.#parts.database, this.#context, id);
  }

  /** A curator comments on a submission. @throws ServiceError `label_unknown`, `record_missing`, Refusal `comments_full` */
  async comment(label: string, pid: string, sent: SentComment): Promise<Comment> {
    await zoneOf(this.#parts, label);
    return this.#addComment(label, pid, sent);
  }

  /** A curator comments on several submissions, each on its own. */
  async commentAll(
    sent: readonly (SentComment & Pick<CommentOutcome, 'label' | 'pid'>)[],
  ): Promise<CommentOutcome[]> {
    const outcomes: CommentOutcome[] = [];
    for (const { label, pid, ...one } of sent)
      try {
        outcomes.push({ label, pid, comment: await this.comment(label, pid, one) });
      } catch (error) {
        if (!isServiceError(error)) throw error;
        outcomes.push({ label, pid, error });
      }
    return outcomes;
  }

  /** Assigns a submission. @throws ServiceError `payload_invalid`, `label_unknown`, `record_missing` */
  async assign(sent: SentAssignment): Promise<Assignment> {
    const [outcome] = await this.assignAll([sent]);
    if ('error' in outcome!) throw outcome.error;
    return outcome!.assignment;
  }

  /** Assigns several submissions, each on its own. */
  assignAll(sent: readonly SentAssignment[]): Promise<AssignmentOutcome[]> {
    return assignAll(this.#context, sent);
  }

  /** The users to whom submissions can be assigned. */
  async curators(): Promise<Curator[]> {
    const ids = await this.#parts.curators();
    const names = await this.#parts.names(ids);
    return ids.map((user_id) => ({ user_id, name: names.get(user_id) ?? null }));
  }

  /** A submitter comments on a submission that the token sees. @throws ServiceError `record_missing`, Refusal `comments_full` */
  async answer(label: string, pid: string, sent: SentComment, sight: Sight): Promise<Comment> {
    await this.submission(label, pid, sight);
    return this.#addComment(label, pid, sent);
  }

  /** A page of the submissions of a zone, for its tokens. */
  async submissions(
    label: string,
    filter: OwnFilter,
    sight: Sight,
    { page, size }: Paging,
  ): Promise<OwnPage> {
    const zone = await this.#ownZone(label);
    if (!zone) return { items: [], total: 0, page, size, pages: 0, counts: {} };
    const reading = await this.#reading(label);
    const { q } = filter;
    const having = q === undefined ? undefined : await this.#having(reading, { area: zone.store.area.id }, q);
    return listOwn(reading, zone, filter, sight, { page, size, having });
  }

  /** @throws ServiceError `record_missing`, `prefix_unknown` */
  async submission(label: string, pid: string, sight: Sight): Promise<OwnItem> {
    const zone = await this.#ownZone(label);
    const reading = await this.#reading(label);
    const row =
      zone && (await submissionAt(reading, zone.store.area.id, resolvePid(this.#parts.schema, pid)));
    const own = row && (await readOwn(reading, row, sight));
    if (!own) throw new ServiceError('record_missing', `You have no submission with the pid '${pid}'.`);
    return own;
  }

  close(): Promise<void> {
    return this.#reconciliation.close();
  }

  async #addComment(label: string, pid: string, sent: SentComment): Promise<Comment> {
    const zone = await this.#ownZone(label);
    const iri = resolvePid(this.#parts.schema, pid);
    const of = zone && { area: zone.store.area.id, label: zone.label };
    return addComment(this.#context, of, { iri, pid }, sent);
  }

  async #conditions(reading: CuratorReading, filter: Filter): Promise<Conditions> {
    const conditions = await conditionsOf(this.#parts, filter, reading.lost);
    if (filter.q === undefined) return conditions;
    return {
      ...conditions,
      others: [...conditions.others, await this.#having(reading, 'present', filter.q)],
    };
  }

  /** The condition of submissions with all words. */
  async #having(reading: QueueReading, scope: Scope, query: string): Promise<Condition> {
    const { changes } = await this.#state(reading.queue);
    return this.#words.condition(reading, changes, scope, query);
  }

  /** How many rows are before a page around a submission. */
  async #firstAround(
    reading: QueueReading,
    conditions: Conditions,
    sort: Sort,
    { label, pid }: NonNullable<Paging['around']>,
  ): Promise<number> {
    const { schema, zones } = this.#parts;
    const position = await positionIn(reading, sort, zones.first(label), resolvePid(schema, pid));
    if (!position) return 0;
    return Math.max(0, (await countRows(reading, conditions, [before(sort, position)])) - ROWS_BEFORE);
  }

  async #ownZone(label: string): Promise<OwnZone | undefined> {
    const first = this.#parts.zones.first(label);
    const zone = await this.#parts.zones.existing(first);
    return zone && { label: first, store: zone.store };
  }

  /** Waits for the rows: of all zones for a moment, of one until they are complete. */
  async #reading(label?: string): Promise<QueueReading> {
    if (label === undefined) await this.#reconciliation.patiently();
    else await this.#reconciliation.zone(this.#parts.zones.first(label));
    const queue = await this.#context.existingQueue();
    // Counts and entity tags of the queue need the end of a deferral at once.
    await backgroundWork(() => this.#endDeferrals(queue));
    return { reader: this.#parts.database, context: this.#context, queue };
  }

  /** What curators read the queue with: also which zones are lost. */
  async #curating(label?: string): Promise<CuratorReading> {
    const reading = await this.#reading(label);
    return { ...reading, lost: await lostIn(this.#context, reading.queue) };
  }

  /** How often the queue has changed, and up to when it is known: the time of the last store in it. */
  async #state(queue: number): Promise<{ readonly changes: number; readonly asOf: string }> {
    const [row] = await this.#parts.database.tuples<[number, number]>(
      'SELECT changes, stored FROM accession_queue WHERE queue = $1',
      [queue],
    );
    const [changes = 0, stored = 0] = row ?? [];
    return { changes, asOf: timeOf(stored || this.#context.time()) };
  }

  /** Ends deferrals whose time has come. A reader leaves them to the owner. */
  async #endDeferrals(queue: number): Promise<void> {
    const { database } = this.#parts;
    const due = `SELECT iri FROM accession_submission WHERE queue = $1 AND until <= $2 LIMIT ${ENDED_AT_ONCE}`;
    const values = [queue, this.#context.now().getTime()];
    if (database.readOnly || (await database.tuples(due, values)).length === 0) return;
    await database.transact(async (draft) => {
      const review = reviewDraft(draft, this.#context, queue);
      const iris = (await draft.tuples<[string]>(due, values)).map(([iri]) => iri);
      await review.loadRows(iris);
      await review.loadDecisions(iris);
      for (const iri of iris)
        for (const row of review.rows(iri))
          if (row.present && row.until !== null) review.put(review.settled(row));
      review.flush();
    });
  }
}

/** The position behind which a page continues. @throws ServiceError `payload_invalid` */
function positionOf(after: string | undefined, sort: Sort): QueuePosition | undefined {
  if (after === undefined) return undefined;
  return pagePosition(after, sort) ?? refuseAfter();
}
