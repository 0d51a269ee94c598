/** The command `accession`: a table of commands, one file each. */
import { version } from './version.ts';

/** Runs with the arguments behind its name, and gives the exit status; undefined while the program goes on. */
type Command = (args: string[]) => Promise<number | undefined>;

/** Each is loaded when it is asked for. */
const COMMANDS: Readonly<Record<string, { readonly run: Command; readonly summary: string }>> = {
  serve: {
    run: async (args) => (await import('./serve.ts')).serve(args),
    summary: 'run the service on a store directory',
  },
  check: {
    run: async (args) => (await import('./check.ts')).check(args),
    summary: 'tell what is wrong with the records of a store',
  },
  'rebuild-index': {
    run: async (args) => (await import('./check.ts')).rebuild(args),
    summary: 'make the indexes of a store anew',
  },
  audit: {
    run: async (args) => (await import('./audit.ts')).audit(args),
    summary: 'report what an audit log holds, rebuild its index',
  },
};

const USAGE = `usage: accession <command> [options]

commands:
${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(15)}${summary}`)
  .join('\n')}

accession <command> --help explains a command. accession --version prints the release.
`;

/** Everything that goes wrong in a command that the user can put right ends in one line and an exit status. */
export async function main(args: string[]): Promise<void> {
  process.exitCode = await run(args);
}

async function run([name, ...rest]: string[]): Promise<number | undefined> {
  if (name === '--version') return print(`${version()}\n`);
  if (name === '--help' || name === '-h' || name === 'help') return print(USAGE);
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) return command.run(rest);
  process.stderr.write(name === undefined ? USAGE : `accession: there is no command '${name}'\n\n${USAGE}`);
  return 2;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
