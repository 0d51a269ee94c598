/** Writes docs/commands.md, the list of all commands, from the program itself: `npm run docs:commands`. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { allCommands } from '../src/cli/main.ts';

/** The page. A test compares it with the file. */
export function commandReference(): string {
  const rooms = Map.groupBy(visible(allCommands() as unknown as CommandUnknownOpts), (one) =>
    one.helpGroup(),
  );
  const sections = [...rooms].map(([heading, commands]) => {
    const rows = commands.flatMap((command) => rowsOf(command, ''));
    return `## ${heading.replace(/:$/, '')}\n\n${tableOf(rows)}`;
  });
  return `# Commands

All commands of \`accession\`. \`accession help COMMAND\` explains one with its options and an example. A command of a group is
named with it: \`accession help review accept\`. [The command line](command-line.md) has the tasks.

${sections.join('\n')}`;
}

type Row = readonly [usage: string, purpose: string];

function rowsOf(command: CommandUnknownOpts, path: string): Row[] {
  const name = `${path}${command.name()}`;
  if (command.commands.length > 0) return visible(command).flatMap((one) => rowsOf(one, `${name} `));
  const aliases = command.aliases().map((alias) => ` (also \`${alias}\`)`);
  const usage = command.usage().replace('[options]', '').trim();
  return [[`\`${`${name} ${usage}`.trim()}\`${aliases.join('')}`, command.summary()]];
}

function visible(parent: CommandUnknownOpts): CommandUnknownOpts[] {
  return parent.createHelp().visibleCommands(parent);
}

/** A table as the formatter of the documentation aligns it. */
function tableOf(rows: readonly Row[]): string {
  const all: Row[] = [['command', 'purpose'], ...rows];
  const [left = 0, right = 0] = [0, 1].map((column) => Math.max(...all.map((row) => row[column]!.length)));
  const lines = all.map(([usage, purpose]) => `| ${usage.padEnd(left)} | ${purpose.padEnd(right)} |\n`);
  lines.splice(1, 0, `| ${'-'.repeat(left)} | ${'-'.repeat(right)} |\n`);
  return lines.join('');
}

if (import.meta.main) writeFileSync(resolve(import.meta.dirname, '../docs/commands.md'), commandReference());
