/** The action of commands that send one request each, and print its answer. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { ClientError } from '../../client/client.ts';
import { runs, wholeNumber } from '../command.ts';
import type { PrintedRow } from '../print.ts';

/** Arguments and options by name. */
export type Values = Readonly<Record<string, unknown>>;
export type Answer = Readonly<Record<string, unknown>>;

export type Printing =
  /** The answer has nothing to print: a sentence on standard error, of the arguments and options. */
  | { readonly done: (given: Values) => string }
  /** Its members, one a line. */
  | 'value'
  /** A table of its items. */
  | {
      readonly columns: readonly string[];
      /** The member that has the items; without one, the answer is an array. */
      readonly items?: string;
      /** An item as a row of the table. */
      readonly row?: (item: Answer) => PrintedRow;
      /** Whether items are problems, so that the exit status says whether there are any. */
      readonly areProblems?: boolean;
    }
  | { readonly text: (answer: Answer) => string };

/** Which service a command is for, and whether a program reads its output. */
export type To = { readonly url: string | undefined; readonly json: boolean | undefined };

/** The request of a command. Values are its arguments and options, by name. */
export type Request = {
  /** By default `GET`. */
  readonly method?: 'POST' | 'PUT';
  /** Values that are named in braces are parts of it. The others are the query of a GET, else the body. */
  readonly path: string;
  /** The names that the endpoint has for options, if others. */
  readonly names?: Readonly<Record<string, string>>;
  /** Of a request with a body: the values that are parameters nevertheless. */
  readonly query?: readonly string[];
  /** Makes the values of what was given. */
  readonly values?: (given: Values) => Values;
  readonly print: Printing;
  /** Advises on an error, in the options of the command. */
  readonly advise?: (error: ClientError) => string | undefined;
  /** Other requests if a value is given: of the first that is. A value that is a flag is not sent. */
  readonly instead?: readonly (Partial<Pick<Request, 'method'>> &
    Pick<Request, 'path' | 'print'> & { readonly value: string })[];
};

/** The action of a command that sends a request. */
export function sends(request: Request) {
  return function (this: CommandUnknownOpts): Promise<void> {
    const { url, json, ...options } = this.opts() as Values & To;
    const given = [
      ...this.registeredArguments.map((one, at) => [one.name(), this.processedArgs[at]] as const),
      ...Object.entries(options).map(([option, value]) => {
        const name = option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
        return [request.names?.[name] ?? name, value] as const;
      }),
    ].filter(([, value]) => value !== undefined);
    return runs(async () => {
      const { send } = await import('./request.ts');
      return () => send(request, Object.fromEntries(given), { url, json });
    }).call(this);
  };
}

/** The page that is printed. */
export const SIZE = ['--limit <number>', 'at most this many (100)', wholeNumber(1, 100)] as const;
/** The name that endpoints have for it. */
export const PAGED = { limit: 'size' };
