/** What modules have for tests of the whole service, in files `src/modules/<name>/<what>.expected.ts`. */
import { globSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '../..');

/** Loads such a file of each module that has one. @returns the exports with the folder of the module, in the order of names */
export async function expectedOfModules<Exports>(
  what: string,
): Promise<readonly (readonly [folder: string, exports: Exports])[]> {
  const files = globSync(`src/modules/*/${what}.expected.ts`, { cwd: ROOT }).sort();
  return await Promise.all(
    files.map(
      async (file) =>
        [dirname(file), (await import(pathToFileURL(join(ROOT, file)).href)) as Exports] as const,
    ),
  );
}
