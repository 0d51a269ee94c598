/** An area in the database: its row, and its blocks as this process knows them. */
import { ServiceError } from '../../errors.ts';
import { Blocks, readBlocks } from './blocks.ts';
import type { Database, Run } from './database.ts';

export type DatabaseArea = {
  readonly database: Database;
  readonly id: number;
  readonly path: string;
  /** As of `blocks.revision`; shared by readers and the writer of this process. */
  readonly blocks: Blocks;
  /** Whether records of the area have keys that are too long for the indexes of the order. Never goes back. */
  hasLongKeys: boolean;
  /** Is called after each commit of this process that may have changed the area. */
  onCommit?: () => void;
};

/** The columns of {@link AreaRow}. */
export const AREA_COLUMNS = 'revision, changed, has_long_keys, links_revision';

/** The row of an area. `changed` is the time of its last change in microseconds. */
export type AreaRow = {
  readonly revision: number;
  readonly changed: number;
  readonly has_long_keys: boolean;
  /** The links of all records are known up to this revision. */
  readonly links_revision: number;
};

/** Finds an area by its path; the first one to ask creates it. */
export async function openArea(database: Database, path: string): Promise<DatabaseArea> {
  const find = async () => {
    const rows = await database.query<{ area: number }>('SELECT area FROM accession_area WHERE path = $1', [
      path,
    ]);
    return rows[0]?.area;
  };
  let id = await find();
  if (id === undefined) {
    await database.query('INSERT INTO accession_area (path) VALUES ($1) ON CONFLICT (path) DO NOTHING', [
      path,
    ]);
    id = await find();
  }
  if (id === undefined) throw new ServiceError('storage_failed', `The area '${path}' cannot be created.`);
  return { database, id, path, blocks: new Blocks(), hasLongKeys: false };
}

/** Whether an area exists. */
export async function hasArea(database: Database, path: string): Promise<boolean> {
  const rows = await database.query('SELECT area FROM accession_area WHERE path = $1', [path]);
  return rows.length > 0;
}

/** The areas below a path, in the order of their paths. */
export function areasBelow(
  database: Database,
  path: string,
): Promise<{ readonly path: string; readonly revision: number }[]> {
  const prefix = `${path}/`;
  return database.query(
    'SELECT path, revision FROM accession_area WHERE path >= $1 AND path < $2 ORDER BY path',
    // The character after the slash ends the range.
    [prefix, `${path}0`],
  );
}

async function areaRow(run: Run, area: DatabaseArea): Promise<AreaRow> {
  const [row] = await run<AreaRow>(`SELECT ${AREA_COLUMNS} FROM accession_area WHERE area = $1`, [area.id]);
  return row ?? missing(area);
}

export function missing(area: DatabaseArea): never {
  throw new ServiceError('storage_failed', `The area '${area.path}' was removed from the database.`);
}

/** What a read found, and the revision of the area that it saw. */
export type Seen<T> = { readonly revision: number; readonly result: T };

/** How often a read that another writer has outrun is repeated before it is made in a snapshot. */
const READ_ATTEMPTS = 3;

/**
 * Reads with the blocks of the area, and makes sure that they fit: if the read saw another revision than that of the
 * blocks, the blocks are loaded again and the read is repeated.
 *
 * @param read takes what it needs from the blocks before it first waits.
 */
export async function readWithBlocks<T>(
  area: DatabaseArea,
  read: (run: Run, area: DatabaseArea) => Promise<Seen<T>>,
): Promise<T> {
  const { database, blocks } = area;
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
    if (attempt > 0 || blocks.revision < 0) await database.snapshot((run) => refresh(run, area));
    const expected = blocks.revision;
    const { revision, result } = await read(database.query, area);
    if (revision === expected) return result;
  }
  return database.snapshot(async (run) => {
    const own: DatabaseArea = { ...area, blocks: new Blocks() };
    await refresh(run, own);
    return (await read(run, own)).result;
  });
}

/** Brings the blocks to the state that a connection sees; blocks that are ahead of it stay as they are. */
export async function refresh(run: Run, area: DatabaseArea): Promise<AreaRow> {
  const { blocks, id } = area;
  const since = blocks.revision;
  const [row, changed] = await Promise.all([areaRow(run, area), readBlocks(run, id, since)]);
  area.hasLongKeys ||= row.has_long_keys;
  if (blocks.revision === since && row.revision > since) {
    blocks.apply(changed, row.revision);
  }
  return row;
}
