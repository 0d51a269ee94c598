/** The index of the queue: rows of submissions and decisions, synchronous like every table. */
import { randomBytes } from 'node:crypto';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { ServiceError } from '../errors.ts';
import { LIMIT, statements, transaction } from '../storage/database.ts';
import type { BaseContent } from './assess.ts';
import { madeBy, openQueueDatabase } from './queue-layout.ts';
import type { Content, Decision, Standing, State, Status } from './types.ts';

/** What the index keeps of a submission; also of one that has left its zone. */
export type QueuedSubmission = {
  readonly label: string;
  readonly iri: string;
  readonly pid: string;
  readonly class: string;
  /** Whether it lies in its zone, undecided or refused. */
  readonly present: 0 | 1;
  readonly standing: Standing;
  readonly state: State;
  readonly submitter: string | null;
  readonly edited_by: string | null;
  /** When its claim was first stored. */
  readonly submitted_at: string;
  /** When it was last stored. */
  readonly stored_at: string;
  readonly batch: string | null;
  readonly message: string | null;
  /** When it was last stored with a message, which ends a deferral. */
  readonly answered_at: string | null;
  /** When a deferral ends. */
  readonly until: string | null;
  readonly revision: number;
  readonly digest: string;
  readonly title: string | null;
  readonly valid: 0 | 1;
  readonly differences: number;
  readonly conflicts: number;
  /** A JSON array. */
  readonly slots: string;
  readonly curated_revision: number | null;
  readonly base_known: 0 | 1;
  readonly base_etag: string | null;
  /** Why it left its zone; null while it is there. */
  readonly status: Status | null;
  readonly left_at: string | null;
  /** The decision that it left by. */
  readonly decision: string | null;
  readonly json: string;
  readonly base_class: string | null;
  readonly base_json: string | null;
};

const QUEUE_COLUMNS: readonly (keyof QueuedSubmission)[] = [
  ...[
    'label',
    'iri',
    'pid',
    'class',
    'present',
    'standing',
    'state',
    'submitter',
    'edited_by',
    'submitted_at',
  ],
  ...['stored_at', 'batch', 'message', 'answered_at', 'until', 'revision', 'digest', 'title', 'valid'],
  ...[
    'differences',
    'conflicts',
    'slots',
    'curated_revision',
    'base_known',
    'base_etag',
    'status',
    'left_at',
  ],
  ...['decision', 'json', 'base_class', 'base_json'],
] as (keyof QueuedSubmission)[];

const PUT = `INSERT INTO submission (${QUEUE_COLUMNS.join(', ')}) VALUES (${QUEUE_COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (label, iri) DO UPDATE SET ${QUEUE_COLUMNS.slice(2)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`;

/** The last decision on a claim that is not undone. */
export type LastDecision = Pick<Decision, 'id' | 'decision' | 'until' | 'time'>;

export class QueueIndex {
  readonly #database: DatabaseSync;
  readonly sql: ReturnType<typeof statements>;
  /** Distinguishes states of the index, also those of two runs of the service. */
  readonly #instance = randomBytes(6).toString('base64url');
  #version = 0;

  readonly #made: string;

