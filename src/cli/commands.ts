/** The table of all commands, in the order of the help. */
import type { Command } from './command.ts';
import { CLIENT_COMMANDS } from './commands/clients.ts';
import { OPERATOR_COMMANDS } from './commands/operators.ts';
import { STEWARD_COMMANDS } from './commands/stewards.ts';

export const COMMANDS: readonly Command[] = [...OPERATOR_COMMANDS, ...STEWARD_COMMANDS, ...CLIENT_COMMANDS];
