/** `npm run build`: what a package holds besides its documents, made from the sources. */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { buildDesk } from './build-ui.ts';
import { bundleCommand } from './bundle.ts';
import { buildClient, buildEngine } from './library-builds.ts';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');

// The desk is replaced in one step if it is stale: a service may be serving it.
for (const name of existsSync(dist) ? readdirSync(dist) : []) {
  if (name !== 'ui') rmSync(join(dist, name), { recursive: true, force: true });
}
await buildClient(dist);
buildEngine(join(dist, 'linkml'));
await bundleCommand(dist);
copySwaggerUi();
await buildDesk();

/** The interactive documentation needs three of its files. */
function copySwaggerUi(): void {
  const source = dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json'));
  const target = join(dist, 'cli', 'swagger-ui');
  mkdirSync(target, { recursive: true });
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']) {
    cpSync(join(source, 'static', file), join(target, file));
  }
}
