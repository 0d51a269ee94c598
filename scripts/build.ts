/** `npm run build`: what a package holds besides its documents, made from the sources. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { buildDesk } from './build-ui.ts';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');

// The desk is replaced in one step if it is stale: a service may be serving it.
for (const name of existsSync(dist) ? readdirSync(dist) : []) {
  if (name !== 'ui') rmSync(join(dist, name), { recursive: true, force: true });
}
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
dropDeclarations();
copySwaggerUi();
copyMigrations();
await buildDesk();

/** Only the types that the exports of the package lead to are of use. */
function dropDeclarations(): void {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const wanted = new Set<string>();
  const follow = (file: string) => {
    if (wanted.has(file) || !existsSync(file)) return;
    wanted.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(
      /(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g,
    ))
      follow(resolve(dirname(file), `${path}.d.ts`));
  };
  for (const one of Object.values<{ types?: string }>(exports))
    if (one.types) follow(resolve(root, one.types));
  for (const file of globSync('**/*.d.ts', { cwd: dist }).map((path) => join(dist, path)))
    if (!wanted.has(file)) rmSync(file);
}

/** The interactive documentation needs three of its files. */
function copySwaggerUi(): void {
  const source = dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json'));
  const target = join(dist, 'http', 'swagger-ui');
  mkdirSync(target, { recursive: true });
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']) {
    cpSync(join(source, 'static', file), join(target, file));
  }
}

/** The compiler leaves SQL files behind. */
function copyMigrations(): void {
  const folder = join('storage', 'postgresql', 'migrations');
  cpSync(join(root, 'src', folder), join(dist, folder), { recursive: true });
}
