/** Makes a {@link Database} of an engine. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ServiceError } from '../errors.ts';
import { type Revisions, TransactionConflict } from './apply.ts';
import { areaStore } from './area-store.ts';
import type { Database, Draft, Participants, StagedFiles, Step } from './database.ts';
import type { Value } from './dialect.ts';
import { NO_COMPANIONS, objectOf, sentStep, TransactionDraft } from './draft.ts';
import type { Engine, Query } from './engine.ts';
import { GENERATION } from './layout.ts';
import { revisionsOf } from './order.ts';
import { isBelow, rangeBelow } from './places.ts';
import type { Reader } from './reader.ts';
import { SearchResults } from './search-results.ts';
import type { AreaId, RecordStore } from './store.ts';
import { Trigrams } from './trigrams.ts';

/** How often a transaction is prepared again because something else was faster. */
const MOST_ATTEMPTS = 50;
/** From this attempt on, other transactions of this process wait for it. */
const FAIR_ATTEMPTS = 5;

const NO_PARTICIPANTS: Participants = { companions: () => NO_COMPANIONS, mirror: () => undefined };

/** The name of the work that may not write; undefined for all other work. */
const readOnlyName = new AsyncLocalStorage<string | undefined>();

/** Does work in which no transaction may begin, whatever it calls. @param name of the work, for the error */
export function readOnlyWork<T>(name: string, work: () => T): T {
  return readOnlyName.run(name, work);
}

/** Does work that goes on when the caller has ended: it may write, even if a request that only reads has caused it. */
export function backgroundWork<T>(work: () => T): T {
  return readOnlyName.run(undefined, work);
}

/** @throws Error in work that only reads: a fault of the program, which the client sees as an internal error */
function requireWritingWork(): void {
  const name = readOnlyName.getStore();
  if (name === undefined) return;
  throw new Error(
    `${name}: expected only reads, found a transaction. Leave the write to a projection or a job, or declare what the endpoint changes.`,
  );
}

