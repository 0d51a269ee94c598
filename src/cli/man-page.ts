/** The manual page `accession(1)`, made from the table of commands. */
import type { Command } from './command.ts';
import { flagHelp, sentence, usageOf } from './help.ts';

/** The page as troff. */
export function manPage(commands: readonly Command[], version: string): string {
  return `.TH ACCESSION 1 "" "accession ${version}" "User Commands"
.SH NAME
accession \\- record collection service and its tools
.SH SYNOPSIS
.B accession
.I COMMAND
[ARGUMENTS] [OPTIONS]
.SH COMMANDS
${commands.map(section).join('\n')}
.SH EXIT STATUS
.TP
.B 0
The command is done.
.TP
.B 1
The command failed, or was used wrongly.
.TP
.B 2
The command is done and found problems.
.SH ENVIRONMENT
.TP
.B ACCESSION_URL, ACCESSION_TOKEN
The service and the token that commands for clients use, instead of what
.B accession login
has saved.
.TP
.B ACCESSION_ADMIN_TOKEN
The admin token that
.B accession serve
accepts, and that
.B accession config
sends.
`;
}

function section(command: Command): string {
  const { name, summary, about, args = [], flags = {}, example } = command;
  const items = [
    ...args.map((one) => item(`\\fI${troff(one.name)}\\fR`, one.help)),
    ...Object.entries(flags).map(([flag, described]) => {
      const short = described.short ? `\\fB\\-${described.short}\\fR, ` : '';
      const value = described.type === 'string' ? ` \\fI${troff(described.value ?? 'VALUE')}\\fR` : '';
      return item(`${short}\\fB\\-\\-${troff(flag)}\\fR${value}`, flagHelp(described));
    }),
  ];
  return `.SS ${troff(name)}
${troff(sentence(summary))}${about ? `\n${troff(about)}` : ''}
.PP
.nf
${troff(usageOf(command))}
.fi
${items.join('\n')}
.PP
Example:
.PP
.nf
${troff(example)}
.fi`;
}

function item(term: string, text: string): string {
  return `.TP\n${term}\n${troff(text)}`;
}

/** Backslashes and hyphens have a special meaning, and so do dots and quotes at the start of a line. */
function troff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&');
}
