/** The pages of modules: each module has what its page prints in `README.expected.ts`. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './page.ts';

type Expected = {
  /** Gets what the commands print, run on the laboratory. */
  readonly commands?: (outputs: readonly string[]) => void;
  /** By language and number of a block that is not a command: its check, or where it is checked. */
  readonly blocks?: Readonly<Record<string, ((text: string) => unknown) | string>>;
};

const files = globSync('src/modules/*/README.expected.ts', { cwd: ROOT }).sort();
const all = await Promise.all(
  files.map(async (file) => {
    const expected = (await import(pathToFileURL(join(ROOT, file)).href)) as Expected;
    return [file.replace('.expected.ts', '.md'), expected] as const;
  }),
);

/** By page. */
export const MODULE_PAGES = Object.fromEntries(
  all.flatMap(([page, { commands }]) => (commands ? [[page, commands] as const] : [])),
);

/** By page, language and number. */
export const MODULE_BLOCKS = Object.fromEntries(
  all.flatMap(([page, { blocks = {} }]) =>
    Object.entries(blocks).map(([name, check]) => [`${page} ${name}`, check] as const),
  ),
);
