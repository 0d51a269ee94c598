/** Changes of the records of an area on a connection, inside of a transaction: records, entries, links, blocks. */
import { ServiceError } from '../../errors.ts';
import { WriterClock } from '../clocks.ts';
import { type Connection, first } from '../connection.ts';
import type { Dialect, Value } from '../dialect.ts';
import { MOST_REFERRERS, recordReferenced, referrersOf } from '../read/links.ts';
import { settleValues } from '../search/value-index.ts';
import { docOf } from '../search/word-index.ts';
import {
  type Actor,
  type Change,
  type ChangeNote,
  type Entry,
  type Expectation,
  iriOfChange,
  type LinkLines,
  type RecordKey,
} from '../store.ts';
import { microsecondsOf } from '../times.ts';
import { type PolicyTag, policiesColumn, policyColumn } from '../visibility.ts';
import { type OrderChange, writeBlocks } from './blocks.ts';
import { writeLinks } from './links.ts';
import { followPolicies } from './policies.ts';

/** A record of the area as the write knows it; `id` is 0 for one that the write adds. */
type KnownRecord = RecordKey & {
  readonly id: number;
  readonly revision: number;
  readonly json: string;
  readonly policy: string;
};

type HeldRow = [
  iri: string,
  id: number,
  pid: string,
  className: string,
  revision: number,
  json: string,
  policy: string,
];

/**
 * Makes all changes, in order.
 *
 * @returns the revision of each change
 * @throws ServiceError `precondition_failed`, `record_missing`, `record_referenced`, `record_invalid`; the caller then rolls
 *   everything back
 */
export async function writeRecords(
  connection: Connection,
  area: number,
  changes: readonly Change[],
  by: Actor | null,
): Promise<number[]> {
  const write = await RecordWrite.begin(connection, area, changes.map(iriOfChange));
  for (const change of changes) await write.make(change, by);
  await write.end();
  return write.revisions;
}

/**
 * Adds entries with the revisions and times that they have, and makes the changes that they describe.
 *
 * @throws ServiceError `precondition_failed` if a revision is not after those of the area
 */
export async function restoreEntries(
  connection: Connection,
  area: number,
  entries: readonly Entry[],
): Promise<void> {
  const write = await RecordWrite.begin(
    connection,
    area,
    entries.map(({ iri }) => iri),
  );
  for (const entry of entries) write.restore(entry);
  await write.end();
}

/** Computes the policies of records again, by the tags that the area has now; those of their entries follow behind them. */
export async function settlePolicies(
  connection: Connection,
  area: number,
  iris: readonly string[],
): Promise<void> {
  const write = await RecordWrite.begin(connection, area, iris);
  if (!write.settlePolicies()) return;
  await write.end();
  await settleValues(connection, area, write.changed());
}

type AreaRow = [
  revision: number,
  changed: number,
  linksSince: number,
  policyTags: string,
  lastNote: string | null,
];

/** One write to one area: what it reads first, what it has changed, and what it still has to send. */
class RecordWrite {
  readonly revisions: number[] = [];
  readonly #connection: Connection;
  readonly #area: number;
  #revision: number;
  #changed: number;
  readonly #clock: WriterClock;
  #linksSince: number;
  readonly #policyTags: readonly PolicyTag[];
  /** The records that the write names, before it. */
  readonly #before: Map<string, KnownRecord>;
  /** Those that it has changed. */
  readonly #now = new Map<string, KnownRecord | undefined>();
  readonly #links = new Map<string, LinkLines>();
  #entries: WrittenEntry[] = [];
  /** What the records of these entries name in the end, by IRI; empty in areas without tags. */
  readonly #named = new Map<string, string>();
  /** How many records there are more. */
  #records = 0;

  private constructor(
    connection: Connection,
    area: number,
    [revision, changed, linksSince, policyTags, lastNote]: AreaRow,
    before: Map<string, KnownRecord>,
  ) {
    this.#connection = connection;
    this.#area = area;
    this.#revision = revision;
    this.#changed = changed;
    this.#clock = new WriterClock(changed, lastNote);
    this.#linksSince = linksSince;
    this.#policyTags = JSON.parse(policyTags);
    this.#before = before;
  }

