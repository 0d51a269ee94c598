/** What differs between SQLite and PostgreSQL in the statements of this service. */

export type Dialect = {
  readonly name: 'sqlite' | 'postgresql';
  /** A condition: a column has one of the values of a list, which is the parameter of this number. */
  among(column: string, parameter: number, type?: 'text' | 'bigint'): string;
  /** A table of one column `value`, with the values of a list, which is the parameter of this number. */
  values(parameter: number, type?: 'text' | 'bigint'): string;
};
