/** The command `accession`: composes the commands of the three rooms, and runs the one that is named. */
import { addClientCommands } from './client/commands.ts';
import { addCommand, type Command, makeProgram } from './command.ts';
import { addOfflineCommands } from './offline/commands.ts';
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

/** Runs a command. Its exit status is that of the process; a service goes on when this returns. */
export async function run(words: readonly string[]): Promise<void> {
  try {
    await allCommands().parseAsync(words, { from: 'user' });
  } catch (error) {
    process.exitCode = reportError(error);
  }
}

/** All commands, grouped as the overview shows them. */
export function allCommands(): Command {
  const program = makeProgram(version());
  program.commandsGroup('Operate a service (on its store):');
  addOperatorCommands(program);
  program.commandsGroup('Work with a service (over HTTP):');
  addClientCommands(program);
  program.commandsGroup('Work with files (without a service):');
  addOfflineCommands(program);
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
  for (const name of names)
    command = command?.commands.find((one) => one.name() === name || one.aliases().includes(name));
  // The name of a command that does not exist is refused with a suggestion.
  if (command === undefined) await program.parseAsync([...names], { from: 'user' });
  else command.outputHelp();
}