  constructor(file: string, made: string) {
    this.#made = madeBy(made);
    this.#database = openQueueDatabase(file, made);
    this.sql = statements(this.#database);
  }

  /** Changes also if a former run of the collection, in which requests still are, has changed the index. */
  get version(): string {
    const { data_version: others } = this.sql('PRAGMA data_version').get() as { data_version: number };
    return `${this.#instance}.${this.#version.toString(36)}.${others.toString(36)}`;
  }

  /**
   * Runs changes in one transaction.
   *
   * @throws ServiceError `storage_unavailable` if the collection has another schema by now, whose index this is
   */
  change<T>(work: () => T): T {
    return transaction(this.#database, () => {
      if (this.meta('made') !== this.#made)
        throw new ServiceError(
          'storage_unavailable',
          'The collection was changed while the request was in progress. Send the request again.',
        );
      return work();
    });
  }

  get(label: string, iri: string): QueuedSubmission | undefined {
    return this.sql('SELECT * FROM submission WHERE label = ? AND iri = ?').get(label, iri) as
      | QueuedSubmission
      | undefined;
  }

  /** The submissions on an IRI in all zones, by label. */
  on(iri: string): QueuedSubmission[] {
    return this.sql('SELECT * FROM submission WHERE iri = ? ORDER BY label').all(
      iri,
    ) as unknown as QueuedSubmission[];
  }

  put(row: QueuedSubmission): void {
    this.#version += 1;
    this.sql(PUT).run(...QUEUE_COLUMNS.map((name) => row[name] as SQLInputValue));
  }

  /** The time of the last store that the index has followed. */
  lastStored(): string | null {
    return (this.sql('SELECT max(stored_at) AS time FROM submission').get() as { time: string | null }).time;
  }

  forgetZone(label: string): void {
    this.#version += 1;
    this.sql('DELETE FROM submission WHERE label = ?').run(label);
    this.sql('DELETE FROM zone WHERE label = ?').run(label);
  }

  /** The revision up to which a zone has been read. */
  cursor(label: string): number | undefined {
    const row = this.sql('SELECT cursor FROM zone WHERE label = ?').get(label);
    return (row as { cursor: number } | undefined)?.cursor;
  }

  setCursor(label: string, cursor: number): void {
    this.sql('INSERT INTO zone VALUES (?, ?) ON CONFLICT DO UPDATE SET cursor = excluded.cursor').run(
      label,
      cursor,
    );
  }

  zones(): string[] {
    return (this.sql('SELECT label FROM zone').all() as { label: string }[]).map(({ label }) => label);
  }

  meta(key: string): string | undefined {
    const row = this.sql('SELECT value FROM meta WHERE key = ?').get(key);
    return (row as { value: string } | undefined)?.value;
  }

  setMeta(key: string, value: string): void {
    this.sql('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(
      key,
      value,
    );
  }

  /** Whether the index has a decision as it is. @param digest that of the submitted record by the schema of today */
  hasDecision(digest: string, decision: Decision): boolean {
    return this.#keptText(decision.id) === decisionText(digest, decision);
  }

  /** Keeps a decision. @param digest that of the submitted record by the schema of today */
  putDecision(iri: string, digest: string, decision: Decision): void {
    this.#version += 1;
    const { id, pid, label, submitter, reviewer, time, group, until, undone } = decision;
    this.sql(`INSERT OR REPLACE INTO decision VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      ...[id, iri, pid, digest, decision.decision, label, decision.class, submitter, reviewer, time, group],
      ...[until, undone ? 1 : 0, decisionText(digest, decision)],
    );
  }

  decision(id: string): Decision | undefined {
    const kept = this.#keptText(id);
    return kept === undefined ? undefined : (JSON.parse(kept) as Decision);
  }

  #keptText(id: string): string | undefined {
    const row = this.sql('SELECT json FROM decision WHERE id = ?').get(id);
    return (row as { json: string } | undefined)?.json;
  }

  lastDecisionId(): string {
    const row = this.sql('SELECT max(id) AS id FROM decision').get();
    return (row as { id: string | null }).id ?? '';
  }

  /** The last decision on a claim that is not undone. */
  lastOnClaim(iri: string, digest: string): LastDecision | undefined {
    return this.sql(
      `SELECT id, decision, until, time FROM decision WHERE iri = ? AND digest = ? AND undone = 0
       ORDER BY id DESC LIMIT 1`,
    ).get(iri, digest) as LastDecision | undefined;
  }

  lastOnIri(iri: string): Decision | null {
    const row = this.sql(
      'SELECT json FROM decision WHERE iri = ? AND undone = 0 ORDER BY id DESC LIMIT 1',
    ).get(iri);
    return row ? (JSON.parse((row as { json: string }).json) as Decision) : null;
  }

  decisionsOn(iri: string, limit: number): Decision[] {
    const rows = this.sql(`SELECT json FROM decision WHERE iri = ? ORDER BY id DESC ${LIMIT}`).all(
      iri,
      limit,
    );
    return (rows as { json: string }[]).map(({ json }) => JSON.parse(json) as Decision);
  }

  close(): void {
    this.#database.close();
  }
}

/** A decision as the index keeps it. */
function decisionText(digest: string, decision: Decision): string {
  return JSON.stringify({ ...decision, digest });
}

/** The state of a submission, from the last decision on its claim. */
export function standingOf(
  last: LastDecision | undefined,
  answeredAt: string | null,
  now: string,
): { readonly standing: Standing; readonly until: string | null } {
  const waiting = { standing: 'waiting', until: null } as const;
  if (last?.decision === 'reject') return { standing: 'rejected', until: null };
  if (last?.decision !== 'defer') return waiting;
  if (answeredAt !== null && answeredAt > last.time) return waiting;
  if (last.until !== null && last.until <= now) return waiting;
  return { standing: 'deferred', until: last.until };
}

/** The submitted record of a row. */
export function contentOf(row: Pick<QueuedSubmission, 'class' | 'json'>): Content {
  return { className: row.class, json: row.json };
}

/** The base of a row. */
export function baseOfRow(row: QueuedSubmission): BaseContent {
  if (!row.base_known) return undefined;
  if (row.base_json === null || row.base_class === null) return null;
  return { className: row.base_class, json: row.base_json };
}
