/** The action of commands that send one request each, and print its answer. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { runs, wholeNumber } from '../command.ts';
import type { Request, To, Values } from './request.ts';

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