  static async begin(connection: Connection, area: number, iris: readonly string[]): Promise<RecordWrite> {
    const row = await first<AreaRow>(
      connection,
      `SELECT a.revision, a.changed, a.links_since, a.policy_tags,
         (SELECT e.note FROM accession_entry e WHERE e.area = a.area ORDER BY e.revision DESC LIMIT 1)
       FROM accession_area a WHERE a.area = $1`,
      [area],
    );
    if (!row) throw new ServiceError('storage_failed', `The database has no area ${area}.`);
    return new RecordWrite(connection, area, row, await heldUnder(connection, area, iris));
  }

  async make(change: Change, actor: Actor | null): Promise<void> {
    const iri = iriOfChange(change);
    const former = this.#record(iri);
    requireExpected(change.expect, former, 'put' in change ? change.put.pid : iri);
    const revision = this.#revision + 1;
    // Later than every change before, also if the clock is set back.
    const clock = Date.now() * 1000;
    const time = Math.max(clock, this.#changed + 1);
    const by = change.by ?? actor;
    const dated = this.#clock.note(revision, clock, time);
    const note = dated ? { ...change.note, ...dated } : change.note;
    if ('put' in change) {
      const { pid, className, json, links } = change.put;
      requireStorable(this.#connection.dialect, change.put);
      const policy = policyColumn(json, this.#policyTags);
      this.#now.set(iri, { iri, pid, className, json, policy, revision, id: former?.id ?? 0 });
      if (links !== undefined) this.#links.set(iri, links);
      else this.#linksSince = revision;
      this.#enter({ revision, iri, pid, className, deleted: 0, time, by, note, former });
    } else {
      if (!former) throw new ServiceError('record_missing', `The record '${iri}' to delete does not exist.`);
      if (change.unreferenced) await this.#requireUnreferenced(former);
      this.#now.set(iri, undefined);
      this.#links.set(iri, '');
      const { pid, className } = former;
      this.#enter({ revision, iri, pid, className, deleted: 1, time, by, note, former });
    }
    this.#revision = revision;
    this.#changed = time;
    this.revisions.push(revision);
  }

  restore(entry: Entry): void {
    const { revision, iri, pid, className, kind, json, committer, author, role } = entry;
    if (revision <= this.#revision) {
      throw new ServiceError(
        'precondition_failed',
        `The area is at revision ${this.#revision} already, and the entry has revision ${revision}.`,
      );
    }
    requireStorable(this.#connection.dialect, entry);
    const former = this.#record(iri);
    const deleted = kind === 'delete' ? 1 : 0;
    const time = microsecondsOf(entry.time);
    if (deleted) {
      this.#now.set(iri, undefined);
      this.#links.set(iri, '');
    } else {
      const text = json ?? '{}';
      const policy = policyColumn(text, this.#policyTags);
      this.#now.set(iri, { iri, pid, className, json: text, policy, revision, id: former?.id ?? 0 });
      this.#linksSince = revision;
    }
    const by = committer === null || author === null || role === null ? null : { committer, author, role };
    this.#enter({ revision, iri, pid, className, deleted, time, by, note: entry, former });
    this.#clock.restored(time, entry);
    this.#revision = revision;
    this.#changed = time;
  }

  /**
   * Records keep their revisions. The area gets another one, since readers keep its order in memory.
   *
   * @returns whether any policy has changed
   */
  settlePolicies(): boolean {
    for (const [iri, before] of this.#before) {
      const policy = policyColumn(before.json, this.#policyTags);
      if (policy !== before.policy) this.#now.set(iri, { ...before, policy });
    }
    if (this.#now.size === 0) return false;
    this.#revision += 1;
    return true;
  }

  /** The records that it has put. */
  changed(): KnownRecord[] {
    return [...this.#now.values()].flatMap((record) => record ?? []);
  }

  /** Sends what is left, and the state of the area. */
  async end(): Promise<void> {
    await this.#send();
    await this.#connection.run(
      `UPDATE accession_area SET revision = $2, changed = $3, links_since = $4, records = records + $5
       WHERE area = $1`,
      [this.#area, this.#revision, this.#changed, this.#linksSince, this.#records],
    );
  }

  #record(iri: string): KnownRecord | undefined {
    return this.#now.has(iri) ? this.#now.get(iri) : this.#before.get(iri);
  }

  #enter(entry: {
    readonly revision: number;
    readonly iri: string;
    readonly pid: string;
    readonly className: string;
    readonly deleted: number;
    readonly time: number;
    readonly by: Actor | null;
    readonly note: ChangeNote | undefined;
    readonly former: KnownRecord | undefined;
  }): void {
    const { revision, iri, pid, className, deleted, time, by, note, former } = entry;
    const actor = [by?.committer ?? null, by?.author ?? null, by?.role ?? null];
    const values = [
      this.#area,
      revision,
      iri,
      pid,
      className,
      deleted,
      time,
      ...actor,
      note ? noteOf(note) : null,
      former && former.className !== className ? former.className : null,
      former?.json ?? null,
      deleted ? (former?.id ?? 0) : null,
    ];
    // Without tags, no record names a policy.
    if (this.#policyTags.length === 0) this.#entries.push({ iri, values, policy: null, former: null });
    else {
      const policy = (deleted ? former : this.#now.get(iri))?.policy ?? '';
      const isOther = former !== undefined && former.policy !== policy;
      this.#entries.push({ iri, values, policy, former: isOther ? former.policy : null });
      this.#named.set(iri, policy);
    }
  }

  /** Earlier changes of the same write count, so they are sent first. */
  async #requireUnreferenced(record: KnownRecord): Promise<void> {
    await this.#send();
    const changed = await heldUnder(this.#connection, this.#area, [...this.#now.keys()]);
    for (const iri of this.#now.keys()) this.#before.delete(iri);
    for (const [iri, held] of changed) this.#before.set(iri, held);
    this.#now.clear();
    const [referrers, number] = await referrersOf(this.#connection, this.#area, record.iri, MOST_REFERRERS);
    if (number > 0) throw recordReferenced(record.pid, referrers, number);
  }

  /** Writes the changes that were not written yet. */
  async #send(): Promise<void> {
    const connection = this.#connection;
    const area = this.#area;
    const order: OrderChange[] = [];
    const added: Value[][] = [];
    const texts: Value[][] = [];
    const moved: Value[][] = [];
    const deleted: Value[][] = [];
    // The index of words selects by class and policy as they are.
    const relisted: Value[][] = [];
    const unlisted: Value[][] = [];
    for (const [iri, now] of this.#now) {
      const before = this.#before.get(iri);
      if (now && before) {
        const isInPlace =
          now.pid === before.pid && now.className === before.className && now.policy === before.policy;
        if (isInPlace) texts.push([before.id, now.revision, now.json]);
        else {
          moved.push([before.id, now.revision, now.json, now.pid, now.className, now.policy]);
          relisted.push([docOf({ id: area }, before.id), now.className, now.policy]);
          order.push({ ...before, difference: -1 }, { ...now, difference: 1 });
        }
      } else if (now) {
        added.push([area, iri, now.pid, now.className, now.revision, now.json, now.policy]);
        order.push({ ...now, difference: 1 });
      } else if (before) {
        deleted.push([before.id]);
        unlisted.push([docOf({ id: area }, before.id)]);
        order.push({ ...before, difference: -1 });
      }
    }
    await connection.many('DELETE FROM accession_record WHERE id = $1', deleted);
    await connection.many('DELETE FROM accession_doc WHERE doc = $1', unlisted);
    await connection.many(connection.dialect.words.remove, unlisted);
    await connection.many('UPDATE accession_doc SET class_name = $2, policy = $3 WHERE doc = $1', relisted);
    await connection.many('UPDATE accession_record SET revision = $2, json = $3 WHERE id = $1', texts);
    await connection.many(
      'UPDATE accession_record SET revision = $2, json = $3, pid = $4, class_name = $5, policy = $6 WHERE id = $1',
      moved,
    );
    await connection.many(
      `INSERT INTO accession_record (area, iri, pid, class_name, revision, json, policy)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      added,
    );
    await connection.many(
      `INSERT INTO accession_entry
         (area, revision, iri, pid, class_name, deleted, time, committer, author, role, note, former_class, former,
          record, policy, former_policy, policies)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
      this.#entries.map(({ iri, values, policy, former }) => [
        ...values,
        policy,
        former,
        policy === null ? null : policiesColumn(policy, this.#named.get(iri)!),
      ]),
    );
    const links = [...this.#links].map(([iri, lines]) => ({
      iri,
      lines,
      isNew: !this.#before.has(iri),
      policy: this.#named.get(iri) ?? null,
    }));
    await writeLinks(connection, area, links);
    const named = [...this.#named].flatMap(([iri, policy]) => {
      const before = this.#before.get(iri);
      return before?.policy === policy ? [] : [{ iri, policy, isNew: before === undefined }];
    });
    await followPolicies(connection, area, named);
    if (order.length > 0) await writeBlocks(connection, area, order, this.#revision);
    this.#records += added.length - deleted.length;
    this.#entries = [];
    this.#named.clear();
    this.#links.clear();
  }
}

/** An entry whose policies are known when the write is sent. */
type WrittenEntry = {
  readonly iri: string;
  /** The columns before those of policies. */
  readonly values: readonly Value[];
  readonly policy: string | null;
  readonly former: string | null;
};

/** The records under IRIs. */
async function heldUnder(
  connection: Connection,
  area: number,
  iris: readonly string[],
): Promise<Map<string, KnownRecord>> {
  const columns = 'iri, id, pid, class_name, revision, json, policy';
  const rows =
    iris.length === 1
      ? await connection.tuples<HeldRow>(
          `SELECT ${columns} FROM accession_record WHERE area = $1 AND iri = $2`,
          [area, iris[0]!],
        )
      : await connection.tuples<HeldRow>(
          `SELECT ${columns} FROM accession_record WHERE area = $1 AND ${connection.dialect.among('iri', 2)}`,
          [area, [...new Set(iris)]],
        );
  return new Map(
    rows.map(([iri, id, pid, className, revision, json, policy]) => [
      iri,
      { iri, id, pid, className, revision, json, policy },
    ]),
  );
}

/** @throws ServiceError `precondition_failed` */
export function requireExpected(...judged: Parameters<typeof unexpected>): void {
  const refusal = unexpected(...judged);
  if (refusal) throw refusal;
}

/**
 * Messages have no revisions, which show how often an area was changed.
 *
 * @returns `precondition_failed` if a record is not in the expected state
 */
export function unexpected(
  expected: Expectation | undefined,
  found: Pick<KnownRecord, 'revision'> | undefined,
  pid: string,
): ServiceError | undefined {
  if (!expected) return undefined;
  const refusal = (sentence: string) => new ServiceError('precondition_failed', sentence);
  if ('absent' in expected) return found && refusal(`The record '${pid}' exists already.`);
  if (!found) return refusal(`The record '${pid}' does not exist, although one was expected.`);
  if ('present' in expected || expected.revisions.includes(found.revision)) return undefined;
  return refusal(`The record '${pid}' is not in the expected state.`);
}

/** @throws ServiceError `record_invalid` for a record that the database cannot store */
export function requireStorable(
  dialect: Pick<Dialect, 'longestPid'>,
  { pid, iri, className }: RecordKey,
): void {
  if (![pid, iri, className].every((text) => !text.includes('\0') && text.isWellFormed())) {
    const found = JSON.stringify(pid);
    throw new ServiceError(
      'record_invalid',
      `pid: expected no NUL and no half of a character, found ${found}.`,
    );
  }
  if (dialect.longestPid === Number.POSITIVE_INFINITY) return;
  const bytes = Math.max(Buffer.byteLength(pid), Buffer.byteLength(iri));
  if (bytes <= dialect.longestPid) return;
  throw new ServiceError(
    'record_invalid',
    `pid: expected at most ${dialect.longestPid} bytes in the database of this service, found ${bytes}.`,
  );
}

function noteOf({ reason, decision, batch, message, clock, setBack }: ChangeNote): string | null {
  const note = JSON.stringify({ reason, decision, batch, message, clock, setBack });
  return note === '{}' ? null : note;
}
