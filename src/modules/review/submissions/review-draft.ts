/**
 * Reads and writes the review within one transaction. Companions and decisions of the transaction share it, so each of them
 * sees what the ones before it have done.
 */
import type { Draft } from '../../../core/storage/database.ts';
import { changeOfArea, hasRecord } from '../../../core/storage/read/record-sql.ts';
import type { Content } from '../decisions/content.ts';
import { type DecisionRow, decisionsOn } from '../decisions/decisions.ts';
import type { ReviewContext } from '../parts.ts';
import { type Assigned, assignedBy } from '../queue/rules.ts';
import type { ReviewSettings } from '../settings-schema.ts';
import { type LastDecision, rowStatement, type Settled, type Submission, settledBy } from './submission.ts';

/** A record with its revision, which the transaction may only give. */
export type RecordVersion = Content & { readonly pid: string; readonly revision: number };

/** The state that queues with the same curated area share. */
type Shared = {
  /** By IRI, for those that were read. */
  readonly rows: Map<string, Submission[]>;
  readonly decisions: Map<string, DecisionRow[]>;
  /** The changes of the numbers of submissions, by their kind. */
  readonly counts: Map<string, { readonly kind: readonly (string | number)[]; n: number }>;
  /** Queues with changed rows, each with the zone of the last store in it; 0 if there was none. */
  readonly queues: Map<number, number>;
};

const DRAFTS = Symbol('the drafts of queues');

/** @returns the same object for a queue during the transaction */
export function reviewDraft(draft: Draft, context: ReviewContext, queue: number): ReviewDraft {
  const drafts = draft.local(DRAFTS, (): ReviewDraft[] => []);
  const sharing = drafts.filter((one) => one.isShared(context));
  const known = sharing.find((one) => one.queue === queue);
  if (known) return known;
  const added = new ReviewDraft(draft, context, queue, sharing[0]);
  drafts.push(added);
  return added;
}

export class ReviewDraft {
  readonly draft: Draft;
  readonly queue: number;
  readonly #context: ReviewContext;
  readonly #shared: Shared;
  /** By area and IRI, after the changes that the companions of this queue have seen. */
  readonly #records = new Map<string, RecordVersion | undefined>();

  #settings: Promise<ReviewSettings> | undefined;

  /** @param other one of the same transaction that shares the curated area */
  constructor(draft: Draft, context: ReviewContext, queue: number, other: ReviewDraft | undefined) {
    this.draft = draft;
    this.queue = queue;
    this.#context = context;
    this.#shared = other
      ? other.#shared
      : { rows: new Map(), decisions: new Map(), counts: new Map(), queues: new Map() };
  }

  /** Whether rows are made with the same curated area and the same version. */
  isShared({ parts, version }: ReviewContext): boolean {
    return version === this.#context.version && parts.curated.area.id === this.#context.parts.curated.area.id;
  }

