/** The differences between the databases in the index of words: FTS5 on SQLite, `tsvector` with GIN on PostgreSQL. */
import type { RecordWords } from '../tokens.ts';
import type { Term, WordQuery } from './word-query.ts';

/** Where the words of a query have to be: anywhere, or in the title and the identifiers of a record. */
export type Within = 'record' | 'head';

export type WordDialect = {
  /** The tables of the index: the words, and the columns by which documents are selected. A deleted record is in none of them. */
  readonly tables: string;
  /** Adds the words of a document, which the index does not have. */
  readonly add: string;
  readonly remove: string;
  /** Merges about so many pages ($1) of the index; undefined if the database needs no step for it. */
  readonly merge: string | undefined;
  /** The values of `add`. */
  row(doc: number, words: RecordWords): (string | number)[];
  /** The column with the documents of the words. */
  readonly doc: string;
  /** The same in conditions on a range that has many documents. */
  readonly docOfMany: string;
  /** A condition on their table: they meet a query. */
  matches(query: WordQuery, within: Within, parameter: (value: string) => number): string;
  /** The order of relevance, which begins with the least, of documents that meet a query. */
  rank(query: WordQuery, parameter: (value: string) => number): string;
  /**
   * Matches that a statement counts or ranks, in the order of documents: with more, other requests of the process would wait for it. Of
   * more than `most`, the others have no rank: each statement begins with a walk through all matches. Undefined if one statement reads
   * all, and returns no more of them than are asked for.
   */
  readonly atOnce: { readonly counted: number; readonly ranked: number; readonly most: number } | undefined;
};

/** In the words of `layout.ts`. */
const DOCS = `CREATE TABLE accession_doc (doc INT PRIMARY KEY, class_name TEXT NOT NULL, policy TEXT NOT NULL);`;

/** Between values, so no phrase is found across two of them; and before the first one, so every document has a word. */
const BORDER = '\ue000';

export const SQLITE_WORDS: WordDialect = {
  // The tokens are those of `tokens.ts`: only spaces separate them.
  tables: `${DOCS}
    CREATE VIRTUAL TABLE accession_word USING fts5(
      head, body, forms, content = '', contentless_delete = 1, prefix = '3',
      tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'"
    );`,
  add: 'INSERT INTO accession_word (rowid, head, body, forms) VALUES ($1, $2, $3, $4)',
  remove: 'DELETE FROM accession_word WHERE rowid = $1',
  merge: "INSERT INTO accession_word (accession_word, rank) VALUES ('merge', $1)",
  row: (doc, { head, body, forms }) => [
    doc,
    head.map((value) => value.join(' ')).join(` ${BORDER} `),
    `${BORDER} ${body.map((value) => value.join(' ')).join(` ${BORDER} `)}`,
    forms.join(` ${BORDER} `),
  ],
  doc: 'rowid',
  docOfMany: 'rowid',
  matches({ groups, excluded }, within, parameter) {
    const anyOf = (terms: readonly Term[]) => `(${terms.flatMap(phrases).join(' OR ')})`;
    const all = groups.length === 0 ? `"${BORDER}"` : groups.map(anyOf).join(' AND ');
    const positive = within === 'head' ? `({head} : (${all}))` : `(${all})`;
    const query = excluded.length === 0 ? positive : `${positive} NOT ${anyOf(excluded)}`;
    return `accession_word MATCH $${parameter(query)}`;
  },
  rank: () => 'bm25(accession_word, 10.0, 1.0, 1.0)',
  atOnce: { counted: 100_000, ranked: 20_000, most: 60_000 },
};

/** A term in the language of FTS5. Tokens have no quotes. */
function phrases(term: Term): string[] {
  return phrasesOf(term).map(({ tokens, isPrefix }) => `"${tokens.join(' ')}"${isPrefix ? ' *' : ''}`);
}

/** The phrases by one of which a record has a term. */
function phrasesOf({ tokens, isPrefix, forms, stems }: Term): Pick<Term, 'tokens' | 'isPrefix'>[] {
  return [
    { tokens, isPrefix },
    ...forms.map((form) => ({ tokens: [form], isPrefix })),
    ...stems.map((stem) => ({ tokens: [stem], isPrefix: false })),
  ];
}

/**
 * What was added to an index of GIN is a list at first, which searches read to its end and the planner counts as their cost. Up to this
 * many kB, adding takes no longer than with the 4 MB that are usual; with those, one step takes 270 ms to bring them into the index.
 */
export const GIN_OPTIONS = 'gin_pending_list_limit = 512';