export function databaseOn(engine: Engine): Database {
  const { dialect, readOnly } = engine;
  const areas = new Map<string, Promise<RecordStore>>();
  const callbacks = new Set<(areas: ReadonlySet<string> | 'unknown') => void>();
  let participants = NO_PARTICIPANTS;
  engine.onForeignChange((changed) => {
    for (const callback of callbacks) callback(changed);
  });

  const query: Query = async (sql, values) => {
    try {
      return await engine.query(sql, values);
    } catch (error) {
      throw engine.failure(error, 'Reading');
    }
  };

  const inProgress = new Set<Promise<unknown>>();

  /** Notes work that the database is not closed before. */
  function noted<T>(writing: Promise<T>): Promise<T> {
    const work = writing.finally(() => inProgress.delete(work));
    inProgress.add(work);
    return work;
  }

  const transact = <T>(prepare: (draft: Draft) => Promise<T>): Promise<T> => noted(prepareAndCommit(prepare));

  /** Ends when the transaction that others wait for has ended. */
  let turn: Promise<void> | undefined;
  const inTurn = new AsyncLocalStorage<boolean>();

  /** Has the others of this process wait with their commits. @returns a function that ends this */
  async function takeTurn(): Promise<() => void> {
    while (turn) await turn;
    let end = () => {};
    turn = new Promise((resolve) => {
      end = resolve;
    });
    return () => {
      turn = undefined;
      end();
    };
  }

  async function prepareAndCommit<T>(prepare: (draft: Draft) => Promise<T>): Promise<T> {
    requireWritingWork();
    if (readOnly) throw readOnlyError();
    let endTurn: (() => void) | undefined;
    try {
      for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
        if (attempt === FAIR_ATTEMPTS && !inTurn.getStore()) endTurn = await takeTurn();
        const draft = new TransactionDraft(dialect, query, participants, attempt === 1);
        const result = await (endTurn ? inTurn.run(true, () => prepare(draft)) : prepare(draft));
        if (draft.steps.length === 0) return result;
        while (turn && !endTurn && !inTurn.getStore()) await turn;
        if (await commit(draft)) return result;
      }
    } finally {
      endTurn?.();
    }
    throw new ServiceError(
      'busy',
      'Others changed the same records at the same time, again and again. Try again.',
    );
  }

  /** @returns whether the transaction was made; if not, it has to be prepared again */
  async function commit(draft: TransactionDraft): Promise<boolean> {
    const { checks, steps } = draft;
    const staged = await stage(steps);
    let revisions: Revisions;
    try {
      revisions = await engine.commit({ checks, steps: steps.map(sentStep) });
    } catch (error) {
      await Promise.all(staged.map(({ files }) => files.discard()));
      if (error instanceof TransactionConflict) return false;
      throw engine.failure(error, 'Writing');
    }
    // From here on, nothing may fail: the transaction is made.
    draft.commit(revisions);
    await Promise.all(staged.map(({ files, step }) => files.publish(revisions[step] ?? [])));
    for (const step of steps) if ('staged' in step) await participants.mirror(step.area.path)?.catchUp();
    // Derived rows follow a change that was announced with its own transaction.
    const changed = new Set(
      steps.flatMap((step) => ('area' in step && !('derived' in step) ? [step.area.path] : [])),
    );
    if (changed.size > 0) {
      engine.announce(changed);
      for (const callback of callbacks) callback(changed);
    }
    return true;
  }

  async function stage(
    steps: readonly Step[],
  ): Promise<{ readonly files: StagedFiles; readonly step: number }[]> {
    const staged: { readonly files: StagedFiles; readonly step: number }[] = [];
    try {
      for (const [at, step] of steps.entries()) {
        const mirror = 'changes' in step ? participants.mirror(step.area.path) : undefined;
        if (mirror && 'changes' in step) staged.push({ files: await mirror.stage(step.changes), step: at });
      }
    } catch (error) {
      for (const { files } of staged) await files.discard();
      throw engine.failure(error, 'Writing');
    }
    return staged;
  }

  async function find(path: string): Promise<AreaId | undefined> {
    const { rows } = await query('SELECT area FROM accession_area WHERE path = $1', [path]);
    return rows[0] && { id: rows[0][0] as number, path };
  }

  async function make(path: string): Promise<AreaId> {
    const known = await find(path);
    if (known) return known;
    await transact(async (draft) => {
      draft.run('INSERT INTO accession_area (path) VALUES ($1) ON CONFLICT (path) DO NOTHING', [path]);
      draft.run(
        `INSERT INTO accession_block (area, block, start_pid, start_iri, counts, revision)
         SELECT area, 0, '', '', '{}', 0 FROM accession_area WHERE path = $1
         ON CONFLICT (area, block) DO NOTHING`,
        [path],
      );
    });
    return (await find(path))!;
  }

  const storeOf = (area: AreaId) =>
    areaStore(database, area, trigrams, results, async (restored) => {
      requireWritingWork();
      if (readOnly) throw readOnlyError();
      await noted(engine.commit({ checks: [], steps: [{ area, restored }] })).catch((error) => {
        throw engine.failure(error, 'Writing');
      });
    });

  function remembered(path: string, found: Promise<RecordStore>): Promise<RecordStore> {
    areas.set(path, found);
    found.catch(() => areas.delete(path));
    return found;
  }

  const database: Database = {
    dialect,
    readOnly,
    ...readerOn(query),
    area: (path) => areas.get(path) ?? remembered(path, make(path).then(storeOf)),
    async existingArea(path) {
      const known = areas.get(path);
      if (known) return known;
      const area = await find(path);
      return area && (areas.get(path) ?? remembered(path, Promise.resolve(storeOf(area))));
    },
    revisions: (areas) => revisionsOf(database, areas),
    async areasBelow(path) {
      const { rows } = await query(
        `SELECT area, path, revision, records FROM accession_area WHERE ${isBelow('path', 1)} ORDER BY path`,
        rangeBelow(`${path}/`),
      );
      return (rows as [number, string, number, number][]).map(([id, path, revision, records]) => ({
        ...{ id, path, revision, records },
      }));
    },
    transact,
    snapshot: (work) =>
      engine.snapshot((frozen) => {
        const reading: Query = (sql, values) =>
          frozen(sql, values).catch((error) => {
            throw engine.failure(error, 'Reading');
          });
        return work(readerOn(reading));
      }),
    use(given) {
      participants = given;
    },
    onChange(callback) {
      callbacks.add(callback);
      return () => void callbacks.delete(callback);
    },
    async generation() {
      const { rows } = await query('SELECT value FROM accession_meta WHERE key = $1', [GENERATION]);
      return (rows[0]?.[0] ?? '') as string;
    },
    leadership: engine.leadership,
    problem: () => engine.problem(),
    async requireWritable() {
      await engine.probe().catch((error) => {
        throw engine.failure(error, 'Writing');
      });
    },
    size: () => engine.size(),
    logSize: () => engine.logSize(),
    async close() {
      await Promise.allSettled(inProgress);
      await engine.close();
    },
  };
  const trigrams = new Trigrams(database);
  const results = new SearchResults();
  return database;
}

function readerOn(query: Query): Reader {
  return {
    async read<Row extends object>(sql: string, values: readonly Value[] = []) {
      const { columns, rows } = await query(sql, values);
      return rows.map((row) => objectOf<Row>(columns, row));
    },
    tuples: async <Row extends readonly unknown[]>(sql: string, values: readonly Value[] = []) =>
      (await query(sql, values)).rows as unknown as Row[],
  };
}

function readOnlyError(): ServiceError {
  return new ServiceError('read_only', 'Another process owns the store: this one only reads it.');
}
