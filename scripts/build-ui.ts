/**
 * `npm run build:ui`: bundles the desk (`ui/`) into `dist/ui`, unless that is newer than every source.
 *
 *     node scripts/build-ui.ts [--force]
 */

import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCES = [
  join(ROOT, 'ui'),
  join(ROOT, 'docs/desk.md'),
  join(ROOT, 'src/client'),
  join(ROOT, 'src/core/in-turn.ts'),
  join(ROOT, 'packages/linkml/src'),
  join(ROOT, 'src/core/records'),
  join(ROOT, 'src/modules'),
  join(ROOT, 'src/core/formats'),
  import.meta.filename,
  join(ROOT, 'package-lock.json'),
];
const MAIN = join(ROOT, 'ui/main.tsx');
const OUTPUT = join(ROOT, 'dist/ui');

/** How sources of the desk are compiled. */
export const DESK = {
  bundle: true,
  target: 'es2024',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  logLevel: 'warning',
  loader: { '.md': 'text' },
} as const;

/** How they are put into files. */
const FILES = {
  splitting: true,
  format: 'esm',
  minify: true,
  chunkNames: 'chunk-[hash]',
  metafile: true,
} as const;

if (process.argv[1] === import.meta.filename) await buildDesk(process.argv.includes('--force'));

/** Bundles the desk if a source is newer than the bundle. Safe to run in several processes at once. */
export async function buildDesk(force = false): Promise<void> {
  if (!force && isFresh()) return;
  mkdirSync(dirname(OUTPUT), { recursive: true });
  const folder = mkdtempSync(join(dirname(OUTPUT), 'ui-'));
  const { metafile } = await build({
    ...DESK,
    ...FILES,
    entryPoints: { app: MAIN, style: join(ROOT, 'ui/styles/style.css') },
    outdir: folder,
    absWorkingDir: folder,
    plugins: [firstTogether()],
    // The package has no side effects, so esbuild reports these imports as useless; they put modules into chunks.
    logOverride: { 'ignored-bare-import': 'silent' },
  });
  writeFileSync(join(folder, 'first.json'), JSON.stringify(chunksOf(metafile, 'app.js')));
  await buildServiceWorker(folder);
  const workers = await buildWorkers(folder);
  // What is bundled keeps its licences.
  const licences = [...new Set([metafile, workers].flatMap(packagesIn))]
    .sort()
    .map((name) => `${name}\n\n${readFileSync(join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8')}`);
  writeFileSync(join(folder, 'LICENSES.txt'), licences.join('\n\n'));
  chmodSync(folder, 0o755);
  const old = `${folder}.old`;
  // Two renames: a reader finds the former bundle or the new one, and for an instant none.
  if (existsSync(OUTPUT)) renameSync(OUTPUT, old);
  renameSync(folder, OUTPUT);
  rmSync(old, { recursive: true, force: true });
}

/**
 * Puts the modules of the first view into one chunk. A chunk has what the same set of views needs, and each view needs some of these
 * modules: they were in forty chunks. So each view that is loaded later imports all of them, which are there before it.
 */
function firstTogether(): Plugin {
  return {
    name: 'first-together',
    setup({ onLoad, onResolve, resolve: resolved }) {
      onResolve({ filter: /^\./ }, async ({ path, kind, importer, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const found = await resolved(path, { kind: 'import-statement', importer, resolveDir });
        return found.errors.length > 0 ? found : { path: found.path, namespace: 'later' };
      });
      onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => ({
        contents: `import 'first-view'; export * from ${JSON.stringify(path)};`,
        resolveDir: ROOT,
      }));
      onResolve({ filter: /^first-view$/ }, () => ({ path: MAIN }));
    },
  };
}

/** The worker that keeps the files of the desk: it knows their names, and is another one if any of them is. */
async function buildServiceWorker(folder: string): Promise<void> {
  const names = readdirSync(folder)
    .filter((name) => /\.(js|css)$/.test(name))
    .sort();
  const digest = createHash('sha256');
  for (const name of names) digest.update(name).update(readFileSync(join(folder, name)));
  await build({
    ...DESK,
    entryPoints: { sw: join(ROOT, 'ui/frame/service-worker.ts') },
    outdir: folder,
    format: 'iife',
    minify: true,
    define: { ASSETS: JSON.stringify(names), RELEASE: JSON.stringify(digest.digest('hex').slice(0, 16)) },
  });
}

/**
 * The workers of modules, `src/modules/x/desk/y-worker.ts`. Each is loaded when a view needs it, and shares no code with the page.
 * Browsers do not keep them: what they do ends in a request to the service.
 */
async function buildWorkers(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    ...DESK,
    ...FILES,
    entryPoints: globSync('src/modules/*/desk/*-worker.ts', { cwd: ROOT }).map((path) => join(ROOT, path)),
    entryNames: '[name]',
    outdir: folder,
    absWorkingDir: folder,
  });
  return metafile;
}

/** The packages whose code is in the bundle. */
function packagesIn({ inputs }: Metafile): string[] {
  const names = Object.keys(inputs).flatMap(
    (path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.slice(1) ?? [],
  );
  return names;
}

/** The chunks that a file needs before it runs, so that a page can ask for all of them at once. */
function chunksOf({ outputs }: Metafile, file: string, found = new Set<string>()): string[] {
  for (const { path, kind } of outputs[file]?.imports ?? []) {
    if (kind !== 'import-statement' || found.has(path)) continue;
    found.add(path);
    chunksOf({ outputs, inputs: {} }, path, found);
  }
  return [...found];
}

function isFresh(): boolean {
  const built = statSync(join(OUTPUT, 'app.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return SOURCES.every((path) => newest(path) < built);
}

function newest(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found?.mtimeMs ?? 0;
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
