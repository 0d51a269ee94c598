/** The differences between SQLite and PostgreSQL in the statements of this service. */
import { GIN_OPTIONS, POSTGRESQL_WORDS, SQLITE_WORDS, type WordDialect } from './search/word-dialect.ts';

export type Dialect = {
  readonly name: 'sqlite' | 'postgresql';
  /** The longest pid, in bytes of UTF-8: its index takes no longer one. */
  readonly longestPid: number;
  /** A condition: a column has one of the values of a list, which is the parameter of this number. */
  among(column: string, parameter: number, type?: 'text' | 'bigint'): string;
  /** A table of one column `value`, with the values of a list, which is the parameter of this number. */
  values(parameter: number, type?: 'text' | 'bigint'): string;
  /** An aggregate: the numbers of a column as one JSON text. Rows of single numbers take six times as long with SQLite. */
  list(column: string): string;
  /** The time by the clock of the database, in milliseconds since 1970: instances with clocks of their own share it. */
  readonly now: string;
  /** The words of `layout.ts` for its kinds of columns. */
  readonly types: {
    readonly id: string;
    readonly int: string;
    readonly real: string;
    readonly text: string;
    readonly bytes: string;
  };
  /** Behind the columns of a table. */
  readonly tableOptions: string;
  /** Behind the columns of a table whose rows are kept in the order of the primary key. */
  readonly clustered: string;
  /** Before the columns that an index has besides: empty if it has them anyway. */
  readonly covering: string;
  /** Gives the indexes of layout 5 what those of later ones have from the start. */
  readonly indexesOf5: string;
  /** The same of layout 6. The index of words, whose version changes, is made again in the background. */
  readonly indexesOf6: string;
  /**
   * The columns of a table, whose name is $1, in their order: `name`, the position `key` in what identifies a row (the primary key, else
   * the unique index; null if it is not part of it), and whether the database numbers rows by it.
   */
  readonly columns: string;
  /** The tables of the text index, see `search/text-index.ts`. */
  readonly textTables: string;
  /** Adds the folded text of a record ($2) under its id ($1), which the index does not have. */
  readonly addText: string;
  readonly removeText: string;
  /** Merges about so many pages ($1) of that index; undefined if the database needs no step for it. */
  readonly mergeTexts: string | undefined;
  /**
   * A table of one column `id`, with the records whose texts have all of some strings, with SQLite trigrams; parameters from
   * this number on.
   */
  textCandidates(
    strings: readonly string[],
    parameter: number,
  ): { readonly sql: string; readonly values: readonly Value[] };
  /** The index of words, see `search/word-index.ts`. */
  readonly words: WordDialect;
};

/** Numbers as {@link Dialect.list} returns them. */
export type NumberList = string | readonly number[] | null;

export function numbersIn(list: NumberList | undefined): readonly number[] {
  return typeof list === 'string' ? (JSON.parse(list) as number[]) : (list ?? []);
}

export const SQLITE: Dialect = {
  name: 'sqlite',
  longestPid: Number.POSITIVE_INFINITY,
  among: (column, parameter) => `${column} IN (SELECT value FROM json_each($${parameter}))`,
  values: (parameter) => `(SELECT value FROM json_each($${parameter}))`,
  list: (column) => `json_group_array(${column})`,
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  types: { id: 'INTEGER PRIMARY KEY', int: 'INTEGER', real: 'REAL', text: 'TEXT', bytes: 'BLOB' },
  // Otherwise SQLite keeps values of other kinds, which PostgreSQL refuses.
  tableOptions: 'STRICT',
  clustered: 'STRICT, WITHOUT ROWID',
  covering: '',
  indexesOf5: '',
  indexesOf6: '',
  columns: `SELECT name, CASE WHEN pk > 0 THEN pk ELSE (
      SELECT i.seqno + 1 FROM pragma_index_list($1) l, pragma_index_info(l.name) i
      WHERE l."unique" = 1 AND l.origin = 'c' AND i.name = t.name
        AND NOT EXISTS (SELECT 1 FROM pragma_table_info($1) p WHERE p.pk > 0)
    ) END AS key, 0 AS numbered FROM pragma_table_info($1) t ORDER BY cid`,
  textTables: `CREATE VIRTUAL TABLE accession_text USING fts5(
    folded, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
  );`,
  addText: 'INSERT INTO accession_text (rowid, folded) VALUES ($1, $2)',
  removeText: 'DELETE FROM accession_text WHERE rowid = $1',
  mergeTexts: "INSERT INTO accession_text (accession_text, rank) VALUES ('merge', $1)",
  textCandidates(strings, parameter) {
    const quoted = strings.map((trigram) => `"${trigram.replaceAll('"', '""')}"`);
    return {
      sql: `(SELECT rowid AS id FROM accession_text WHERE accession_text MATCH $${parameter})`,
      values: [quoted.join(' AND ')],
    };
  },
  words: SQLITE_WORDS,
};

