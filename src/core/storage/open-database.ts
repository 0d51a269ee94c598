/** Makes a {@link Database} of an engine. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ServiceError } from '../errors.ts';
import type { Database } from './database.ts';
import type { Value } from './dialect.ts';
import type { Engine, Query } from './engine.ts';
import { GENERATION } from './layout.ts';
import { isBelow, rangeBelow } from './places.ts';
import { areaStore } from './read/area-store.ts';
import { revisionsOf } from './read/order.ts';
import type { Reader } from './reader.ts';
import { SearchResults } from './search/search-results.ts';
import { Trigrams } from './search/trigrams.ts';
import type { AreaId, RecordStore } from './store.ts';
import { objectOf } from './write/draft.ts';
import { Transactions } from './write/transactions.ts';

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
  const query: Query = (sql, values) => reported(engine, () => engine.query(sql, values));
  const transactions = new Transactions(engine, query);

  /** @throws ServiceError `read_only`, Error in work that only reads */
  function requireWriter(): void {
    requireWritingWork();
    if (readOnly)
      throw new ServiceError('read_only', 'Another process owns the store: this one only reads it.');
  }

  const transact: Database['transact'] = async (prepare) => {
    requireWriter();
    return transactions.transact(prepare);
  };
  const storeOf = (area: AreaId) =>
    areaStore(database, area, trigrams, results, async (restored) => {
      requireWriter();
      await transactions.commitAlone([{ area, restored }]);
    });

  const database: Database = {
    dialect,
    readOnly,
    ...readerOn(query),
    ...areasOn(query, transact, storeOf),
    revisions: (areas) => revisionsOf(database, areas),
    transact,
    snapshot: (work) =>
      engine.snapshot((frozen) =>
        work(readerOn((sql, values) => reported(engine, () => frozen(sql, values)))),
      ),
    use: (participants) => transactions.use(participants),
    onChange: (callback) => transactions.onChange(callback),
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
      await transactions.settled();
      await engine.close();
    },
  };
  const trigrams = new Trigrams(database);
  const results = new SearchResults();
  return database;
}

/** The result of a statement, or its failure as the service reports it. */
async function reported<T>(engine: Engine, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw engine.failure(error, 'Reading');
  }
}

/** The areas by their paths. The stores of those that were asked for are kept. */
function areasOn(
  query: Query,
  transact: Database['transact'],
  storeOf: (area: AreaId) => RecordStore,
): Pick<Database, 'area' | 'existingArea' | 'areasBelow'> {
  const areas = new Map<string, Promise<RecordStore>>();

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

  function remembered(path: string, found: Promise<RecordStore>): Promise<RecordStore> {
    areas.set(path, found);
    found.catch(() => areas.delete(path));
    return found;
  }

  return {
    area: (path) => areas.get(path) ?? remembered(path, make(path).then(storeOf)),
    async existingArea(path) {
      const known = areas.get(path);
      if (known) return known;
      const area = await find(path);
      return area && (areas.get(path) ?? remembered(path, Promise.resolve(storeOf(area))));
    },
    async areasBelow(path) {
      const { rows } = await query(
        `SELECT area, path, revision, records FROM accession_area WHERE ${isBelow('path', 1)} ORDER BY path`,
        rangeBelow(`${path}/`),
      );
      return (rows as [number, string, number, number][]).map(([id, path, revision, records]) => ({
        id,
        path,
        revision,
        records,
      }));
    },
  };
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
