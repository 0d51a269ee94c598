/** The pages of modules: each module has what its page prints in `README.expected.ts`. */
import { expectedOfModules } from '../support/module-files.ts';

type Expected = {
  /** Gets what the commands print, run on the laboratory. */
  readonly commands?: (outputs: readonly string[]) => void;
  /** By language and number of a block that is not a command: its check, or where it is checked. */
  readonly blocks?: Readonly<Record<string, ((text: string) => unknown) | string>>;
};

const all = (await expectedOfModules<Expected>('README')).map(
  ([folder, expected]) => [`${folder}/README.md`, expected] as const,
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
