/** From the words on the command line to what a command is given. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { nearest } from '../schema/suggestions.ts';
import { type Command, type Flag, type Given, UsageError } from './command.ts';

/** Every command has these. */
export const COMMON_FLAGS: Readonly<Record<string, Flag>> = {
  help: { type: 'boolean', short: 'h', help: 'print this help' },
};

/** @throws UsageError */
export function readArguments(command: Command, words: readonly string[]): Given {
  const flags = { ...command.flags, ...COMMON_FLAGS };
  const { values, positionals } = parse(flags, words);
  for (const [name, { choices }] of Object.entries(flags)) {
    const given = values[name];
    if (!choices || given === undefined) continue;
    for (const value of [given].flat()) {
      if (choices.includes(String(value))) continue;
      throw new UsageError(`--${name}: expected ${choices.join(', ')}, found '${value}'.`);
    }
  }
  if (!values.help) checkArguments(command, flags, values, positionals);
  const known = (name: string) => {
    if (!(name in flags)) throw new Error(`the command '${command.name}' has no flag '${name}'`);
    return values[name];
  };
  return {
    raw: words,
    args: positionals,
    text: (name) => known(name) as string | undefined,
    texts: (name) => (known(name) ?? []) as string[],
    is: (name) => known(name) === true,
  };
}

function parse(flags: Readonly<Record<string, Flag>>, words: readonly string[]) {
  const options: ParseArgsOptionsConfig = {};
  for (const [name, { type, short, multiple, default: value }] of Object.entries(flags)) {
    options[name] = {
      type,
      ...(short && { short }),
      ...(multiple && { multiple }),
      ...(value !== undefined && { default: value }),
    };
  }
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const unknown = /'(--[^'=]+|-.)'/.exec(message)?.[1];
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || unknown === undefined) {
      throw new UsageError(`${message.split('. ')[0]}.`);
    }
    const guess = nearest(
      unknown,
      Object.keys(flags).map((name) => `--${name}`),
    );
    throw new UsageError(`The option ${unknown} does not exist.${guess ? ` Did you mean ${guess}?` : ''}`);
  }
}

function checkArguments(
  { args = [] }: Command,
  flags: Readonly<Record<string, Flag>>,
  values: Readonly<Record<string, unknown>>,
  given: readonly string[],
): void {
  for (const [name, { required }] of Object.entries(flags)) {
    if (required && values[name] === undefined) throw new UsageError(`The option --${name} is missing.`);
  }
  for (const [index, { name, choices }] of args.entries()) {
    const value = given[index];
    if (!choices || value === undefined || choices.includes(value)) continue;
    throw new UsageError(`${name}: expected ${choices.join(', ')}, found '${value}'.`);
  }
  // The URL of a service may come first; which arguments are missing is only known when it is read.
  if (args[0]?.name.startsWith('[URL]')) {
    const last = args.at(-1);
    if (last?.repeated || given.length <= args.length + 1) return;
    throw new UsageError(`Unexpected argument '${given[args.length + 1]}'.`);
  }
  const required = args.filter(({ optional }) => !optional);
  const missing = required[given.length];
  if (missing) throw new UsageError(`The argument ${missing.name} is missing.`);
  if (args.some(({ repeated }) => repeated) || given.length <= args.length) return;
  throw new UsageError(`Unexpected argument '${given[args.length]}'.`);
}
