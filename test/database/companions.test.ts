/** Two modules with companions on one area: each sees every change in its transaction, whichever is the first of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/core/errors.ts';
import { iriOfChange } from '../../src/core/storage/store.ts';
import type { Module } from '../../src/module.ts';
import { MODULES } from '../../src/modules.ts';
import { testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { ownDatabase } from '../support/postgresql.ts';

/** Notes each change of a record, and refuses those of one. */
const marks: Module = {
  name: 'marks',
  tables: {
    version: 1,
    sql: 'CREATE TABLE accession_mark (id ID, path TEXT NOT NULL, iri TEXT NOT NULL, kind TEXT NOT NULL);',
  },
  concerned: "p.pid LIKE 'labid:kept%'",
  attach: () => () => ({
    companion: (path) => async (draft, _area, changes) => {
      for (const change of changes) {
        const iri = iriOfChange(change);
        if (iri.endsWith('/refused')) throw new ServiceError('busy', 'The record is marked.');
        const values = [path, iri, 'put' in change ? 'put' : 'delete'];
        draft.run('INSERT INTO accession_mark (path, iri, kind) VALUES ($1, $2, $3)', values);
      }
    },
  }),
};

for (const kind of ['SQLite', 'PostgreSQL'])
  for (const [order, modules] of Object.entries({
    before: [marks, ...MODULES],
    behind: [...MODULES, marks],
  }))
    test(`${kind}: another module ${order} review takes part in stores, decisions and renames`, async (t) => {
      const { request, app } = await testApp(
        t,
        { collections: { c: {} }, tokens: { ann: { c: 'WRITE_COLLECTION' }, cora: { c: 'CURATOR' } } },
        { modules, ...(kind === 'PostgreSQL' && { databaseUrl: await ownDatabase() }) },
      );
      const { database } = app.registry.collection('c');
      const marked = async () => {
        const rows = await database.tuples<[string, string, string]>(
          'SELECT path, iri, kind FROM accession_mark ORDER BY id',
        );
        return rows.map(([path, iri, kind]) => `${kind} ${path} ${iri.replace(/^.*\//, '')}`);
      };
      const summary = async () =>
        (await request('GET', '/-/c/review/summary', { token: 'cora' })).json<{ total: number }>().total;
      const submit = async (name: string) =>
        (await request('POST', '/c/record/Person', { token: 'ann', json: person(name) })).status;
      assert.equal(await submit('ada'), 200);
      assert.equal(await submit('refused'), 503);
      assert.equal((await request('GET', '/c/record?pid=labid:refused', { token: 'ann' })).text, 'null');
      assert.equal(await summary(), 1);
      const curated = app.registry.collection('c').curated.area.path;
      const zone = (await app.registry.collection('c').zones.areas())[0]!.path;
      assert.deepEqual(await marked(), [`put ${zone} ada`]);

      const item = await request('GET', '/-/c/review/item?label=ann&pid=labid:ada', { token: 'cora' });
      const { digest } = item.json<{ digest: string }>();
      const json = { label: 'ann', pid: 'labid:ada', digest, decision: 'accept' };
      const accepted = await request('POST', '/-/c/review/decisions', { token: 'cora', json });
      assert.equal(accepted.status, 200, accepted.text);
      assert.equal(await summary(), 0);
      assert.deepEqual((await marked()).slice(1), [`delete ${zone} ada`, `put ${curated} ada`]);

      // Of staged changes, companions see those that concern one of them.
      for (const name of ['kept', 'other'])
        await request('POST', '/c/curated/record/Person', { token: 'cora', json: person(name) });
      const before = (await marked()).length;
      for (const name of ['kept', 'other']) {
        const rename = { from: `labid:${name}`, to: `labid:${name}2` };
        const { status, text } = await request('POST', '/-/c/curated/rename', {
          token: 'cora',
          json: rename,
        });
        assert.equal(status, 200, text);
      }
      const renamed = (await marked()).slice(before);
      assert.deepEqual(
        renamed.filter((mark) => mark.includes('kept')),
        [`delete ${curated} kept`, `put ${curated} kept2`],
      );
    });