export const POSTGRESQL: Dialect = {
  name: 'postgresql',
  longestPid: 1000,
  among: (column, parameter, type = 'text') => `${column} = ANY ($${parameter}::${type}[])`,
  values: (parameter, type = 'text') => `(SELECT unnest($${parameter}::${type}[]) AS value)`,
  list: (column) => `json_agg(${column})`,
  now: 'CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)',
  types: {
    id: 'bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY',
    int: 'bigint',
    real: 'double precision',
    text: 'text COLLATE "C"',
    bytes: 'bytea',
  },
  tableOptions: '',
  // Its tables have no order: the primary key is another index, and what it lacks is read from as many pages as there are records.
  clustered: '',
  covering: 'INCLUDE',
  indexesOf5: `ALTER TABLE accession_value DROP CONSTRAINT accession_value_pkey,
      ADD PRIMARY KEY (slot, number, value, record) INCLUDE (kind, first);
    ALTER INDEX accession_word_words SET (${GIN_OPTIONS});
    ALTER INDEX accession_text_trigrams SET (${GIN_OPTIONS});`,
  indexesOf6: `DROP INDEX accession_record_order;
    CREATE INDEX accession_record_order ON accession_record (area, pid, iri, class_name, policy) INCLUDE (id);
    DROP INDEX accession_record_class;
    CREATE INDEX accession_record_class ON accession_record (area, class_name, pid, iri, policy) INCLUDE (id);
    UPDATE accession_cursor SET version = '' WHERE name = 'words';`,
  columns: `SELECT a.attname::text, array_position(k.columns, a.attnum), (a.attidentity <> '')::int
    FROM pg_attribute a, (
      SELECT (string_to_array(indkey::text, ' ')::int2[])[:indnkeyatts] AS columns FROM pg_index
      WHERE indrelid = $1::text::regclass AND indisunique ORDER BY indisprimary DESC LIMIT 1
    ) k
    WHERE a.attrelid = $1::text::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
  textTables: `CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE TABLE accession_text (id bigint PRIMARY KEY, folded text NOT NULL);
    CREATE INDEX accession_text_trigrams ON accession_text USING gin (folded gin_trgm_ops) WITH (${GIN_OPTIONS});`,
  addText: 'INSERT INTO accession_text (id, folded) VALUES ($1, $2)',
  removeText: 'DELETE FROM accession_text WHERE id = $1',
  mergeTexts: undefined,
  textCandidates: (strings, parameter) => ({
    sql: `(SELECT id FROM accession_text WHERE ${strings
      .map((_, at) => `folded LIKE $${parameter + at}`)
      .join(' AND ')})`,
    values: strings.map((string) => `%${string.replace(/[\\%_]/g, '\\$&')}%`),
  }),
  words: POSTGRESQL_WORDS,
};

/** A value of a statement. Lists are for {@link Dialect.among} and {@link Dialect.values}. */
export type Value = string | number | null | Uint8Array | readonly string[] | readonly number[];

/** The length of the strings among values, without those of lists. */
export function charactersIn(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}
