/**
 * Runs the projections of a service. Each has a queue of areas, and makes one step in each in turn. An area in which a step
 * fails waits for its next attempt, with growing pauses; one in which a step does not end waits for its end. Neither holds up
 * other areas or other projections.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { DELAY, EVERY, growingPause, RETRY, TIMEOUT } from '../durations.ts';
import { countSchema, listOf, objectOf, type Shape, textSchema } from '../shapes.ts';
import type { Database } from '../storage/database.ts';
import { backgroundWork } from '../storage/open-database.ts';
import { isIn, PlaceIndex } from '../storage/places.ts';
import { nextTurn, yielder } from '../yield.ts';
import type { JobLog } from './jobs.ts';
import { AT_ONCE, advance, cursorOf, type Projection } from './projections.ts';

export const projectionSchema = {
  description: 'What follows the changes of areas, and how far behind it is.',
  ...objectOf(
    {
      name: textSchema,
      state: { enum: ['idle', 'running', 'failed'] },
      behind: { ...countSchema, description: 'Changes that are left, at least.' },
      areas: {
        description: 'The areas with changes that are left, those first in which it fails.',
        ...listOf(
          objectOf({ area: textSchema, behind: countSchema }, { error: textSchema, since: textSchema }),
        ),
      },
    },
    { collection: textSchema },
  ),
} as const;
export type ProjectionStatus = Shape<typeof projectionSchema>;

type ProjectionHandle = {
  /** Follows all changes until now. @throws what a step has thrown */
  flush(): Promise<void>;
  status(): ProjectionStatus;
  /** Returns when a step in progress has ended, or after a grace period. */
  stop(): Promise<void>;
};

export type ProjectorOptions = {
  /** After so many milliseconds a step is reported as hanging, and nothing waits for it. */
  readonly limit?: number;
  /** Milliseconds until the first retry, see `growingPause`. */
  readonly retry?: number;
};

export class Projector {
  readonly #database: Database;
  readonly #log: JobLog;
  readonly #options: Required<ProjectorOptions>;
  readonly #followers = new Set<Follower>();
  readonly #byPlace = new PlaceIndex<Follower>();
  readonly #endings: (() => void)[];
  #lastRequest = Number.NEGATIVE_INFINITY;

