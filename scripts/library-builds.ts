/** The libraries in the package of the service: its client, and the LinkML engine as its own package has it. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { writeApiTypes } from './api-types.ts';
import { OPTIONS } from './bundle.ts';

const root = resolve(import.meta.dirname, '..');

/** The files of the client: the core, and those of modules. */
const CLIENT = [
  'client/client',
  ...globSync('modules/*/client.ts', { cwd: join(root, 'src') }).map((file) => file.replace(/\.ts$/, '')),
];

/** Writes the modules of the engine and their types to a folder. */
export function buildEngine(folder: string): void {
  execFileSync('tsc', ['-p', 'packages/linkml', '--outDir', folder], { cwd: root, stdio: 'inherit' });
}

/** Writes bundles and types of the client, named as in `src`, below a folder. */
export async function buildClient(dist: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'accession-types-'));
  try {
    execFileSync('tsc', ['-p', 'tsconfig.build.json', '--outDir', scratch], { cwd: root, stdio: 'inherit' });
    writeApiTypes(join(scratch, 'src'));
    copyUsedTypes(join(scratch, 'src'), dist);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  await build({
    ...OPTIONS,
    entryPoints: CLIENT.map((name) => `src/${name}.ts`),
    outbase: 'src',
    outdir: dist,
    // They share files, so that an error of one is an instance of the same class in another.
    splitting: true,
    minifySyntax: true,
    chunkNames: 'shared/[hash]',
  });
}

/** The compiler writes the types of every module that the client imports; few of them show in its own types. */
function copyUsedTypes(from: string, dist: string): void {
  const used = new Set(CLIENT);
  // The set grows while it is walked.
  for (const file of used) {
    const text = readFileSync(join(from, `${file}.d.ts`), 'utf8').replace(
      /((?:from |import\()['"])(\.[^'"]+)\.[jt]s(?=['"])/g,
      (_, start, path) => {
        used.add(join(dirname(file), path));
        return `${start}${path}.js`;
      },
    );
    mkdirSync(join(dist, dirname(file)), { recursive: true });
    writeFileSync(join(dist, `${file}.d.ts`), text);
  }
}
