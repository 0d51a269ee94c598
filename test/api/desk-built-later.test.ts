/** A service in a checkout whose desk is not built when it starts. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';

const ROOT = resolve(import.meta.dirname, '../..');

test('the desk is available as soon as it is built, and again when it is built with other files', async (t) => {
  const checkout = mkdtempSync(join(tmpdir(), 'accession-checkout-'));
  t.after(() => rmSync(checkout, { recursive: true, force: true }));
  for (const part of ['src', 'packages', 'package.json'])
    cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  const app = pathToFileURL(join(checkout, 'src/app.ts')).href;
  const { openApp }: typeof import('../../src/app.ts') = await import(app);
  const { server, close } = await openApp({
    store: mkdtempSync(join(checkout, 'store-')),
    bootstrap: '0'.repeat(64),
    version: '0.0.0-test',
    logger: pino({ level: 'silent' }),
  });
  t.after(() => close());
  const get = (path: string) => server.inject({ method: 'GET', url: `/-/desk/${path}` });
  const built = join(checkout, 'dist/ui');

  const missing = await get('');
  assert.equal(missing.statusCode, 404);
  assert.match(missing.body, /The desk is not built\. Run \\"npm run build:ui\\"\./);
  assert.equal((await get('assets/app.js')).statusCode, 404);

  mkdirSync(built, { recursive: true });
  writeFileSync(join(built, 'app.js'), 'built');
  assert.equal((await get('')).statusCode, 200);
  assert.equal((await get('assets/app.js')).body, 'built');

  for (const name of ['chunk-A.js', 'chunk-B.js']) {
    writeFileSync(join(built, 'first.json'), JSON.stringify([name]));
    assert.match((await get('')).body, new RegExp(`rel="modulepreload" href="assets/${name}"`));
  }
});
