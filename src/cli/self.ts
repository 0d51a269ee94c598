/** What the command says about itself: completions and the manual page. */
import type { Given } from './command.ts';
import { COMMANDS } from './commands.ts';
import { completionScript, type SHELLS } from './completion.ts';
import { manPage } from './man-page.ts';
import { write } from './print.ts';
import { version } from './version.ts';

/** `accession completion` */
export async function completion(given: Given): Promise<number> {
  await write(completionScript(given.args[0] as (typeof SHELLS)[number], COMMANDS));
  return 0;
}

/** `accession man` */
export async function man(): Promise<number> {
  await write(manPage(COMMANDS, version()));
  return 0;
}
