/**
 * Work in the background that follows no changes of areas (see `projections.ts`): retention, new attempts to open. A job runs when it is woken or when its time has come, never
 * twice at once. If it fails, it is retried with growing pauses. What every job does is listed for `/-/health`.
 */
import { growingPause, RETRY } from '../durations.ts';
import { countSchema, objectOf, type Shape, textSchema } from '../shapes.ts';
import { backgroundWork } from '../storage/open-database.ts';
import { yielder } from '../yield.ts';

type JobSpec = {
  readonly name: string;
  readonly collection?: string;
  /** Does what there is to do. */
  run(context: JobContext): Promise<void>;
  /** Milliseconds between two runs; without it, the job runs only when it is woken. */
  readonly every?: number;
  /** Milliseconds between a call of `wake` and the run, so that one run serves several calls. Default 0. */
  readonly delay?: number;
  /** Milliseconds until the first retry, see `growingPause`. Default 1000. */
  readonly retry?: number;
};

export type JobContext = {
  /** Lets requests have their turn if the job has run for some milliseconds. To be called between steps. */
  yieldIfDue(): Promise<void>;
  /** Whether the job has to end soon: the service stops. */
  readonly stopping: boolean;
  progress(done: number, total: number): void;
};

export type JobHandle = {
  /** Has the job run soon. Calls while it runs lead to one more run. */
  wake(): void;
  /** Ends the job; returns when a run in progress has ended. */
  stop(): Promise<void>;
};

export const jobSchema = objectOf(
  {
    id: countSchema,
    name: textSchema,
    state: { enum: ['idle', 'waiting', 'running', 'failed'] },
    since: textSchema,
  },
  {
    collection: textSchema,
    progress: objectOf({ done: countSchema, total: countSchema }),
    error: textSchema,
  },
);
/** `since`: when it entered the state; `error`: why the last run failed. */
export type JobStatus = Shape<typeof jobSchema>;

/** Receives failures of jobs; a pino logger fits. */
export type JobLog = { warn(details: object, message: string): void };

export class Jobs {
  readonly #log: JobLog;
  readonly #jobs = new Map<number, RunningJob>();
  #lastId = 0;

  constructor(log: JobLog) {
    this.#log = log;
  }

  /** Adds a job. It waits for its first `wake`, or for `every` to pass. */
  add(spec: JobSpec): JobHandle {
    this.#lastId += 1;
    const id = this.#lastId;
    const job = new RunningJob(id, spec, this.#log);
    this.#jobs.set(id, job);
    return {
      wake: () => job.wake(),
      stop: () => {
        this.#jobs.delete(id);
        return job.stop();
      },
    };
  }

  list(): JobStatus[] {
    return [...this.#jobs.values()].map((job) => job.status());
  }

  async stopAll(): Promise<void> {
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    await Promise.all(jobs.map((job) => job.stop()));
  }
}

class RunningJob {
  readonly #id: number;
  readonly #spec: JobSpec;
  readonly #log: JobLog;
  #state: JobStatus['state'] = 'idle';
  #since = new Date();
  #progress: JobStatus['progress'];
  #error: string | undefined;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #wokenMeanwhile = false;
  #stopped = false;

  constructor(id: number, spec: JobSpec, log: JobLog) {
    this.#id = id;
    this.#spec = spec;
    this.#log = log;
    this.#runEvery();
  }

  wake(): void {
    if (this.#running) this.#wokenMeanwhile = true;
    else if (this.#state !== 'waiting' && this.#state !== 'failed')
      this.#runIn(this.#spec.delay ?? 0, 'waiting');
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  status(): JobStatus {
    const { name, collection } = this.#spec;
    return {
      id: this.#id,
      name,
      ...(collection !== undefined && { collection }),
      state: this.#state,
      ...(this.#progress && { progress: this.#progress }),
      since: this.#since.toISOString(),
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  #enter(state: JobStatus['state']): void {
    this.#state = state;
    this.#since = new Date();
  }

  #runIn(milliseconds: number, state: JobStatus['state']): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#enter(state);
    // A request that only reads may have woken it.
    this.#timer = setTimeout(() => backgroundWork(() => this.#start()), milliseconds).unref();
  }

  #runEvery(): void {
    const { every } = this.#spec;
    if (every !== undefined) this.#runIn(every, 'idle');
  }

  #start(): void {
    this.#enter('running');
    this.#wokenMeanwhile = false;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#state === 'idle' && this.#wokenMeanwhile) this.wake();
    });
  }

  async #run(): Promise<void> {
    try {
      await this.#spec.run(this.#context());
      this.#failures = 0;
      this.#error = undefined;
      this.#enter('idle');
      this.#runEvery();
    } catch (error) {
      const { name, collection, retry = RETRY.job } = this.#spec;
      this.#error = error instanceof Error ? error.message : String(error);
      if (this.#failures === 0)
        this.#log.warn({ err: error, job: name, collection }, 'job failed, will retry');
      this.#runIn(growingPause(retry, this.#failures), 'failed');
      this.#failures += 1;
    } finally {
      this.#progress = undefined;
    }
  }

  #context(): JobContext {
    const isStopping = () => this.#stopped;
    return {
      yieldIfDue: yielder(),
      get stopping() {
        return isStopping();
      },
      progress: (done, total) => {
        this.#progress = { done, total };
      },
    };
  }
}
