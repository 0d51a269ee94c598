/** The action of commands that send one request each, and print its answer. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { ClientError } from '../../client/client.ts';
import { runs, wholeNumber } from '../command.ts';
import type { Printing, To, Values } from './request.ts';

/** What a command sends. Values are its arguments and options, by name. */
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
  /** What to do about an error, in the options of the command. */
  readonly advise?: (error: ClientError) => string | undefined;
  /** What the command does if a value is given: the first that is. A value that is a flag is not sent. */
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
