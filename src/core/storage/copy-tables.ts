/** Copies all tables of a database into an empty one of another kind, since both have one layout. Those of absent modules, too. */
import type { Connection } from './connection.ts';
import type { Value } from './dialect.ts';
import { TABLES_OF_0_3 } from './former-tables.ts';
import { TABLES } from './layout.ts';
import type { Reader } from './reader.ts';
import { TEXT_INDEX } from './search/text-index.ts';
import { FORMER_INDEX, WORD_INDEX } from './search/word-index.ts';
import { type Description, describedIn, inWordsOf, moduleMeta, tableNames } from './tables.ts';

/** Rows that are read and written at a time. */
const ROWS_AT_ONCE = 500;

/** What a copy gets or makes again by itself: the rows about modules, and its indexes of texts and words. */
const OF_CORE = { tables: ['accession_meta'], cursors: [TEXT_INDEX.name, WORD_INDEX, FORMER_INDEX] };

/** What is not copied, of the core and of modules. Stores of 0.3 do not describe the tables of modules. */
function leftOut(meta: ReadonlyMap<string, string>): { tables: Set<string>; cursors: Set<unknown> } {
  const descriptions: readonly Description[] = [...Object.values(TABLES_OF_0_3), ...describedIn(meta)];
  const all = [OF_CORE, ...descriptions.flatMap(({ uncopied }) => uncopied ?? [])];
  return {
    tables: new Set(all.flatMap(({ tables }) => tables)),
    cursors: new Set(all.flatMap(({ cursors }) => cursors)),
  };
}

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
  const { cursors } = leftOut(meta);
  for (const table of copiedTables(meta)) await copyTable(source, target, table, { copied, cursors });
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
  const { tables } = leftOut(meta);
  return all.filter((name) => !tables.has(name));
}

type Column = [name: string, key: number | null, isNumbered: number];

async function copyTable(
  source: Reader,
  target: Connection,
  name: string,
  { copied, cursors }: { readonly copied: (rows: number) => void; readonly cursors: ReadonlySet<unknown> },
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
    const kept = name === 'accession_cursor' ? rows.filter(([cursor]) => !cursors.has(cursor)) : rows;
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
