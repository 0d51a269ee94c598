/** A store whose collection is published, in a service without publishing and what uses it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { testApp } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';
import { sqliteAt } from '../../../test/support/sqlite.ts';
import { MODULES } from '../../modules.ts';
import { publish } from './module.ts';

const CONFIGURATION = { collections: { c: {} }, tokens: { cora: { c: 'CURATOR' } } };
const WITHOUT = MODULES.filter(
  ({ name, uses = [] }) => name !== publish.name && !uses.includes(publish.name),
);

test('a service without publishing keeps the metadata of a collection, refuses other metadata, and serves no pages', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const metadata = {
    title: 'The lab',
    license: 'https://example.org/license',
    contact: 'lab@example.org',
  };
  const settings = (of: typeof service, json?: object) =>
    of.request(json ? 'PUT' : 'GET', '/-/c/settings', { token: 'cora', ...(json && { json }) });
  assert.equal((await settings(service, { publish: metadata })).status, 200);
  const json = person('ada');
  await service.request('POST', '/c/curated/record/Person', { token: 'cora', json });
  await service.app.close();

  const without = await testApp(t, CONFIGURATION, { store: service.store, modules: WITHOUT });
  for (const path of [
    '/-/c/resource/labid:ada',
    '/-/c/catalog',
    '/-/c/oai?verb=Identify',
    '/-/c/sitemap.xml',
  ])
    assert.equal((await without.request('GET', path, { token: 'cora' })).status, 404, path);
  const me = await without.request('GET', '/-/me', { token: 'cora' });
  assert.equal(me.json<{ collections: { c: { contact?: string } } }>().collections.c.contact, undefined);
  assert.equal((await settings(without, { publish: metadata })).status, 422);
  assert.equal((await settings(without, { on_delete: 'refuse' })).status, 200);
  await without.app.close();

  const again = await testApp(t, CONFIGURATION, { store: service.store, modules: MODULES });
  const { on_delete, publish: kept } = (await settings(again)).json<Record<string, unknown>>();
  assert.deepEqual({ on_delete, publish: kept }, { on_delete: 'refuse', publish: metadata });
  const page = await again.request('GET', '/-/c/resource/labid:ada', { token: 'cora' });
  assert.match(page.text, /<h1>ada<\/h1>/);
});

test('a store with profiles of release 0.3 opens: they are named, kept and not shown', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const settings = (of: typeof service, json?: object) =>
    of.request(json ? 'PUT' : 'GET', '/-/c/settings', { token: 'cora', ...(json && { json }) });
  assert.equal((await settings(service, { publish: { title: 'The lab' } })).status, 200);
  await service.app.close();
  const profiles = { oai_dc: 'class_derivations: {}' };
  const change = (next: (stored: string) => string) => {
    const database = sqliteAt(join(service.store, 'accession.db'));
    const [{ json }] = database.prepare('SELECT json FROM accession_settings').all() as [{ json: string }];
    database.prepare('UPDATE accession_settings SET json = ?').run(next(json));
    database.close();
    return JSON.parse(json) as { publish: object };
  };
  change(() => JSON.stringify({ publish: { title: 'The lab', profiles } }));

  const warnings: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  const again = await testApp(t, CONFIGURATION, { store: service.store, logger });
  assert.match(warnings.join(''), /"keys":\["publish.profiles"\]/);
  const shown = (await settings(again)).json<{ publish: object }>();
  assert.deepEqual(shown.publish, { title: 'The lab' });
  assert.equal((await settings(again, { ...shown, publish: { title: 'Our lab' } })).status, 200);
  await again.app.close();
  assert.deepEqual(change((stored) => stored).publish, { profiles, title: 'Our lab' });
});
