/** What an edit of the configuration does beside writing it does not depend on how many collections it leaves as they are. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import { ADMIN, testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { statementsOf } from '../support/statements.ts';

const FEW = 3;
const MANY = 40;
/** What is read again after a time may fall into one of them. */
const TOLERANCE = 12;

/** How often the disk is asked where a path leads, with links followed, while some work is done. */
async function looksOf(t: TestContext, work: () => Promise<unknown>): Promise<number> {
  const counted = t.mock.method(fs, 'realpathSync');
  syncBuiltinESMExports();
  try {
    await work();
    return counted.mock.callCount();
  } finally {
    counted.mock.restore();
    syncBuiltinESMExports();
  }
}

/** The statements and looks of each edit in a service with some collections, whose records are files. */
async function costsOf(t: TestContext, size: number): Promise<Record<string, [number, number]>> {
  const names = Array.from({ length: size }, (_, at) => `c${at}`);
  const service = await testApp(t, {
    collections: Object.fromEntries(names.map((name) => [name, { backend: { type: 'record_dir+stl' } }])),
    tokens: { all: Object.fromEntries(names.map((name) => [name, 'CURATOR'])) },
  });
  const put = async (url: string, json: object) => {
    const { status, text } = await service.request('PUT', url, { token: ADMIN, json });
    assert.ok(status === 200 || status === 201, text);
  };
  const { c0: set } = service.app.registry.current().configuration.collections;
  const edits: Record<string, (serial: number) => Promise<void>> = {
    'a token': (serial) => put('/tokens', { name: 't', user_id: `u${serial}`, collections: {} }),
    'a collection that is there': (serial) =>
      put('/collections', { ...set, name: 'c0', ignore_classes: serial % 2 === 0 ? [] : ['Person'] }),
    'a new collection': (serial) =>
      put('/collections', {
        ...set,
        name: `new${serial}`,
        curated: `new${serial}/a`,
        incoming: `new${serial}/b`,
      }),
  };
  // What follows changes of records has its own statements.
  await service.app.projector.stopAll();
  const costs: Record<string, [number, number]> = {};
  const done = () =>
    eventually('what an edit begins', () =>
      service.app.jobs.list().every(({ state }) => state !== 'running'),
    );
  for (const [name, edit] of Object.entries(edits)) {
    // The first one reads what is kept.
    await edit(0);
    await done();
    let looks = 0;
    const statements = await statementsOf(async () => {
      looks = await looksOf(t, () => edit(1).then(done));
    });
    costs[name] = [statements, looks];
  }
  return costs;
}

test('an edit of the configuration runs as many statements, and looks at as many paths, with any number of collections', async (t) => {
  const [few, many] = [await costsOf(t, FEW), await costsOf(t, MANY)];
  const grown = Object.keys(few).filter((name) =>
    many[name]!.some((cost, at) => cost > few[name]![at]! + TOLERANCE),
  );
  assert.deepEqual(grown, [], JSON.stringify({ few, many }));
  t.diagnostic(JSON.stringify({ few, many }));
});
