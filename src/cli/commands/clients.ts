/** Commands of clients: over HTTP. */
import type { Command } from '../command.ts';

export const CLIENT_COMMANDS: readonly Command[] = [];
