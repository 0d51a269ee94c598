/** The command `accession`: finds the row of a command in the table, parses its arguments and runs it. */
import { nearest } from '../schema/suggestions.ts';
import { readArguments } from './arguments.ts';
import { type Command, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { familyHelp, helpOf, overview, usageOf } from './help.ts';
import { complain, complainOf, FAILURE, USAGE_ERROR } from './outcome.ts';
import { version } from './version.ts';

/** Errors that the user can correct end in one line and an exit status. */
export async function main(args: string[]): Promise<void> {
  // A reader such as `head` that closes the pipe has what it wants.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  process.exitCode = await run(args);
}

/** Runs a command. @returns the exit status; undefined while the program continues to run */
export async function run(words: readonly string[]): Promise<number | undefined> {
  const [first] = words;
  if (first === '--version') return print(`${version()}\n`);
  if (first === '--help' || first === '-h' || (first === 'help' && words.length === 1)) {
    return print(overview(COMMANDS));
  }
  if (first === undefined) {
    process.stderr.write(overview(COMMANDS));
    return USAGE_ERROR;
  }
  if (first === 'help') return run([...words.slice(1), '--help']);
  const [, second] = words;
  if (isFamily(first) && (second === undefined || second === '--help' || second === '-h')) {
    const text = familyHelp(first, COMMANDS);
    if (second !== undefined) return print(text);
    process.stderr.write(text);
    return USAGE_ERROR;
  }
  const found = findCommand(words);
  if (typeof found === 'string') return complain(found, USAGE_ERROR);
  return runCommand(found.command, found.rest);
}

async function runCommand(command: Command, rest: readonly string[]): Promise<number | undefined> {
  try {
    const given = readArguments(command, rest);
    if (given.is('help')) return print(helpOf(command));
    return await command.run(given);
  } catch (error) {
    if (!(error instanceof UsageError)) return complainOf(error, FAILURE);
    const hint = `${usageOf(command)}\n'accession ${command.name} --help' explains it.`;
    return complain(`${error.message}\n\n${hint}`, USAGE_ERROR);
  }
}

/** Whether a word only begins names of commands. */
function isFamily(word: string): boolean {
  return (
    !COMMANDS.some(({ name }) => name === word) && COMMANDS.some(({ name }) => name.startsWith(`${word} `))
  );
}

/** Commands of earlier releases, and what to use instead. */
const REPLACED: readonly (readonly [command: string, instead: string])[] = [
  ['check-pids', "'accession check' lists pids without a prefix and references to missing records."],
  ['rebuild-index', "the database needs no index beside it. 'accession check' examines a store."],
  ['audit rebuild-index', "reports come from the database. 'accession check' examines a store."],
];

/** The command that the first word or the first two name, and what follows; else a message. */
function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } | string {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ');
    const command = COMMANDS.find((one) => one.name === name);
    if (command) return { command, rest: words.slice(length) };
  }
  const replaced = REPLACED.find(([name]) => name === words.slice(0, name.split(' ').length).join(' '));
  if (replaced) return `'${replaced[0]}' is not needed any more: ${replaced[1]}`;
  const [first = '', second] = words;
  const family = COMMANDS.filter((one) => one.name.startsWith(`${first} `)).map(({ name }) => name);
  if (family.length > 0) {
    const given = second === undefined || second.startsWith('-') ? undefined : `${first} ${second}`;
    const guess = given && nearest(given, family);
    if (guess) return `The command '${given}' does not exist. Did you mean '${guess}'?`;
    return `Expected ${family.map((name) => `'${name}'`).join(', ')}${given ? `, found '${given}'` : ''}.`;
  }
  const names = new Set(COMMANDS.flatMap(({ name }) => [name, name.split(' ')[0] as string]));
  const guess = nearest(first, names);
  return `The command '${first}' does not exist. ${guess ? `Did you mean '${guess}'?` : "'accession --help' lists all commands."}`;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
