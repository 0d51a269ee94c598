/** Help for people: the overview and the page of each command, both fit a screen of 24 lines or little more. */
import { COMMON_FLAGS } from './arguments.ts';
import type { Argument, Command, Flag, Group } from './command.ts';

const GROUPS: Readonly<Record<Group, string>> = {
  operators: 'Operators',
  stewards: 'Stewards, without a server',
  clients: 'Clients of a service',
};

/** The text of `accession --help`. */
export function overview(commands: readonly Command[]): string {
  const sections = Object.entries(GROUPS).map(([group, title]) => {
    const names = commands.filter((one) => one.group === group).map(({ name }) => name);
    // The names of a family stay on one line.
    const family = grouped(names).map((text) => text.replaceAll(' ', NO_BREAK));
    return `${title}:\n${wrap(family.join(' · '), 2).replaceAll(NO_BREAK, ' ')}`;
  });
  return `usage: accession COMMAND [ARGUMENTS] [OPTIONS]

${sections.join('\n\n')}

\`accession COMMAND --help\` explains a command with an example; \`accession --version\` prints the release.
Exit status: 0 done, 1 failed or wrong use, 2 done and problems were found.

Example:
  accession init data && accession serve data
`;
}

/** The text of `accession review --help`: the commands that begin with a word. */
export function familyHelp(first: string, commands: readonly Command[]): string {
  const family = commands.filter(({ name }) => name.startsWith(`${first} `));
  const width = Math.max(...family.map(({ name }) => name.length));
  const lines = family.map(({ name, summary }) => row(name, sentence(summary), width));
  return `usage: accession ${first} COMMAND [ARGUMENTS] [OPTIONS]

${lines.join('\n')}

\`accession ${first} COMMAND --help\` explains a command with an example.
`;
}

const NO_BREAK = '\u00a0';

/** Names that share their first word as one: `schema check|merge`. */
function grouped(names: readonly string[]): string[] {
  const byFirst = Map.groupBy(names, (name) => name.split(' ')[0] as string);
  return [...byFirst].map(([first, all]) => {
    const rest = all.flatMap((name) => name.split(' ').slice(1));
    return rest.length === 0 ? first : `${first} ${rest.join('|')}`;
  });
}

/** The text of `accession COMMAND --help`. */
export function helpOf(command: Command): string {
  const { args = [], flags = {}, about, summary, example } = command;
  const rows: [string, string][] = [
    ...args.map((one): [string, string] => [one.name, one.help]),
    ...Object.entries({ ...flags, ...COMMON_FLAGS })
      .filter(([, { rare }]) => !rare)
      .map(([name, flag]): [string, string] => [flagText(name, flag), flagHelp(flag)]),
  ];
  const rare = Object.entries(flags).filter(([, flag]) => flag.rare);
  const more = `${rare.length} more options, for limits: see "accession man".`;
  const width = Math.min(30, Math.max(...rows.map(([left]) => left.length)));
  const lines = rows.map(([left, right]) => row(left, right, width)).join('\n');
  return `${usageOf(command)}

${wrap(sentence(summary) + (about ? ` ${about}` : ''), 0)}

${lines}
${rare.length > 0 ? `\n${wrap(more, 0)}\n` : ''}
Example:
${example.replace(/^/gm, '  ')}
`;
}

/** `usage: accession validate [OPTIONS] PATH...` */
export function usageOf({ name, args = [] }: Command): string {
  return ['usage: accession', name, '[OPTIONS]', ...args.map(argumentText)].join(' ');
}

function argumentText({ name, optional, repeated }: Argument): string {
  const shown = repeated ? `${name}...` : name;
  return optional ? `[${shown}]` : shown;
}

function flagText(name: string, { short, type, value, choices }: Flag): string {
  const placeholder = type === 'string' ? ` ${value ?? (choices ? choices.join('|') : 'VALUE')}` : '';
  return `${short ? `-${short}, ` : ''}--${name}${placeholder}`;
}

/** The help of a flag with its values, default and whether it may be repeated. */
export function flagHelp({ help, default: value, multiple }: Flag): string {
  return `${help}${value ? ` (default ${value})` : ''}${multiple ? '; may be repeated' : ''}`;
}

/** A summary as a sentence. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

const LINE_WIDTH = 100;

function row(left: string, right: string, width: number): string {
  const indent = width + 4;
  const text = wrap(right, indent);
  if (left.length > width) return `  ${left}\n${text}`;
  return `  ${left.padEnd(width)}  ${text.trimStart()}`;
}

/** Lines of at most 100 columns, each indented. */
function wrap(text: string, indent: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 + indent > LINE_WIDTH) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => ' '.repeat(indent) + one).join('\n');
}