  /**
   * Reads what a store into a zone depends on. Mostly there is nothing: a new submission of a new record.
   */
  async load(iris: readonly string[], zone: number): Promise<void> {
    const areas = [this.#context.parts.curated.area.id, zone];
    const [iri] = iris;
    const [found] = await this.draft.tuples<[rows: number, decisions: number, records: number]>(
      iris.length === 1
        ? DEPENDENCIES
        : DEPENDENCIES.replaceAll('= $1', `IN ${this.draft.dialect.values(1)}`),
      [iris.length === 1 ? iri! : iris, this.#context.parts.curated.area.id, zone],
    );
    const [rows, decisions, records] = found!;
    if (rows) await this.loadRows(iris);
    if (decisions) await this.loadDecisions(iris);
    if (records) await this.loadRecords(areas, iris);
    for (const iri of iris) {
      if (!this.#shared.rows.has(iri)) this.#shared.rows.set(iri, []);
      if (!this.#shared.decisions.has(iri)) this.#shared.decisions.set(iri, []);
      for (const area of areas)
        if (!this.#records.has(`${area} ${iri}`)) this.#records.set(`${area} ${iri}`, undefined);
    }
  }

  /** Reads the submissions on some IRIs. @param areRare whether there are mostly none */
  async loadRows(iris: readonly string[], areRare = false): Promise<void> {
    const missing = [...new Set(iris)].filter((iri) => !this.#shared.rows.has(iri));
    if (missing.length === 0) return;
    const sql = `SELECT s.* FROM accession_submission s WHERE ${this.draft.dialect.among('s.iri', 1)}
      AND s.queue IN (SELECT q.queue FROM accession_queue q WHERE q.curated = $2)`;
    const values = [missing, this.#context.parts.curated.area.id];
    const rows = await (areRare
      ? this.draft.rareRows<Submission>(sql, values)
      : this.draft.read<Submission>(sql, values));
    for (const iri of missing) this.#shared.rows.set(iri, []);
    for (const row of rows) this.#shared.rows.get(row.iri)!.push(row);
  }

  async loadDecisions(iris: readonly string[]): Promise<void> {
    const missing = [...new Set(iris)].filter((iri) => !this.#shared.decisions.has(iri));
    if (missing.length === 0) return;
    const decisions = await decisionsOn(this.draft, this.#context, missing);
    for (const iri of missing) this.#shared.decisions.set(iri, []);
    for (const decision of decisions) this.#shared.decisions.get(decision.iri)!.push(decision);
  }

  /** The submissions on an IRI, in all queues of the curated area. */
  rows(iri: string): readonly Submission[] {
    return this.#shared.rows.get(iri)!;
  }

  row(area: number, iri: string): Submission | undefined {
    return this.rows(iri).find((row) => row.queue === this.queue && row.area === area);
  }

  async loadRecords(areas: readonly number[], iris: readonly string[]): Promise<void> {
    const missing = iris.filter((iri) => areas.some((area) => !this.#records.has(`${area} ${iri}`)));
    if (missing.length === 0) return;
    const rows = await this.draft.records(areas, missing);
    const found = new Map(rows.map((row) => [`${row.area} ${row.iri}`, row]));
    for (const area of areas)
      for (const iri of missing) {
        const key = `${area} ${iri}`;
        if (!this.#records.has(key)) this.#records.set(key, found.get(key));
      }
  }

  /** A record after what the transaction has done so far. */
  async record(area: number, iri: string): Promise<RecordVersion | undefined> {
    await this.loadRecords([area], [iri]);
    return this.#records.get(`${area} ${iri}`);
  }

  setRecord(area: number, iri: string, record: RecordVersion | undefined): void {
    this.#records.set(`${area} ${iri}`, record);
  }

  /** The decisions on an IRI, newest first. */
  decisions(iri: string): readonly DecisionRow[] {
    return this.#shared.decisions.get(iri)!;
  }

  addDecision(decision: DecisionRow): void {
    this.#shared.decisions.get(decision.iri)!.unshift(decision);
    this.#touch(decision.iri);
  }

  undoDecisions(iri: string, ids: ReadonlySet<string>, at: number): void {
    const all = this.decisions(iri).map((one) => (ids.has(one.id) ? { ...one, undone_at: at } : one));
    this.#shared.decisions.set(iri, all);
    this.#touch(iri);
  }

  /** Queues show the last decision on a record, also one on former contents, which changes nothing of a submission. */
  #touch(iri: string): void {
    for (const queue of [this.queue, ...this.rows(iri).map((row) => row.queue)]) this.#changed(queue);
  }

  /** @param zone of a store in the queue */
  #changed(queue: number, zone?: number): void {
    const { queues } = this.#shared;
    if (zone !== undefined || !queues.has(queue)) queues.set(queue, zone ?? 0);
  }

  /** The last decision on a claim that is not undone. */
  lastOn(iri: string, digest: string): LastDecision | undefined {
    return this.decisions(iri).find(
      (one): one is DecisionRow & LastDecision =>
        one.decision !== 'approve' && one.digest === digest && one.undone_at === null,
    );
  }

  /** Who is to decide on a new submission, and until when, by the rules of the collection. */
  async assigned(className: string, label: string): Promise<Assigned> {
    return assignedBy(this.#context, await this.settings(), className, label);
  }

  /** The settings of the collection, read once in the transaction. */
  settings(): Promise<ReviewSettings> {
    this.#settings ??= this.#context.parts.settings(this.draft);
    return this.#settings;
  }

  /** Returns what decisions make of a submission with a claim. */
  settledBy(iri: string, digest: string, answeredAt: number | null): Settled {
    return settledBy(this.lastOn(iri, digest), answeredAt, this.#context.time());
  }

  /** A submission with the standing that decisions give it. */
  settled(row: Submission): Submission {
    return { ...row, ...this.settledBy(row.iri, row.digest, row.answered_at) };
  }

  /** Settles the submissions that make a claim, in whichever zone. */
  settle(iri: string, digest: string): void {
    for (const row of this.rows(iri))
      if (row.present && row.digest === digest && row.version === this.#context.version)
        this.put(this.settled(row));
  }

  put(next: Submission, isStore = false): void {
    const { queue, area, iri } = next;
    const rows = this.#shared.rows.get(iri)!;
    const former = rows.find((row) => row.queue === queue && row.area === area);
    this.#shared.rows.set(iri, [...rows.filter((row) => row !== former), next]);
    const statement = rowStatement(this.#context.parts.curated.area.id, former, next);
    if (!statement) return;
    this.draft.run(statement.sql, statement.values);
    if (former) this.#count(former, -1);
    this.#count(next, 1);
    this.#changed(queue, isStore ? area : undefined);
  }

  #count(row: Submission, n: number): void {
    const { queue, label, class_name, status, state, submitter, batch, assignee, valid } = row;
    const kind = [queue, label, class_name, status, state, submitter ?? '', batch ?? '', assignee, valid];
    const key = JSON.stringify(kind);
    const known = this.#shared.counts.get(key);
    if (known) known.n += n;
    else this.#shared.counts.set(key, { kind, n });
  }

  /** Writes the numbers that rows have changed; to be called after the last of some rows. */
  flush(): void {
    const emptied = new Set<string | number>();
    for (const { kind, n } of this.#shared.counts.values()) {
      if (n === 0) continue;
      this.draft.run(COUNT, [...kind, n]);
      if (n < 0) emptied.add(kind[0]!);
    }
    for (const queue of emptied)
      this.draft.run('DELETE FROM accession_submission_count WHERE queue = $1 AND n = 0', [queue]);
    for (const [queue, area] of this.#shared.queues) this.draft.run(TOUCH, [queue, area]);
    this.#shared.counts.clear();
    this.#shared.queues.clear();
  }
}

/** Whether there are submissions, decisions or records on an IRI ($1) of a curated area ($2) and a zone ($3). */
const DEPENDENCIES = `SELECT ${[
  'EXISTS (SELECT 1 FROM accession_submission WHERE iri = $1)',
  'EXISTS (SELECT 1 FROM accession_decision WHERE curated = $2 AND iri = $1)',
  hasRecord('$2, $3', '$1'),
]
  .map((condition) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`)
  .join(', ')}`;

const COUNT = `INSERT INTO accession_submission_count AS c
  (queue, label, class_name, status, state, submitter, batch, assignee, valid, n)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (queue, label, class_name, status, state, submitter, batch, assignee, valid) DO UPDATE SET n = c.n + excluded.n`;

/** A queue has changed, and something was stored in a zone ($2) or not (0). */
const TOUCH = `UPDATE accession_queue SET changes = changes + 1, stored = (SELECT max(t.time) FROM
  (SELECT accession_queue.stored AS time UNION ALL SELECT ${changeOfArea('$2')}) t)
  WHERE queue = $1`;
