/** Copies all tables of a database into an empty one of another kind, since both have one layout. Those of absent modules, too. */
import type { Connection } from './connection.ts';
import type { Value } from './dialect.ts';
import { TABLES } from './layout.ts';
import type { Reader } from './reader.ts';
import { describedIn, inWordsOf, moduleMeta, tableNames } from './tables.ts';

/** Rows that are read and written at a time. */
const ROWS_AT_ONCE = 500;

/** Tables that a copy makes again by itself: the places of its files, and its text index. */
const LEFT_OUT: ReadonlySet<string> = new Set(['accession_meta', 'accession_file']);
const CURSORS_LEFT_OUT: ReadonlySet<unknown> = new Set(['mirror', 'text']);

/**
 * Copies every row. The caller begins and ends the transaction of the target.
 *
 * @param source reads as of one moment
 * @param copied is called with the number of rows
 */
export async function copyTables(
  source: Reader,
  target: Connection,
  copied: (rows: number) => void,
): Promise<void> {
  const meta = await moduleMeta(source);
  for (const { sql } of describedIn(meta))
    for (const statement of statementsIn(inWordsOf(target.dialect, sql))) await target.run(statement);
  await target.many('INSERT INTO accession_meta (key, value) VALUES ($1, $2)', [...meta]);
  for (const table of copiedTables(meta)) await copyTable(source, target, table, copied);
}

/** A connection runs one statement at a time. */
function statementsIn(sql: string): string[] {
  return sql
    .replaceAll(/--[^\n]*/g, '')
    .split(';')
    .filter((statement) => statement.trim() !== '');
}

function copiedTables(meta: ReadonlyMap<string, string>): string[] {
  const all = [...TABLES, ...describedIn(meta).flatMap(({ sql }) => tableNames(sql))];
  return all.filter((name) => !LEFT_OUT.has(name));
}

type Column = [name: string, key: number | null, isNumbered: number];

async function copyTable(
  source: Reader,
  target: Connection,
  name: string,
  copied: (rows: number) => void,
): Promise<void> {
  const found = await target.tuples<Column>(target.dialect.columns, [name]);
  const columns = found.map(([column]) => column);
  const inKey = found.filter(([, position]) => position !== null).sort(([, a], [, b]) => a! - b!);
  const key = inKey.map(([column]) => column);
  const list = columns.join(', ');
  const insert = `INSERT INTO ${name} (${list}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')})`;
  const order = `ORDER BY ${key.join(', ')} LIMIT ${ROWS_AT_ONCE}`;
  const behind = `(${key.join(', ')}) > (${key.map((_, at) => `$${at + 1}`).join(', ')})`;
  const keyColumns = key.map((column) => columns.indexOf(column));
  for (let last: readonly Value[] | undefined; ; ) {
    const rows: Value[][] = last
      ? await source.tuples(
          `SELECT ${list} FROM ${name} WHERE ${behind} ${order}`,
          keyColumns.map((at) => last![at]!),
        )
      : await source.tuples(`SELECT ${list} FROM ${name} ${order}`);
    const kept =
      name === 'accession_cursor' ? rows.filter(([cursor]) => !CURSORS_LEFT_OUT.has(cursor)) : rows;
    await target.many(insert, kept);
    copied(rows.length);
    last = rows.at(-1);
    if (rows.length < ROWS_AT_ONCE) break;
  }
  // PostgreSQL does not learn of numbers that were given.
  for (const [column] of found.filter(([, , isNumbered]) => isNumbered))
    await target.tuples(
      `SELECT setval(pg_get_serial_sequence('${name}', '${column}'), greatest(1, (SELECT coalesce(max(${column}), 1) FROM ${name})))`,
    );
}

/** How many rows there are to copy. */
export async function countRows(source: Reader): Promise<number> {
  let rows = 0;
  for (const name of copiedTables(await moduleMeta(source))) {
    const [row] = await source.tuples<[number]>(`SELECT count(*) FROM ${name}`);
    rows += row![0];
  }
  return rows;
}
