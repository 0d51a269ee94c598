/** Reads what a database keeps of its areas themselves. */
import type { Dialect } from '../dialect.ts';
import { isIn, type Places } from '../places.ts';
import type { Reader } from '../reader.ts';
import type { AreaId } from '../store.ts';

export type StoredArea = AreaId & {
  readonly revision: number;
  /** The time of the last change, in microseconds since 1970. */
  readonly changed: number;
  readonly records: number;
};

const COLUMNS = 'area, path, revision, changed, records';

type Row = [id: number, path: string, revision: number, changed: number, records: number];

/** All areas of a database, that of the configuration included, by path. */
export async function storedAreas(reader: Pick<Reader, 'tuples'>): Promise<StoredArea[]> {
  const rows = await reader.tuples<Row>(`SELECT ${COLUMNS} FROM accession_area ORDER BY path`);
  return rows.map(toArea);
}

/** The paths of the areas of places, in order. */
export async function pathsIn(
  reader: Pick<Reader, 'tuples'> & { readonly dialect: Dialect },
  places: Places,
): Promise<string[]> {
  const { condition, values } = isIn(places, reader.dialect, 1);
  const rows = await reader.tuples<[string]>(
    `SELECT a.path FROM accession_area a WHERE ${condition} ORDER BY a.path`,
    values,
  );
  return rows.map(([path]) => path);
}

/** Whether a database has any area. */
export async function hasAreas(reader: Pick<Reader, 'tuples'>): Promise<boolean> {
  return (await reader.tuples('SELECT 1 FROM accession_area LIMIT 1')).length > 0;
}

/** An area as it is now. */
export async function storedArea(reader: Pick<Reader, 'tuples'>, { id }: AreaId): Promise<StoredArea> {
  const rows = await reader.tuples<Row>(`SELECT ${COLUMNS} FROM accession_area WHERE area = $1`, [id]);
  return toArea(rows[0]!);
}

function toArea([id, path, revision, changed, records]: Row): StoredArea {
  return { id, path, revision, changed, records };
}