  constructor(database: Database, log: JobLog, options: ProjectorOptions = {}) {
    this.#database = database;
    this.#log = log;
    this.#options = { limit: TIMEOUT.step, retry: RETRY.projection, ...options };
    const look = setInterval(() => void this.#lookAtAll(), EVERY.projections).unref();
    this.#endings = [
      () => clearInterval(look),
      database.leadership.watch(() => void this.#lookAtAll()),
      database.onChange((areas) => {
        // Of several instances, the one that leads follows at once. The others do if none leads.
        if (!database.leadership.held) return;
        if (areas === 'unknown') void this.#lookAtAll();
        else for (const path of areas) for (const follower of this.#byPlace.at(path)) follower.changed(path);
      }),
    ];
  }

  /** Runs a projection from now on, from where its cursors are. */
  add(projection: Projection): ProjectionHandle {
    const isQuiet = () => performance.now() - this.#lastRequest > DELAY.requests;
    const follower = new Follower(this.#database, projection, this.#log, this.#options, isQuiet);
    this.#followers.add(follower);
    this.#byPlace.add(projection.places, follower);
    follower.lookAtAll();
    return {
      flush: () => follower.flush(),
      status: () => follower.status(),
      stop: () => {
        this.#followers.delete(follower);
        this.#byPlace.delete(projection.places, follower);
        return follower.stop();
      },
    };
  }

  /** Must be called for each request that projections should give way to. */
  noteRequest(): void {
    this.#lastRequest = performance.now();
  }

  list(): ProjectionStatus[] {
    return [...this.#followers].map((follower) => follower.status());
  }

  async stopAll(): Promise<void> {
    for (const end of this.#endings) end();
    await Promise.all([...this.#followers].map((follower) => follower.stop()));
    this.#followers.clear();
  }

  /** In a service with a thousand collections there are thousands of them. */
  async #lookAtAll(): Promise<void> {
    for (const follower of this.#followers) {
      follower.lookAtAll();
      await nextTurn();
    }
  }
}

type FailingArea = {
  readonly error: unknown;
  readonly since: Date;
  readonly failures: number;
  readonly hangs: boolean;
};

/** In place of the path of an area: the areas that are behind cannot be read. */
const ALL = '';

class Follower {
  readonly #database: Database;
  readonly #projection: Projection;
  readonly #log: JobLog;
  readonly #options: Required<ProjectorOptions>;
  readonly #isQuiet: () => boolean;
  readonly #due = new Set<string>();
  /** How many changes are left, at least, by area. */
  readonly #behind = new Map<string, number>();
  readonly #failing = new Map<string, FailingArea>();
  readonly #retries = new Set<NodeJS.Timeout>();
  readonly #stopped = new AbortController();
  /** Callers of `flush` that wait. */
  #flushing = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #step: Promise<unknown> | undefined;

  constructor(
    database: Database,
    projection: Projection,
    log: JobLog,
    options: Required<ProjectorOptions>,
    isQuiet: () => boolean,
  ) {
    this.#database = database;
    this.#projection = projection;
    this.#log = log;
    this.#options = options;
    this.#isQuiet = isQuiet;
  }

  /** @param path of an area that the projection follows */
  changed(path: string): void {
    if (!this.#behind.has(path)) this.#behind.set(path, 1);
    if (!this.#failing.has(path)) this.#later(path);
  }

  lookAtAll(): void {
    if (!this.#failing.has(ALL)) this.#later(ALL);
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#flushing++;
    try {
      await this.#running;
      for (const [path, { hangs }] of this.#failing) if (!hangs) this.#due.add(path);
      this.#due.add(ALL);
      await this.#run();
    } finally {
      this.#flushing--;
    }
    for (const { error } of this.#failing.values()) throw error;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#timer);
    for (const timer of this.#retries) clearTimeout(timer);
    // Keeps the process until then: it would end with nothing else to wait for, and the caller would never go on.
    const end = new AbortController();
    const grace = delay(TIMEOUT.lastStep, undefined, { signal: end.signal }).catch(() => {});
    await Promise.race([this.#step, grace]);
    end.abort();
  }

  status(): ProjectionStatus {
    const { name, collection } = this.#projection;
    const failing = [...this.#failing].map(([area, { error, since }]) => ({
      area,
      behind: this.#behind.get(area) ?? 0,
      error: messageOf(error),
      since: since.toISOString(),
    }));
    const others = [...this.#behind].filter(([area]) => !this.#failing.has(area));
    return {
      name,
      ...(collection !== undefined && { collection }),
      state: failing.length > 0 ? 'failed' : this.#running ? 'running' : 'idle',
      behind: [...this.#behind.values()].reduce((sum, behind) => sum + behind, 0),
      areas: [...failing, ...others.map(([area, behind]) => ({ area, behind }))],
    };
  }

  #later(path: string): void {
    this.#due.add(path);
    if (this.#running || this.#stopped.signal.aborted || !this.#mayRun) return;
    this.#timer ??= setTimeout(() => void this.#run(), this.#projection.delay ?? DELAY.step).unref();
  }

  #run(): Promise<void> {
    this.#timer = undefined;
    this.#running ??= backgroundWork(() => this.#followAll()).finally(() => {
      this.#running = undefined;
      for (const path of this.#due) this.#later(path);
    });
    return this.#running;
  }

  async #followAll(): Promise<void> {
    for (const path of this.#due) {
      if (this.#stopped.signal.aborted || !this.#mayRun) return;
      this.#due.delete(path);
      await this.#follow(path);
      await nextTurn();
      if (!this.#givesWay) continue;
      // A short step comes soon if there is enough for a whole one: the rows of fewer records cost more each.
      const left = this.#behind.get(path) ?? 0;
      const isSoon = this.#projection.reads === 'spans' && left >= AT_ONCE.spansBesideRequests.most;
      const pause = DELAY[isSoon ? 'nextSpan' : 'nextStep'];
      await delay(pause, undefined, { signal: this.#stopped.signal }).catch(() => {});
    }
  }

  /** Requests go first, unless somebody waits for the end. */
  get #givesWay(): boolean {
    return this.#flushing === 0 && !this.#isQuiet();
  }

  get #mayRun(): boolean {
    const { readOnly, leadership } = this.#database;
    return !readOnly && (leadership.held || !this.#projection.leaderOnly);
  }

  /** Makes one step in an area. */
  async #follow(path: string): Promise<void> {
    const end = new AbortController();
    const work = path === ALL ? this.#findBehind() : this.#advance(path, end.signal);
    this.#step = work.catch(() => {});
    const { limit } = this.#options;
    const timer = delay(limit, undefined, { ref: false, signal: end.signal });
    try {
      const hangs = timer.then(() => {
        throw new Error(`A step has not ended after ${limit / 1000} s.`);
      });
      await Promise.race([work, hangs]);
      this.#failing.delete(path);
    } catch (error) {
      const hasEnded = await Promise.race([work.then(...bothTo(true)), nextTurn().then(() => false)]);
      if (!this.#stopped.signal.aborted) this.#failed(path, error, hasEnded ? undefined : work);
    } finally {
      end.abort();
      timer.catch(() => {});
    }
  }

  async #advance(path: string, signal: AbortSignal): Promise<void> {
    const store = await this.#database.existingArea(path);
    if (!store) return void this.#behind.delete(path);
    const besideRequests = this.#givesWay;
    const pace = { steps: 1, settle: true, besideRequests, yieldIfDue: yielder(), signal };
    const left = await advance(this.#database, this.#projection, store, pace);
    if (signal.aborted) return;
    if (left > 0) this.#due.add(path);
    if (this.#due.has(path)) this.#behind.set(path, Math.max(1, left));
    else this.#behind.delete(path);
  }

  /** Finds the areas in which the cursor is behind. */
  async #findBehind(): Promise<void> {
    const { version, places } = this.#projection;
    const current = typeof version === 'string' ? version : await version();
    if (current === undefined) return;
    const { condition, values } = isIn(places, this.#database.dialect, 3);
    const rows = await this.#database.tuples<[path: string, behind: number]>(
      `SELECT a.path, a.revision - coalesce(c.revision, 0) FROM accession_area a
       LEFT JOIN accession_cursor c ON c.area = a.area AND c.name = $1 AND c.version = $2
       WHERE a.revision > coalesce(c.revision, 0) AND ${condition}`,
      [cursorOf(this.#projection), current, ...values],
    );
    for (const [path, behind] of rows) {
      this.#behind.set(path, behind);
      if (!this.#failing.has(path)) this.#due.add(path);
    }
  }

  /** @param hanging has not ended: the next attempt is made when it has */
  #failed(path: string, error: unknown, hanging?: Promise<unknown>): void {
    const { name, collection } = this.#projection;
    const { since = new Date(), failures = 0 } = this.#failing.get(path) ?? {};
    this.#failing.set(path, { error, since, failures: failures + 1, hangs: hanging !== undefined });
    if (failures === 0)
      this.#log.warn(
        { err: error, projection: name, collection, area: path },
        'projection failed, will retry',
      );
    const again = () => {
      const pause = growingPause(this.#options.retry, failures);
      const timer = setTimeout(() => {
        this.#retries.delete(timer);
        this.#later(path);
      }, pause).unref();
      this.#retries.add(timer);
    };
    if (hanging) void hanging.then(...bothTo(undefined)).then(again);
    else again();
  }
}

/** Both ends of a promise lead to a value. */
function bothTo<T>(value: T): [() => T, () => T] {
  return [() => value, () => value];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
