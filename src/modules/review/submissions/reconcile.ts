/**
 * Makes the rows of zones that have none, or rows of another schema: of areas that were adopted, and after changes of the
 * schema, the tags or the labels. It runs in the background, once after the start; whatever changes meanwhile has its row.
 */
import { TIMEOUT } from '../../../core/durations.ts';
import { cursorVersions, setCursor } from '../../../core/storage/cursors.ts';
import { backgroundWork } from '../../../core/storage/open-database.ts';
import { hasRecord, irisBeside, lastDeletion } from '../../../core/storage/read/record-sql.ts';
import { cursorName, cursorOf, type ReviewContext } from '../parts.ts';
import { currentSubmission, type ZoneOf } from './current.ts';
import { type ReviewDraft, reviewDraft } from './review-draft.ts';

/** Rows of one transaction. */
const AT_ONCE = 50;

export class Reconciliation {
  readonly #context: ReviewContext;
  /** Zones whose rows are not known to be complete; undefined before the first request. */
  #pending: Map<string, ZoneOf> | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(context: ReviewContext) {
    this.#context = context;
  }

  /** The number of zones whose rows are not complete. */
  get pending(): number {
    return this.#pending?.size ?? 0;
  }

  /** Waits a moment for all zones. */
  async patiently(): Promise<void> {
    await this.#start();
    const patience = new Promise((resolve) => setTimeout(resolve, TIMEOUT.zones).unref());
    if (this.#running) await Promise.race([this.#running, patience]);
  }

  /** Waits for one zone. @throws what keeps it from being read */
  async zone(label: string): Promise<void> {
    await this.#start();
    const zone = this.#pending?.get(label);
    if (zone && !this.#context.parts.database.readOnly) await backgroundWork(() => this.#reconcileZone(zone));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #start(): Promise<void> {
    const { readOnly } = this.#context.parts.database;
    // No change reaches a reader when the owner has completed a zone.
    if (!this.#pending || (readOnly && this.#pending.size > 0)) this.#pending = await this.#notReconciled();
    if (this.#pending.size === 0 || readOnly) return;
    this.#running ??= backgroundWork(() => this.#completeAll()).finally(() => {
      this.#running = undefined;
    });
  }

  async #notReconciled(): Promise<Map<string, ZoneOf>> {
    const { zones, database } = this.#context.parts;
    const queue = await this.#context.existingQueue();
    const complete = await cursorVersions(database, cursorName(queue));
    const found = new Map<string, ZoneOf>();
    for (const zone of await zones.written()) {
      const { label } = zone;
      if (complete.get(zone.area) !== cursorOf(this.#context, queue, zone).version) found.set(label, zone);
    }
    return found;
  }

  async #completeAll(): Promise<void> {
    for (const zone of [...this.#pending!.values()]) {
      if (this.#closed) return;
      try {
        await this.#reconcileZone(zone);
      } catch (error) {
        const { log, collection } = this.#context.parts;
        log.warn(
          { err: error, collection, zone: zone.label },
          'could not read a zone for review, will retry',
        );
      }
    }
  }

  async #reconcileZone(zone: ZoneOf): Promise<void> {
    const { version } = this.#context;
    const { database } = this.#context.parts;
    const queue = await this.#context.queue();
    const { area, label } = zone;
    let iri = '';
    while (!this.#closed) {
      const stale = await database.tuples<[string]>(STALE, [area, iri, AT_ONCE, queue, version, label]);
      if (stale.length === 0) break;
      iri = await this.#renew(
        zone,
        stale.map(([one]) => one),
      );
    }
    let before: readonly [number, string] = [Number.MAX_SAFE_INTEGER, ''];
    while (!this.#closed) {
      const values = [queue, area, version, label, AT_ONCE, ...before];
      const stale = await database.tuples<[string, number, string]>(LEFT, values);
      const last = stale.at(-1);
      if (!last) break;
      await this.#renew(
        zone,
        stale.map(([one]) => one),
      );
      before = [last[1], last[2]];
    }
    if (this.#closed) return;
    const { name, version: complete } = cursorOf(this.#context, queue, zone);
    await database.transact(async (draft) => setCursor(draft, name, area, [0, complete]));
    this.#pending?.delete(zone.label);
  }

  /** @returns the last of the IRIs */
  async #renew(zone: ZoneOf, iris: readonly string[]): Promise<string> {
    const context = this.#context;
    const queue = await context.queue();
    await context.parts.database.transact(async (draft) => {
      const review = reviewDraft(draft, context, queue);
      await review.loadRows(iris);
      await review.loadDecisions(iris);
      await review.loadRecords([zone.area, context.parts.curated.area.id], iris);
      for (const iri of iris) {
        const current = await currentSubmission(review, context, zone, iri);
        if (current) review.put(current, true);
        else await this.#renewLeft(review, zone, iri);
      }
      review.flush();
    });
    return iris.at(-1)!;
  }

  /** A submission that has left its zone: whatever removed it was not seen, or the schema is another one. */
  async #renewLeft(review: ReviewDraft, zone: ZoneOf, iri: string): Promise<void> {
    const { version, parts } = this.#context;
    const row = review.row(zone.area, iri);
    if (!row) return;
    const deletion = await lastDeletion(review.draft, zone.area, iri);
    const { revision = row.revision, time = 0, role, json } = deletion ?? {};
    const { digest } = json ? await parts.work.read({ className: row.class_name, json }) : row;
    const curated = await review.record(parts.curated.area.id, iri);
    const isCurated = curated !== undefined && (await parts.work.read(curated)).digest === digest;
    const was = row.present ? (role === 'submitter' ? 'withdrawn' : 'removed') : row.status;
    const isAccepted = was === 'removed' && (isCurated || (row.present && row.state === 'same'));
    const left = row.present ? ({ present: 0, until: null, settled_at: time } as const) : {};
    const status = isAccepted ? 'accepted' : was;
    review.put({ ...row, ...left, status, revision, version, digest, label: zone.label });
  }
}

/** Records without a row that is as they are. */
const STALE = irisBeside(
  'accession_submission s ON s.iri = r.iri AND s.queue = $4 AND s.area = $1',
  's.iri IS NULL OR s.present = 0 OR s.revision <> r.revision OR s.version <> $5 OR s.label <> $6',
);

/** Rows of submissions that have left and are not as they should be, newest first. */
const LEFT = `SELECT s.iri, s.submitted_at, s.pid FROM accession_submission s
  WHERE s.queue = $1 AND s.area = $2 AND s.submitted_at <= $6 AND (s.submitted_at < $6 OR s.pid > $7)
    AND NOT ${hasRecord('$2', 's.iri')}
    AND (s.present = 1 OR s.version <> $3 OR s.label <> $4)
  ORDER BY s.submitted_at DESC, s.pid LIMIT $5`;
