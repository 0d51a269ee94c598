/** How commands are described and run: rows on commander, which parses arguments, prints help and suggests names. */
import type {
  CommandUnknownOpts,
  Command as Typed,
  Option as TypedOption,
} from '@commander-js/extra-typings';
import { Command as Commander, InvalidArgumentError, Option, type ParseOptionsResult } from 'commander';
import { REMOVED, UsageError } from './outcome.ts';

/** A command or a group of commands that has neither arguments nor options yet. */
export type Command = Typed<[], Record<never, never>>;

/** The type of any row, for options that several commands share. */
export type Row<Args extends unknown[], Options extends Record<string, unknown>> = Typed<Args, Options>;

/** Commander's words for a value that is not one of the choices of an argument. */
const OF_ARGUMENT = /command-argument value ('[^']*') is invalid for argument ('[^']*')/;

/** The help of an argument that names a store. */
export const ANY_STORE = 'the store directory, or the URL of a PostgreSQL database';

/** The root of all commands. */
export function makeProgram(version: string): Command {
  return new OurCommand('accession')
    .usage('COMMAND [options]')
    .version(version, '--version', 'print the release')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      outputError: (text, write) =>
        write(text.replace(/^error: /, 'accession: ').replace(OF_ARGUMENT, 'The value $1 of $2 is invalid')),
    })
    .exitOverride() as unknown as Command;
}

/**
 * Adds a command.
 *
 * @param about its help; the first sentence is its line in the overview
 */
export function addCommand(parent: Command, name: string, about: string, example: string): Command {
  return addGroup(parent, name, about).addHelpText('after', `\nExample:\n  ${example}`);
}

/** Adds a command that only has others below it. */
export function addGroup(parent: Command, name: string, about: string): Command {
  const [first = about] = /^.*?\.(?= |$)/.exec(about) ?? [];
  return parent.command(name).summary(first.slice(0, -1)).description(about) as unknown as Command;
}

/** Adds commands of earlier releases: they end with status 2 and what to use instead. */
export function addRemoved(parent: Command, names: Readonly<Record<string, string>>): void {
  for (const [name, instead] of Object.entries(names)) {
    const row = parent.command(name, { hidden: true }).allowUnknownOption().allowExcessArguments();
    row.action(() => {
      row.error(`error: '${name}' was removed: ${instead}`, { exitCode: REMOVED });
    });
  }
}

/** Adds options of earlier releases: they are refused with what to use instead. */
export function addRemovedOptions(row: Command, flags: Readonly<Record<string, string>>): void {
  for (const [flag, instead] of Object.entries(flags)) {
    const refuse = () => {
      throw new InvalidArgumentError(`Use ${instead} instead.`);
    };
    row.addOption(row.createOption(`${flag} <value>`).hideHelp().argParser(refuse));
  }
}

/** Adds a command that talks to a service. */
export function onService(parent: Command, name: string, about: string, example: string) {
  return addCommand(parent, name, about, example).option(
    '--url <url>',
    'the service, also before the arguments; by default ACCESSION_URL, else the last login',
  );
}

/** Adds a command that talks to a service about one of its collections. */
export function onCollection(parent: Command, name: string, about: string, example: string) {
  return onService(parent, name, about, example).argument('<collection>', 'a collection of the service');
}

/**
 * The action of a row: loads the command, runs it, and sets the exit status that it returns. A command that returns
 * nothing goes on, as a service does.
 */
export function runs<Args extends unknown[]>(
  load: () => Promise<(...args: Args) => Promise<number | undefined>>,
): (this: CommandUnknownOpts, ...args: Args) => Promise<void> {
  return async function (...args) {
    try {
      const status = await (await load())(...args);
      if (status !== undefined) process.exitCode = status;
    } catch (error) {
      if (error instanceof UsageError) this.error(`error: ${error.message}`);
      throw error;
    }
  };
}

/** An option that has one of some values. */
export function choice<Flags extends string, const Values extends readonly string[]>(
  flags: Flags,
  about: string,
  values: Values,
) {
  return (new Option(flags, about) as unknown as TypedOption<Flags>).choices(values);
}

/** Reads an option that may be given more than once. */
export function collectValues(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Reads an option that is a whole number. */
export function wholeNumber(least = 0, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    throw new InvalidArgumentError(`Expected a whole number ${range}.`);
  };
}

/** Commander with what all our commands share. */
class OurCommand extends Commander {
  constructor(name?: string) {
    super(name);
    // Each command parses what follows its name.
    this.enablePositionalOptions().helpCommand(false).helpOption('-h, --help', 'print this help');
  }

  override createCommand(name?: string): OurCommand {
    return new OurCommand(name);
  }

  override parseOptions(words: string[]): ParseOptionsResult {
    const { operands, unknown } = super.parseOptions(words);
    const [first] = operands;
    const isNamed = this.commands.some((one) => one.name() === first || one.aliases().includes(first ?? ''));
    // Of a command that does not exist, commander would print the help of the one above.
    if (first !== undefined && this.commands.length > 0 && !isNamed) return { operands, unknown: [] };
    // The URL of a service may be written before the other arguments.
    if (/^https?:\/\//.test(first ?? '') && this.options.some(({ long }) => long === '--url'))
      this.setOptionValue('url', operands.shift());
    return { operands, unknown };
  }

  override error(message: string, options?: Parameters<Commander['error']>[1]): never {
    const path = [];
    for (let one: Commander | null = this; one?.parent; one = one.parent) path.unshift(one.name());
    return super.error(
      `${message.trimEnd()}\n'${['accession help', ...path].join(' ')}' explains it.`,
      options,
    );
  }
}
