/** Bundles what a package runs. Dependencies stay packages of their own: `npm audit` and updates reach them. */
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');

export const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  packages: 'external',
  format: 'esm',
  target: 'es2024',
  legalComments: 'none',
  // A package has less than 5 MB. Names and short lines stay, for the stacks of errors.
  minifyWhitespace: true,
  lineLimit: 120,
  logLevel: 'warning',
} as const;

/**
 * The command in one file: it starts in two thirds of the processor time of its 400 modules; the dependencies would
 * save another 6 %. In `dist`, the file is where `src/cli/main.ts` is in the sources, so both find the other files of
 * the package by the same paths.
 */
export async function bundleCommand(dist: string): Promise<void> {
  await build({
    ...OPTIONS,
    // Threads run a file of their own, named `…-thread.ts`; it is found from the command as in the sources.
    entryPoints: ['src/cli/main.ts', 'src/threads.ts', ...globSync('src/**/*-thread.ts', { cwd: ROOT })],
    outbase: 'src',
    outdir: dist,
    platform: 'node',
    target: 'node24',
  });
}