export const POSTGRESQL_WORDS: WordDialect = {
  tables: `${DOCS}
    CREATE TABLE accession_word (doc INT PRIMARY KEY, words tsvector NOT NULL);
    CREATE INDEX accession_word_words ON accession_word USING gin (words) WITH (${GIN_OPTIONS});`,
  add: 'INSERT INTO accession_word (doc, words) VALUES ($1, CAST($2 AS tsvector))',
  remove: 'DELETE FROM accession_word WHERE doc = $1',
  merge: undefined,
  row: (doc, words) => [doc, vectorOf(words)],
  doc: 'doc',
  // The sign keeps the planner from reading the words of all of them.
  docOfMany: '+doc',
  matches(query, within, parameter) {
    const mark = within === 'head' ? IN_HEAD : '';
    const isMet = (tsquery: string) => `words @@ CAST($${parameter(tsquery)} AS tsquery)`;
    const conditions = necessaryFor(query, mark).map(isMet);
    const hasPhrase = query.groups
      .flat()
      .some((term) => phrasesOf(term).some(({ tokens }) => tokens.length > 1));
    // As a filter: the index would read all records of each word.
    if (hasPhrase) conditions.push(`(${isMet(tsqueryOf(query, mark))}) IS TRUE`);
    return conditions.join(' AND ');
  },
  // The weights of D, C, B and A; divided by the logarithm of the length.
  rank: (query, parameter) =>
    `-ts_rank('{0.1, 0.1, 0.1, 1.0}', words, CAST($${parameter(tsqueryOf(query, ''))} AS tsquery), 1)`,
  // Another process finds them, and would walk the table for an order.
  atOnce: undefined,
};

/**
 * Before a word: it is in the title or the identifiers. An index of GIN has no weights: to find a common word by its weight takes
 * reading the words of each record that has it. No token has this sign.
 */
const IN_HEAD = '^';

/** The words of a phrase as operands of a tsquery. @param mark before each word */
function operandsOf({ tokens, isPrefix }: Pick<Term, 'tokens' | 'isPrefix'>, mark: string): string[] {
  return tokens.map((token, at) => `'${mark}${token}'${isPrefix && at === tokens.length - 1 ? ':*' : ''}`);
}

function anyOf(terms: readonly Term[], mark: string): string {
  const phrases = terms.flatMap(phrasesOf).map((one) => `(${operandsOf(one, mark).join(' <-> ')})`);
  return `(${phrases.join(' | ')})`;
}

function tsqueryOf({ groups, excluded }: WordQuery, mark: string): string {
  const conditions = groups.map((terms) => anyOf(terms, mark));
  if (excluded.length > 0) conditions.push(`!${anyOf(excluded, '')}`);
  return conditions.join(' & ');
}

/** The database keeps a statement for each number of conditions. */
const MOST_CONDITIONS = 16;

/**
 * Conditions of single words that all documents satisfy which meet a query; those are all that do if it has no phrases. Of several
 * conditions, an index of GIN passes over what the rarest one excludes. Of several words of one condition, it takes the one to be rarest
 * whose first page has the fewest documents, and that page is empty once these have been indexed again.
 */
function necessaryFor({ groups, excluded }: WordQuery, mark: string): string[] {
  const found: Set<string>[] = [];
  for (const terms of groups) {
    const phrases = terms.flatMap(phrasesOf).map((one) => operandsOf(one, mark));
    // The last words of all, then those before them: a phrase that has begun has its first one.
    for (let at = 1; at <= Math.max(...phrases.map(({ length }) => length)); at++) {
      const words = new Set(phrases.map((phrase) => phrase.at(-at) ?? phrase[0]!));
      if (!found.some((one) => one.isSubsetOf(words))) found.push(words);
    }
  }
  const conditions = found.map((words) => `(${[...words].join(' | ')})`);
  const rest = conditions.splice(MOST_CONDITIONS - 1);
  if (rest.length > 0) conditions.push(rest.join(' & '));
  if (excluded.length > 0)
    conditions.push([...conditions.splice(0, 1), `!${anyOf(excluded, '')}`].join(' & '));
  return conditions;
}

/** The last position that PostgreSQL keeps, and the most of one word. */
const LAST_POSITION = 16_383;

/**
 * The text of a tsvector. The words of the title and the identifiers are in it a second time, with their mark. They have weight A, other
 * forms C. Values are two positions apart.
 */
function vectorOf({ head, body, forms }: RecordWords): string {
  const positions = new Map<string, string[]>();
  let position = 0;
  const add = (word: string, place: string) => {
    const found = positions.get(word);
    if (found) found.push(place);
    else positions.set(word, [place]);
  };
  const addValue = (tokens: readonly string[], weight: string) => {
    for (const token of tokens) {
      position = Math.min(position + 1, LAST_POSITION);
      add(token, `${position}${weight}`);
      if (weight === 'A') add(IN_HEAD + token, `${position}`);
    }
    position += 1;
  };
  for (const value of head) addValue(value, 'A');
  for (const value of body) addValue(value, '');
  for (const form of forms) addValue([form], 'C');
  return [...positions].map(([word, all]) => `'${word}':${all.join(',')}`).join(' ');
}
