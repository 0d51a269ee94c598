/** A module with a companion, for tests of two on one area. */
import type { TestContext } from 'node:test';
import { ServiceError } from '../../src/core/errors.ts';
import { iriOfChange } from '../../src/core/storage/store.ts';
import type { Module } from '../../src/module.ts';
import { MODULES } from '../../src/modules.ts';
import { testApp } from './app.ts';
import { ownDatabase } from './postgresql.ts';

/** Notes each change of a record, and refuses those of one. Of staged changes, it sees those of records named `kept`. */
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

/** A service with this module before or behind the others. `marked` lists the changes that it has noted. */
export async function markedApp(
  t: TestContext,
  database: 'SQLite' | 'PostgreSQL',
  order: 'before' | 'behind',
) {
  const { request, app } = await testApp(
    t,
    { collections: { c: {} }, tokens: { ann: { c: 'WRITE_COLLECTION' }, cora: { c: 'CURATOR' } } },
    {
      modules: order === 'before' ? [marks, ...MODULES] : [...MODULES, marks],
      ...(database === 'PostgreSQL' && { databaseUrl: await ownDatabase() }),
    },
  );
  const collection = app.registry.collection('c');
  const marked = async () => {
    const rows = await collection.database.tuples<[string, string, string]>(
      'SELECT path, iri, kind FROM accession_mark ORDER BY id',
    );
    return rows.map(([path, iri, kind]) => `${kind} ${path} ${iri.replace(/^.*\//, '')}`);
  };
  return { request, collection, marked };
}

/** Each database with each order. */
export const MARKED = (['SQLite', 'PostgreSQL'] as const).flatMap((database) =>
  (['before', 'behind'] as const).map((order) => [database, order] as const),
);
