/** The type of a query parameter. */

/** One parameter: how its string becomes a value or is refused, and how it is described. */
export type Parameter<T> = {
  /** Returns undefined for a string that is refused. */
  read(given: string): T | undefined;
  /** Completes "expected", if it is refused. */
  readonly expected: string;
  /** The value if it is left out. */
  readonly initial?: T;
  readonly required?: true;
  readonly description: string;
  /** JSON Schema, without the default. */
  readonly schema: object;
};

/** The parameters of an endpoint by name. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

export type ValuesOf<P extends Parameters> = {
  [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never;
};
