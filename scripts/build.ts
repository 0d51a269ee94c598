/** `npm run build`: what a package holds besides its documents, made from the sources. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { buildDesk } from './build-ui.ts';
import { bundleCommand, bundleLibraries } from './bundle.ts';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');

// The desk is replaced in one step if it is stale: a service may be serving it.
for (const name of existsSync(dist) ? readdirSync(dist) : []) {
  if (name !== 'ui') rmSync(join(dist, name), { recursive: true, force: true });
}
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
removeUnusedTypes(['client/client', 'schema/library', 'schema/generate/library', 'formats/turtle/library']);
await bundleLibraries(dist);
await bundleCommand(dist);
copySwaggerUi();
copyMigrations();
await buildDesk();

/** The compiler writes the types of every module that these import; few of them show in their own types. */
function removeUnusedTypes(libraries: readonly string[]): void {
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

/** The interactive documentation needs three of its files. */
function copySwaggerUi(): void {
  const source = dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json'));
  const target = join(dist, 'cli', 'swagger-ui');
  mkdirSync(target, { recursive: true });
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']) {
    cpSync(join(source, 'static', file), join(target, file));
  }
}

/** Code in the bundle looks for them beside itself. */
function copyMigrations(): void {
  cpSync(join(root, 'src/storage/postgresql/migrations'), join(dist, 'cli', 'migrations'), {
    recursive: true,
  });
}
