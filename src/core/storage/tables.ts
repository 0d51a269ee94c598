/**
 * The tables of modules. What must happen to them is data in the database, so it also happens while the module that owns
 * them is absent: they are copied, forgotten with their collection, and follow records to other IRIs.
 */
import { ServiceError } from '../errors.ts';
import type { Dialect } from './dialect.ts';
import { TABLES_OF_0_3 } from './former-tables.ts';
import type { Reader } from './reader.ts';

/**
 * The tables of a module, in the kinds of columns of `layout.ts`.
 *
 * Rows about a user have the user id, not the name of a token: a user has several tokens, and gets others. They stay when a token is
 * deleted, as submissions and decisions do, since a forge does not report which token of a user was the last. A module that stores
 * them lets users remove their own.
 */
export type ModuleTables = Description & {
  /** Raised with every change of the tables. */
  readonly version: number;
  /** The statements that lead from version n + 1 to n + 2, at index n. */
  readonly steps?: readonly string[];
};

/** The part of it that the database keeps. */
export type Description = {
  /** The statements that make the tables. */
  readonly sql: string;
  /** The tables whose rows go with a collection: it is named in their column `collection`. */
  readonly collection?: readonly string[];
  /**
   * A statement that runs when an admin token is deleted, since another one may have its name later: $1 is the name, $2 the time
   * in milliseconds since 1970, $3 the admin token that deletes it.
   */
  readonly adminToken?: string;
  /** The columns with IRIs of records. They change if another schema resolves pids to other IRIs. */
  readonly iris?: readonly IriColumn[];
  /**
   * What happens when a process without the module opens the database to write, whose changes its companions do not see: a statement
   * on its tables, and the removal of cursors whose names begin so.
   */
  readonly absent?: { readonly sql: string; readonly cursors: string };
  /**
   * What a copy of the database into another one leaves out, since it is about the store directory: tables, whose rows are not copied,
   * and cursors by their names.
   */
  readonly uncopied?: { readonly tables: readonly string[]; readonly cursors: readonly string[] };
  /** The statistics of indexes for the planner of SQLite: table → index → numbers. */
  readonly statistics?: Statistics;
};

export type IriColumn = readonly [table: string, area: string, iri: string];
export type Statistics = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The tables of all modules, by the name of the module. */
export type TablesOfModules = Readonly<Record<string, ModuleTables>>;

/** The names of the tables that statements make, in the words of `layout.ts`. */
export function tableNames(sql: string): string[] {
  return [...sql.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name = '']) => name);
}

/** Statements in the words of a database. */
export function inWordsOf({ types, tableOptions, clustered, covering }: Dialect, sql: string): string {
  return sql
    .replace(/ COVERING (\([^)]*\))/g, (_, columns: string) =>
      covering === '' ? '' : ` ${covering} ${columns}`,
    )
    .replace(/\bID\b/g, types.id)
    .replace(/\bINT\b/g, types.int)
    .replace(/\bREAL\b/g, types.real)
    .replace(/\bTEXT\b/g, types.text)
    .replace(/\bBYTES\b/g, types.bytes)
    .replace(/(CREATE TABLE[\s\S]*?\))( CLUSTERED)?(?=;)/g, (_, table: string, isClustered?: string) =>
      [table, ...(isClustered ? [clustered] : tableOptions === '' ? [] : [tableOptions])].join(' '),
    );
}

/** The keys of a module in `accession_meta`: the version of its tables, and what the database keeps of them. */
const versionKey = (module: string) => `layout ${module}`;
const DESCRIBES = 'tables ';
/** Whether the last process that opened the database lacked the module: `1` or `0`. */
const absentKey = (module: string) => `absent ${module}`;

/** Rows of `accession_meta`. */
type MetaRow = readonly [key: string, value: string];

/** What is missing in a database for the tables of modules: statements, then rows of `accession_meta` that are set. */
type MissingTables = { readonly statements: readonly string[]; readonly meta: readonly MetaRow[] };

/**
 * Finds what the owner of a database has to do before it is used with some modules. Tables that are there without a version
 * are of version 1: the core made them, before it had modules. It described none of them, so those of absent modules are now.
 *
 * @param modules undefined for a process that makes no tables, such as a command beside the service
 * @param has whether the database has a table
 * @throws ServiceError `store_incompatible` for the tables of a later release
 */
