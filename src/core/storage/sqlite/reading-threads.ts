/**
 * The threads in which snapshots are read. Nothing that a reader asks for keeps others waiting but those who read in the same thread, and
 * these have their turn behind each statement.
 */
import { TIMEOUT } from '../../durations.ts';
import { receivedError } from '../../errors.ts';
import { threadFile } from '../../thread-file.ts';
import { Admission, workingFor } from '../../work/admission.ts';
import { MOST_THREADS, ServingThread } from '../../work/serving-threads.ts';
import type { Query, Rows } from '../engine.ts';
import type { ReadingReply, ReadingRequest, SnapshotStatement } from './reading-thread.ts';

/** A client, or a snapshot of one that cannot be distinguished from others. */
type Client = string | symbol;

export class ReadingThreads {
  readonly #file: string;
  readonly #threads: ReadingThread[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** Threads that were started. */
  get size(): number {
    return this.#threads.length;
  }

  /** Does work with a query that sees one state of the database. */
  snapshot<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = workingFor() ?? Symbol('client');
    return this.#threadFor(client).snapshot(client, work);
  }

  /** Ends the threads behind the statements that they have. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  /** A client has one thread at a time. */
  #threadFor(client: Client): ReadingThread {
    const own = this.#threads.find((thread) => thread.serves(client));
    const [least] = this.#threads.toSorted((a, b) => a.size - b.size);
    const isFree = least?.size === 0 || this.#threads.length === MOST_THREADS;
    const present = own ?? (isFree ? least : undefined);
    if (present) return present;
    const started = new ReadingThread(this.#file);
    this.#threads.push(started);
    return started;
  }
}

export class ReadingThread {
  readonly #thread: ServingThread<ReadingRequest, ReadingReply>;
  /** As many wait as there are requests in progress. */
  readonly #turns = new Admission(1, TIMEOUT.task, Number.POSITIVE_INFINITY);
  /** The clients of the snapshots that are read. */
  readonly #snapshots = new Map<number, Client>();
  #begun = 0;

  constructor(file: string) {
    this.#thread = new ServingThread(threadFile('core/storage/sqlite/reading-thread'), file);
  }

  /** Snapshots that are read. */
  get size(): number {
    return this.#snapshots.size;
  }

  serves(client: Client): boolean {
    return [...this.#snapshots.values()].includes(client);
  }

  async snapshot<T>(client: Client, work: (query: Query) => Promise<T>): Promise<T> {
    const snapshot = this.#begun++;
    this.#snapshots.set(snapshot, client);
    let isFirst = true;
    try {
      return await work((sql, values) => {
        const request = { snapshot, isFirst, sql, values };
        isFirst = false;
        return this.query(client, request);
      });
    } finally {
      // It keeps its client here until it has ended.
      if (!isFirst) await this.#thread.ask({ ends: snapshot }).catch(() => {});
      this.#snapshots.delete(snapshot);
    }
  }

  /** @throws ServiceError `busy` if others have the thread for too long; the failure of the statement */
  async query(client: Client, request: SnapshotStatement): Promise<Rows> {
    const leave = await this.#turns.turn(client);
    try {
      const reply = await this.#thread.ask(request);
      if ('failed' in reply) throw receivedError(reply.failed);
      return reply as Rows;
    } finally {
      leave();
    }
  }

  async close(): Promise<void> {
    if (this.#begun > 0) await this.#thread.ask({ closes: true }).catch(() => {});
    await this.#thread.close();
  }
}
