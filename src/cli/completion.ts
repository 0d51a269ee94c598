/** Completion scripts for shells, made from the table of commands. */

import { COMMON_FLAGS } from './arguments.ts';
import type { Command } from './command.ts';

/** The shells that have a script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The script of a shell: to be sourced, or saved where the shell looks for completions. */
export function completionScript(shell: (typeof SHELLS)[number], commands: readonly Command[]): string {
  return SCRIPTS[shell](commands);
}

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], (commands: readonly Command[]) => string>> = {
  bash: bashScript,
  // zsh runs completions of bash.
  zsh: (commands) =>
    `#compdef accession\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
};

function bashScript(commands: readonly Command[]): string {
  const firsts = [...new Set(commands.map(({ name }) => name.split(' ')[0]))];
  const families = firsts.flatMap((first) => {
    const seconds = commands.flatMap(({ name }) =>
      name.startsWith(`${first} `) ? [name.split(' ')[1]] : [],
    );
    return seconds.length === 0 ? [] : [`    '${first}') words='${seconds.join(' ')}' ;;`];
  });
  const flags = commands.map((one) => `    '${one.name}') words='${flagNames(one).join(' ')}' ;;`);
  const choices = commands.flatMap((one) =>
    Object.entries(one.flags ?? {}).flatMap(([name, flag]) =>
      flag.choices ? [`    '${one.name} --${name}') words='${flag.choices.join(' ')}' ;;`] : [],
    ),
  );
  return `_accession() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words='' name
  name="\${COMP_WORDS[1]}"
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W '${firsts.join(' ')}' -- "$current")); return
  fi
  if [[ $COMP_CWORD -eq 2 ]]; then
    case "$name" in
${families.join('\n')}
    esac
    if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current")); return; fi
  fi
  case "$name" in ${firstsOfFamilies(commands).join('|')}) name="$name \${COMP_WORDS[2]}" ;; esac
  case "$name $previous" in
${choices.join('\n')}
  esac
  if [[ -z $words && $current == -* ]]; then
    case "$name" in
${flags.join('\n')}
    esac
  fi
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
  else COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _accession accession
`;
}

function fishScript(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ name, summary, flags = {} }) => {
    const [first, second] = name.split(' ') as [string, string?];
    const seen = second
      ? `'__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}'`
      : `'__fish_seen_subcommand_from ${first}'`;
    const start = second
      ? [
          `complete -c accession -f -n __fish_use_subcommand -a ${first}`,
          `complete -c accession -f -n '__fish_seen_subcommand_from ${first}' -a ${second} -d ${quoted(summary)}`,
        ]
      : [`complete -c accession -f -n __fish_use_subcommand -a ${first} -d ${quoted(summary)}`];
    const options = Object.entries(flags).map(([flag, { short, type, choices, help }]) =>
      [
        `complete -c accession -n ${seen} -l ${flag}`,
        ...(short ? [`-s ${short}`] : []),
        ...(type === 'string' ? ['-r'] : []),
        ...(choices ? [`-f -a ${quoted(choices.join(' '))}`] : []),
        `-d ${quoted(help)}`,
      ].join(' '),
    );
    return [...start, ...options];
  });
  return `${[...new Set(lines)].join('\n')}\n`;
}

function firstsOfFamilies(commands: readonly Command[]): string[] {
  return [
    ...new Set(commands.flatMap(({ name }) => (name.includes(' ') ? [name.split(' ')[0] as string] : []))),
  ];
}

function flagNames({ flags = {} }: Command): string[] {
  return Object.keys({ ...flags, ...COMMON_FLAGS }).map((name) => `--${name}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
