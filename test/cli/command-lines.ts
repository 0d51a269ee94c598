/** The commands that a user can run, as the program has them. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Command } from '../../src/cli/command.ts';

export type CommandLine = { readonly name: string; readonly command: CommandUnknownOpts };

/** All commands but groups and names of earlier releases, in the order of the overview. */
export function commandLines(program: Command): CommandLine[] {
  const below = (parent: CommandUnknownOpts, path: readonly string[]): CommandLine[] =>
    parent
      .createHelp()
      .visibleCommands(parent)
      .flatMap((command) => {
        const names = [...path, command.name()];
        return command.commands.length > 0 ? below(command, names) : [{ name: names.join(' '), command }];
      });
  return below(program as unknown as CommandUnknownOpts, []);
}
