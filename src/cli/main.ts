/** The command `accession`: composes the commands of the three rooms, and runs the one that is named. */
import { addClientCommands } from './client/commands.ts';
import { addCommand, type Command, makeProgram } from './command.ts';
import type { CommandModule, OpenBeside, OpenToRead } from './module.ts';
import { MODULES } from './modules.ts';
import { addOfflineCommands, GENERATED } from './offline/commands.ts';
import { addOperatorCommands } from './operator/commands.ts';
import { reportError } from './outcome.ts';
import { version } from './version.ts';

/** Errors that the user can correct end in a few lines and an exit status. */
export async function main(words: string[]): Promise<void> {
  // A reader such as `head` that closes the pipe has what it wants.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  await run(words);
}

/** Adopts a store for the service that has started this process. */
export async function adoptStore(): Promise<void> {
  return (await import('./operator/adopt-process.ts')).adoptStore();
}

/** Runs a command. Its exit status is that of the process; a service goes on when this returns. */
export async function run(words: readonly string[]): Promise<void> {
  try {
    await allCommands().parseAsync(inGroups(words), { from: 'user' });
  } catch (error) {
    process.exitCode = reportError(error);
  }
}

/** Names of earlier releases for commands that are in a group now. They work, and the overview does not show them. */
const FORMER: Readonly<Record<string, string>> = {
  maintenance: 'curate maintenance',
  settings: 'curate settings',
  'hash-token': 'config hash-token',
  ...Object.assign({}, ...MODULES.map(({ former }) => former)),
  ...Object.fromEntries(GENERATED.map((format) => [`schema ${format}`, `schema generate ${format}`])),
};

/** The words of a command with the name that it has now. */
function inGroups(words: readonly string[]): string[] {
  for (const count of [1, 2]) {
    const name = words.slice(0, count).join(' ');
    if (Object.hasOwn(FORMER, name)) return [...FORMER[name]!.split(' '), ...words.slice(count)];
  }
  return [...words];
}

const openToRead: OpenToRead = async (place) => (await import('./open-store.ts')).openStore(place);

const openBeside: OpenBeside = async (place) =>
  (await import('./open-store.ts')).openStore(place, { beside: true });

/** All commands, those of modules included, grouped as the overview shows them. */
export function allCommands(modules: readonly CommandModule[] = MODULES): Command {
  const program = makeProgram(version());
  const files = modules.flatMap((module) => module.files ?? []);
  program.commandsGroup('Operate a service (on its store):');
  addOperatorCommands(program);
  for (const { addOperator } of modules) addOperator?.(program, openToRead);
  program.commandsGroup('Work with a service (over HTTP):');
  addClientCommands(program, files);
  for (const { addClient } of modules) addClient?.(program, openBeside);
  program.commandsGroup('Work with files (without a service):');
  addOfflineCommands(program, files);
  for (const { addOffline } of modules) addOffline?.(program);
  program.commandsGroup('Help:');
  addCommand(program, 'help', 'Explain a command.', 'accession help review accept')
    .argument('[command...]', 'the names of the command; without one, all are listed')
    .action(async (names) => help(program, names));
  program.addHelpText(
    'after',
    `
Exit status: 0 done, 1 failed or wrong use, 2 done and problems were found.

Example:
  accession init data && accession serve data`,
  );
  return program;
}

async function help(program: Command, names: readonly string[]): Promise<void> {
  let command: Pick<Command, 'commands' | 'outputHelp'> | undefined = program;
  for (const name of inGroups(names))
    command = command?.commands.find((one) => one.name() === name || one.aliases().includes(name));
  // The name of a command that does not exist is refused with a suggestion.
  if (command === undefined) await program.parseAsync([...names], { from: 'user' });
  else command.outputHelp();
}