export function missingTables(
  modules: TablesOfModules | undefined,
  {
    meta,
    has,
    dialect,
  }: { meta: ReadonlyMap<string, string>; has: (table: string) => boolean; dialect: Dialect },
): MissingTables {
  const statements: string[] = [];
  const rows: MetaRow[] = [];
  for (const [module, tables] of Object.entries(modules ?? {})) {
    const { version, sql, steps = [] } = tables;
    const stored = meta.get(versionKey(module));
    const former = stored === undefined ? Number(tableNames(sql).some(has)) : Number(stored);
    if (former > version) throw laterTables(module, former, version);
    const needed = former === 0 ? [sql] : steps.slice(former - 1, version - 1);
    statements.push(...needed.map((one) => inWordsOf(dialect, one)));
    rows.push([versionKey(module), String(version)], [DESCRIBES + module, descriptionOf(tables)]);
  }
  if (!modules) return { statements, meta: [] };
  for (const [module, former] of Object.entries<Description>(TABLES_OF_0_3)) {
    const isDescribed = Object.hasOwn(modules, module) || meta.has(DESCRIBES + module);
    if (!isDescribed && tableNames(former.sql).every(has))
      rows.push([versionKey(module), '1'], [DESCRIBES + module, descriptionOf(former)]);
  }
  for (const [key, value] of new Map([...meta, ...rows])) {
    const { absent } = key.startsWith(DESCRIBES) ? (JSON.parse(value) as Description) : {};
    if (!absent) continue;
    const module = key.slice(DESCRIBES.length);
    const isAbsent = !Object.hasOwn(modules, module);
    rows.push([absentKey(module), isAbsent ? '1' : '0']);
    if (isAbsent && meta.get(absentKey(module)) !== '1')
      statements.push(absent.sql, `DELETE FROM accession_cursor WHERE name LIKE '${absent.cursors}%'`);
  }
  return { statements, meta: rows.filter(([key, value]) => meta.get(key) !== value) };
}

/**
 * Requires the tables of modules in a database that this process does not own.
 *
 * @throws ServiceError `store_incompatible`
 */
export function requireTables(modules: TablesOfModules, meta: ReadonlyMap<string, string>): void {
  for (const [module, { version }] of Object.entries(modules)) {
    const stored = Number(meta.get(versionKey(module)) ?? 0);
    if (stored > version) throw laterTables(module, stored, version);
    if (stored < version)
      throw new ServiceError(
        'store_incompatible',
        `The database has ${stored === 0 ? 'no tables' : 'former tables'} of '${module}': start the service that owns the store first.`,
      );
  }
}

function laterTables(module: string, found: number, known: number): ServiceError {
  return new ServiceError(
    'store_incompatible',
    `The tables of '${module}' have version ${found}, and this release knows version ${known}: ` +
      'start the release that made them, or restore a backup.',
  );
}

function descriptionOf(description: Description): string {
  const { sql, collection, adminToken, iris, absent, uncopied, statistics } = description;
  return JSON.stringify({ sql, collection, adminToken, iris, absent, uncopied, statistics });
}

/** What a database keeps of the tables of modules, those that are absent included. */
export function describedIn(meta: ReadonlyMap<string, string>): Description[] {
  return [...meta].flatMap(([key, value]) =>
    key.startsWith(DESCRIBES) ? [JSON.parse(value) as Description] : [],
  );
}

/** The rows of `accession_meta` about modules. */
export async function moduleMeta(reader: Pick<Reader, 'tuples'>): Promise<Map<string, string>> {
  const sql = "SELECT key, value FROM accession_meta WHERE key LIKE 'layout %' OR key LIKE 'tables %'";
  return new Map(await reader.tuples<[string, string]>(sql));
}

/** Removes the settings of a collection which is deleted, and the rows that modules have: a later one of its name is another one. */
export async function removeRowsOf(
  draft: Pick<Reader, 'tuples'> & { run(sql: string, values: readonly string[]): void },
  collection: string,
): Promise<void> {
  draft.run('DELETE FROM accession_settings WHERE collection = $1', [collection]);
  for (const { collection: tables = [] } of describedIn(await moduleMeta(draft)))
    for (const table of tables) draft.run(`DELETE FROM ${table} WHERE collection = $1`, [collection]);
}

/** Runs what modules have noted for the end of an admin token. */
export async function endAdminToken(
  draft: Pick<Reader, 'tuples'> & { run(sql: string, values: readonly (string | number)[]): void },
  name: string,
  by: string,
): Promise<void> {
  for (const { adminToken } of describedIn(await moduleMeta(draft)))
    if (adminToken !== undefined) draft.run(adminToken, [name, Date.now(), by]);
}
