/** The commands of a module. What a command runs is loaded when it runs. */
import type { Command } from './command.ts';

export type CommandModule = {
  /** The name of its folder. */
  readonly name: string;
  /** Names of earlier releases, with those that its commands have now. */
  readonly former?: Readonly<Record<string, string>>;
  /** Adds commands below `curate`. */
  addCuration?(curate: Command): void;
};
