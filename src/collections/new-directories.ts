/** The directories that the opening of a collection makes; if it fails, they go again. */
import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

export type NewDirectories = {
  /** To be called before a directory is opened. */
  expect(directory: string): void;
  /** Removes the expected directories that were not there before, and parents that then are empty. */
  remove(): void;
};

export function newDirectories(): NewDirectories {
  const made: string[] = [];
  const parents: string[] = [];
  return {
    expect(directory) {
      if (existsSync(directory)) return;
      made.push(directory);
      for (let parent = dirname(directory); !existsSync(parent); parent = dirname(parent))
        parents.push(parent);
    },
    remove() {
      for (const directory of made) rmSync(directory, { recursive: true, force: true });
      for (const parent of parents.sort((a, b) => b.length - a.length)) {
        try {
          rmdirSync(parent);
        } catch {
          // Another process has put something there in the meantime.
        }
      }
    },
  };
}
