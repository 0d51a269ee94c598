/** The filters, orders and summaries that follow from the columns of the queue, with their schemas. */

import type { ListedSubmission } from '../submissions/submission.ts';
import { COLUMNS, type Column, type ColumnFilter, type EtagOf, SENT_FLAG, SENT_TEXT } from './columns.ts';

type Columns = typeof COLUMNS;
const ALL = Object.entries<Column>(COLUMNS);

type ColumnValues = { readonly [Name in keyof Columns]: ReturnType<Columns[Name]['value']> };

export function columnValues(row: ListedSubmission, etagOf: EtagOf): ColumnValues {
  return Object.fromEntries(ALL.map(([name, { value }]) => [name, value(row, etagOf)])) as ColumnValues;
}

export const COLUMN_SCHEMAS = Object.fromEntries(ALL.map(([name, { schema }]) => [name, schema])) as {
  readonly [Name in keyof Columns]: Columns[Name]['schema'];
};

const MATCHING = {
  description: 'A pattern that a string of the submission matches, as in lists of records.',
  schema: SENT_TEXT,
} as const satisfies ColumnFilter;

const WORDS = {
  description:
    'Words, each of which the submission, its batch, its message or its submitter has; with every backend.',
  schema: SENT_TEXT,
} as const satisfies ColumnFilter;

type FilterColumn = {
  [Name in keyof Columns]: Columns[Name] extends { filter: object } ? Name : never;
}[keyof Columns];
type Filters = { readonly [Name in FilterColumn]: Columns[Name]['filter'] } & {
  readonly matching: typeof MATCHING;
  readonly q: typeof WORDS;
};

/** The filters: columns, and conditions that are not columns. */
export const FILTERS = {
  ...Object.fromEntries(ALL.flatMap(([name, { filter }]) => (filter ? [[name, filter]] : []))),
  matching: MATCHING,
  q: WORDS,
} as Filters;

export const FILTER_SCHEMAS = Object.fromEntries(
  Object.entries<ColumnFilter>(FILTERS).map(([name, { schema }]) => [name, schema]),
) as { readonly [Name in keyof Filters]: Filters[Name]['schema'] };

type FilterValue<Schema> = Schema extends { oneOf: readonly [infer One, ...unknown[]] }
  ? readonly (One extends { enum: readonly (infer Value)[] } ? Value : string)[]
  : Schema extends typeof SENT_FLAG
    ? boolean
    : string;

/** All fields of a filter must match; of several values in a field, one. Submissions that wait are selected by default. */
export type Filter = { readonly [Name in keyof Filters]?: FilterValue<Filters[Name]['schema']> };

/** The fields that submissions are counted by. */
export type CountedField = {
  [Name in FilterColumn]: Columns[Name] extends { filter: { isCounted: true } } ? Name : never;
}[FilterColumn];

/** The fields of which a summary lists the values with their numbers: all but truth values. */
export type SummedField = Exclude<CountedField, 'valid'>;
export const SUMMED = ALL.flatMap(([name, { filter }]) =>
  filter?.isCounted && filter.schema !== SENT_FLAG ? [name] : [],
) as SummedField[];

/** The names of orders, and their columns in the database. */
export type SortName = Extract<Columns[keyof Columns], { sort: object }>['sort']['name'];
export const SORTS = Object.fromEntries(
  ALL.flatMap(([, { sort }]) => (sort ? [[sort.name, sort.column]] : [])),
) as { readonly [Name in SortName]: NonNullable<Column['sort']>['column'] };
