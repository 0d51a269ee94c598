/** The libraries that the packages export: bundles and their types. */
import { execFileSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { writeApiTypes } from './api-types.ts';
import { OPTIONS } from './bundle.ts';

const root = resolve(import.meta.dirname, '..');

/** The LinkML engine: all that the package in `packages/linkml` has. */
export const LINKML_LIBRARIES = [
  'schema/library',
  'schema/generate/library',
  'formats/turtle/library',
  'vocabularies/library',
];

/** What the package of the service exports. */
export const LIBRARIES = [
  'client/client',
  ...globSync('modules/*/client.ts', { cwd: join(root, 'src') }).map((file) => file.replace(/\.ts$/, '')),
  ...LINKML_LIBRARIES,
];

/** Writes bundles and types of libraries, named as in `src`, below a folder. */
export async function buildLibraries(dist: string, libraries: readonly string[]): Promise<void> {
  execFileSync('tsc', ['-p', 'tsconfig.build.json', '--outDir', dist], { cwd: root, stdio: 'inherit' });
  writeApiTypes(dist);
  removeUnusedTypes(dist, libraries);
  await bundleLibraries(dist, libraries);
}

/** They share files, so that an error of one is an instance of the same class in another. */
export async function bundleLibraries(dist: string, libraries: readonly string[]): Promise<void> {
  await build({
    ...OPTIONS,
    entryPoints: libraries.map((name) => `src/${name}.ts`),
    outbase: 'src',
    outdir: dist,
    splitting: true,
    minifySyntax: true,
    chunkNames: 'shared/[hash]',
  });
}

/** The compiler writes the types of every module that these import; few of them show in their own types. */
function removeUnusedTypes(dist: string, libraries: readonly string[]): void {
  const used = new Set(libraries.map((name) => join(dist, `${name}.d.ts`)));
  // The set grows while it is walked.
  for (const file of used) {
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(
      /(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g,
    ))
      used.add(join(dirname(file), `${path}.d.ts`));
  }
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const path = join(dist, name);
    if (path.endsWith('.d.ts') && !used.has(path)) rmSync(path);
  }
}
