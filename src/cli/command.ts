/** The contract of a command: what the table says about it, and what it is given when it runs. */

/** A flag as `node:util` parses it, with its help. */
export type Flag = {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** May be given more than once. */
  readonly multiple?: boolean;
  /** What the help calls the value: `FILE`. */
  readonly value?: string;
  /** The only values; completed by shells. */
  readonly choices?: readonly string[];
  readonly default?: string;
  readonly required?: boolean;
  readonly help: string;
  /** The help only names it; the manual page explains it. */
  readonly rare?: boolean;
};

/** Flag of commands that print for people, or for programs. */
export const jsonFlag: Flag = { type: 'boolean', help: 'print JSON' };

export type Argument = {
  readonly name: string;
  readonly help: string;
  readonly optional?: boolean;
  /** The only values. */
  readonly choices?: readonly string[];
  /** Takes all arguments that are left. */
  readonly repeated?: boolean;
};

/** One row of the table of commands. Parsing, help, completion and the manual page are made from it. */
export type Command = {
  /** One or two words: `validate`, `schema check`. */
  readonly name: string;
  readonly group: Group;
  readonly summary: string;
  /** A paragraph below the usage. */
  readonly about?: string;
  readonly args?: readonly Argument[];
  readonly flags?: Readonly<Record<string, Flag>>;
  readonly example: string;
  /** Loads the code of the command, and runs it. Undefined while the program continues to run. */
  run(given: Given): Promise<number | undefined>;
};

export type Group = 'operators' | 'stewards' | 'clients';

/** The parsed arguments of one call. */
export type Given = {
  /** Everything behind the name of the command, as it was written. */
  readonly raw: readonly string[];
  readonly args: readonly string[];
  /** The value of a flag that is given once. */
  text(flag: string): string | undefined;
  /** The values of a flag that may be repeated. */
  texts(flag: string): readonly string[];
  /** Whether a flag without a value is set. */
  is(flag: string): boolean;
};

/** The arguments are wrong: reported with the usage of the command. */
export class UsageError extends Error {}
