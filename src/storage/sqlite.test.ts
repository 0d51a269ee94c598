/** The database of the sqlite backend beside the peer, which opens, reads and writes the same file. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openStore } from './backends.ts';
import { all, BY, expand, pids, put, record, refuses, scanned, schemaTypeOf } from './contract/subject.ts';
import { SILENT_LOG } from './log.ts';
import { rebuildIndex } from './maintenance.ts';
import type { RecordStore } from './store.ts';

/** What the peer's ORM sends for a new database. */
const PEER_DATABASE = `
CREATE TABLE thing (
	id INTEGER NOT NULL, 
	iri VARCHAR NOT NULL, 
	class_name VARCHAR(255) NOT NULL, 
	object JSON NOT NULL, 
	sort_key VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX ix_thing_class_name ON thing (class_name);
CREATE UNIQUE INDEX ix_thing_iri ON thing (iri);
`;

type Setting = {
  directory: string;
  file: string;
  open(): Promise<RecordStore>;
  /** A connection as the peer makes it, closed at the end. */
  peer(): DatabaseSync;
};

function beside(sentence: string, run: (setting: Setting) => Promise<void>): void {
  test(sentence, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'accession-sqlite-'));
    const file = join(directory, '__sqlite-records.db');
    const closing: (() => unknown)[] = [];
    try {
      await run({
        directory,
        file,
        open: async () => {
          const store = await openStore({ type: 'sqlite' }, directory, { expand, schemaTypeOf });
          closing.push(() => store.close());
          return store;
        },
        peer: () => {
          const database = new DatabaseSync(file);
          closing.push(() => database.isOpen && database.close());
          return database;
        },
      });
    } finally {
      for (const close of closing) await close();
      rmSync(directory, { recursive: true });
    }
  });
}

/** Inserts a row in the peer's own spelling of JSON: blanks behind colons and commas, escapes, any order of keys. */
function insert(peer: DatabaseSync, name: string, className = 'Person', sortKey = `ex:${name}`): void {
  const object = `{"schema_type": "ex:${className}", "pid": "ex:${name}", "name": "J\\u00e4ne", "n": 1.50}`;
  peer
    .prepare('INSERT INTO thing (iri, class_name, object, sort_key) VALUES (?, ?, ?, ?)')
    .run(`https://example.org/${name}`, className, object, sortKey);
}

const canonical = (name: string) => `{"n":1.50,"name":"Jäne","pid":"ex:${name}","schema_type":"ex:Person"}`;

beside('the table is the one the peer makes, column by column and index by index', async ({ open, peer }) => {
  await open();
  const made = peer().prepare(
    `SELECT sql FROM sqlite_master WHERE tbl_name = 'thing' AND sql LIKE '%thing (%' AND name NOT LIKE 'accession%' ORDER BY name`,
  );
  const reference = new DatabaseSync(':memory:');
  reference.exec(PEER_DATABASE);
  const wanted = reference.prepare('SELECT sql FROM sqlite_master ORDER BY name').all();
  assert.deepEqual(made.all(), wanted);
  reference.close();
});

beside('what the peer wrote before is served in canonical form', async ({ open, peer }) => {
  const before = peer();
  before.exec(PEER_DATABASE);
  for (const name of ['c', 'a', 'b']) insert(before, name);
  before.close();
  const store = await open();
  assert.deepEqual(pids(await all(store)), ['ex:a', 'ex:b', 'ex:c']);
  assert.equal((await store.get('https://example.org/a'))?.json, canonical('a'));
  assert.equal(await store.revision(), 3);
  assert.equal(await store.count({ matching: 'JÄNE' }), 3);
});

beside('a peer that sorts by something else leaves no trace in the order', async ({ open, peer }) => {
  const before = peer();
  before.exec(PEER_DATABASE);
  insert(before, 'a', 'Person', 'Zoe-ex:a');
  insert(before, 'b', 'Person', 'Adam-ex:b');
  before.close();
  const store = await open();
  assert.deepEqual(pids(await all(store)), ['ex:a', 'ex:b']);
  assert.equal(await store.rank({}, 'ex:b'), 1);
});

beside(
  'what the peer writes while the store is open is seen, counted and has revisions',
  async ({ open, peer }) => {
    const store = await open();
    await store.write([put('ex:a'), put('ex:b', 'Robot')], BY);
    assert.equal(await store.count({}), 2);
    const other = peer();
    insert(other, 'c');
    other.prepare(`UPDATE thing SET class_name = 'Comet' WHERE sort_key = 'ex:a'`).run();
    other.prepare(`DELETE FROM thing WHERE sort_key = 'ex:b'`).run();
    assert.deepEqual(
      (await scanned(store)).map(({ pid, className, revision }) => [pid, className, revision]),
      [
        ['ex:a', 'Comet', 4],
        ['ex:c', 'Person', 3],
      ],
    );
    assert.equal(await store.count({ classes: ['Robot'] }), 0);
    assert.equal(await store.count({ classes: ['Comet'] }), 1);
    assert.equal(await store.revision(), 5);
    assert.deepEqual((await store.changesSince(4, 10))[0], {
      kind: 'delete',
      iri: 'https://example.org/b',
      pid: 'ex:b',
      revision: 5,
    });
    assert.equal(await store.count({ matching: 'jäne' }), 1);
  },
);

beside('what the peer wrote while the store was closed is seen at its opening', async ({ open, peer }) => {
  const store = await open();
  await store.write([put('ex:a'), put('ex:b')], BY);
  await store.close();
  const other = peer();
  for (let i = 0; i < 5000; i++) insert(other, `p${i}`);
  other.prepare(`DELETE FROM thing WHERE sort_key = 'ex:a'`).run();
  other.close();
  const again = await open();
  assert.equal(await again.count({}), 5001);
  assert.equal((await again.list({}, { offset: 4999, limit: 5 })).length, 2);
  assert.equal(await again.revision(), 5003);
  assert.equal(await again.rank({}, 'ex:p0'), 1);
});

beside('the peer may take the database over when the store is closed', async ({ open, peer, file }) => {
  const store = await open();
  await store.write([put('ex:a', 'Person', { name: 'Ä' })], BY);
  await store.close();
  assert.ok(!existsSync(`${file}-wal`));
  const row = peer().prepare('SELECT iri, class_name, object, sort_key FROM thing').get();
  assert.deepEqual(
    { ...row },
    {
      iri: 'https://example.org/a',
      class_name: 'Person',
      object: '{"name":"Ä","pid":"ex:a","schema_type":"ex:Person"}',
      sort_key: 'ex:a',
    },
  );
});

beside(
  'a database under its old name is moved, with a copy left behind',
  async ({ open, peer, file, directory }) => {
    const before = peer();
    before.exec(PEER_DATABASE);
    insert(before, 'a');
    before.close();
    renameSync(file, join(directory, '.sqlite-records.db'));
    const store = await open();
    assert.equal(await store.count({}), 1);
    assert.ok(existsSync(join(directory, '.sqlite-records.db.backup')));
    assert.ok(!existsSync(join(directory, '.sqlite-records.db')));
  },
);

beside(
  'a rebuilt index serves the same records, and leaves only the peer’s table when it is dropped',
  async ({ open, directory }) => {
    const store = await open();
    await store.write(
      Array.from({ length: 50 }, (_, i) =>
        put(`ex:${i}`, i % 2 ? 'Person' : 'Robot', { name: `needle ${i}` }),
      ),
      BY,
    );
    const before = pids(await all(store));
    await store.close();
    rebuildIndex(directory, SILENT_LOG);
    const again = await open();
    assert.deepEqual(pids(await all(again)), before);
    assert.equal(await again.count({ matching: '%needle 7' }), 1);
    assert.equal(await again.count({ classes: ['Robot'] }), 25);
  },
);

beside(
  'a database that is none is a failure of storage, told without a path',
  async ({ open, file, directory }) => {
    const { writeFileSync } = await import('node:fs');
    writeFileSync(file, 'no database at all, but long enough to be taken for one '.repeat(100));
    await assert.rejects(
      open(),
      (error: Error) =>
        'code' in error && error.code === 'storage_failed' && !error.message.includes(directory),
    );
  },
);

/** What takes the revisions and texts of this release back to layout 4: a text was moved to its entry, and revisions had a table. */
const FORMER_REVISIONS = `
  CREATE TABLE accession_change (revision INTEGER PRIMARY KEY, thing INTEGER, iri TEXT, pid TEXT);
  CREATE UNIQUE INDEX accession_change_thing ON accession_change (thing) WHERE thing IS NOT NULL;
  CREATE UNIQUE INDEX accession_change_iri ON accession_change (iri) WHERE iri IS NOT NULL;
  INSERT INTO accession_change
    SELECT e.revision, t.id, iif(t.id IS NULL, e.iri, NULL), iif(t.id IS NULL, e.pid, NULL)
    FROM (SELECT max(revision) AS revision, iri, pid FROM accession_entry GROUP BY iri) e LEFT JOIN thing t USING (iri);
  DROP TRIGGER accession_inserted; DROP TRIGGER accession_updated; DROP TRIGGER accession_moved;
  DROP TRIGGER accession_renamed; DROP TRIGGER accession_deleted;
  UPDATE accession_entry AS e SET object = (
    SELECT former FROM accession_entry f WHERE f.iri = e.iri AND f.revision > e.revision ORDER BY revision);
  ALTER TABLE accession_entry DROP COLUMN former;
  DELETE FROM accession_meta WHERE name = 'layout_number';
`;

beside('a database of layout 4 keeps its revisions and the texts of its entries', async ({ open, peer }) => {
  const before = await open();
  await before.write([put('ex:a', 'Person', { n: 1 }), put('ex:b'), put('ex:a', 'Person', { n: 2 })], BY);
  await before.write([{ delete: 'https://example.org/b' }, put('ex:c')], BY);
  const [changes, entries] = [await before.changesSince(0, 10), await before.entries({ limit: 10 })];
  await before.close();
  const old = peer();
  old.exec(FORMER_REVISIONS);
  old.close();

  const store = await open();
  assert.deepEqual(await store.changesSince(0, 10), changes);
  assert.deepEqual(await store.entries({ limit: 10 }), entries);
  const [result] = await store.write([put('ex:a', 'Person', { n: 3 })], BY);
  assert.deepEqual([result?.revision, result?.replaced?.revision], [6, 3]);
  const texts = (await store.entries({ limit: 10 })).map(({ json }) => json);
  assert.deepEqual(texts.slice(0, 5), [...entries.map(({ json }) => json)]);
  assert.match(texts[5] ?? '', /"n":3/);
});

beside('the text of a pruned entry is nowhere in the database', async ({ open, peer }) => {
  const store = await open();
  for (const n of [1, 2, 3])
    await store.write([put('ex:a', 'Person', { n: `secret ${n}` }), put('ex:b')], BY);
  await store.prune('9999-01-01T00:00:00.000000+00:00', 2);
  const texts = (await store.entries({ iris: ['https://example.org/a'], limit: 10 })).map(({ json }) => json);
  assert.deepEqual(
    texts.map((json) => /secret \d/.exec(json ?? '')?.[0]),
    ['secret 2', 'secret 3'],
  );
  const left = peer()
    .prepare(`SELECT count(*) AS n FROM accession_entry WHERE former LIKE '%secret 1%'`)
    .get();
  assert.deepEqual({ ...left }, { n: 0 });
});

beside('a database of a later release is refused, and left as it is', async ({ open, peer }) => {
  const before = await open();
  await before.write([put('ex:a')], BY);
  await before.close();
  peer().exec(`UPDATE accession_meta SET value = 6 WHERE name = 'layout_number'`);
  await refuses(open(), 'store_incompatible');
  peer().exec(`UPDATE accession_meta SET value = 5 WHERE name = 'layout_number'`);
  const store = await open();
  assert.equal((await store.entries({ limit: 10 })).length, 1);
});

beside('a database of release 0.1 gets entries, and keeps its revisions', async ({ open, peer }) => {
  const before = await open();
  await before.write([put('ex:a'), put('ex:b', 'Robot'), put('ex:c')], BY);
  await before.write([{ delete: 'https://example.org/b' }, put('ex:a')], BY);
  const changes = await before.changesSince(0, 10);
  await before.close();
  const old = peer();
  old.exec(FORMER_REVISIONS);
  const objects = old.prepare(
    `SELECT type, name FROM sqlite_master WHERE type = 'trigger'
     OR type = 'table' AND name IN ('accession_entry', 'accession_ledger', 'accession_ledger_key', 'accession_link')`,
  );
  for (const { type, name } of objects.all()) old.exec(`DROP ${type} ${name}`);
  old.exec(`UPDATE accession_meta SET value = 1 WHERE name = 'layout'`);
  old.close();

  const store = await open();
  assert.deepEqual(await store.changesSince(0, 10), changes);
  const [result] = await store.write([put('ex:c', 'Robot')], BY);
  assert.equal(result?.revision, 6);
  const entries = await store.entries({ limit: 10 });
  assert.deepEqual(
    entries.map(({ revision, pid, kind, committer }) => [revision, pid, kind, committer]),
    [
      [3, 'ex:c', 'put', null],
      [4, 'ex:b', 'delete', null],
      [5, 'ex:a', 'put', null],
      [6, 'ex:c', 'put', BY.committer],
    ],
  );
  assert.match(entries[0]?.json ?? '', /"ex:Person"/);
  const times = entries.map(({ time }) => time);
  assert.deepEqual(times, [...new Set(times)].sort());
});

/** What takes the index of references of this release back to that of an earlier layout. */
const FORMER_LINKS = {
  2: `DELETE FROM accession_meta WHERE name LIKE 'links%'`,
  3: `CREATE TABLE accession_link (target TEXT NOT NULL, thing INTEGER NOT NULL, path TEXT NOT NULL, slot TEXT NOT NULL,
        PRIMARY KEY (target, thing, path)) WITHOUT ROWID;
      CREATE INDEX accession_link_thing ON accession_link (thing);
      CREATE TRIGGER accession_unlinked AFTER DELETE ON thing BEGIN DELETE FROM accession_link WHERE thing = old.id; END;
      INSERT INTO accession_link SELECT 'https://example.org/b', id, '/friend', 'friend' FROM thing`,
};

for (const [layout, sql] of Object.entries(FORMER_LINKS)) {
  beside(
    `a database of layout ${layout} gets an index of references, and keeps everything else`,
    async ({ open, peer }) => {
      const before = await open();
      const links = [{ iri: 'https://example.org/b', slot: 'friend', path: '/friend' }];
      await before.write([{ put: { ...record('ex:a'), links } }, put('ex:b')], BY, [
        { set: { kind: 'decision', id: '1', keys: [], json: '{}' } },
      ]);
      const [changes, entries] = [await before.changesSince(0, 10), await before.entries({ limit: 10 })];
      await before.close();
      const old = peer();
      old.exec(`${FORMER_REVISIONS}; DROP TRIGGER accession_unlinked; DROP TABLE accession_link`);
      old.exec(`${sql}; UPDATE accession_meta SET value = ${layout} WHERE name = 'layout'`);
      old.close();

      await (await open()).close();
      const store = await open();
      assert.deepEqual(await store.changesSince(0, 10), changes);
      assert.deepEqual(await store.entries({ limit: 10 }), entries);
      assert.equal(await store.ledger.count({ kind: 'decision' }), 1);
      assert.deepEqual(await store.links.position(), { key: '', revision: 0 });
      assert.equal(await store.links.countTo('https://example.org/b'), 0);
      const known = [{ iri: 'https://example.org/a', revision: 1, links }];
      await store.links.fill(known, { key: 'k', revision: 2 });
      assert.equal(await store.links.countTo('https://example.org/b'), 1);
    },
  );
}

beside('referrers are found in every segment of the index, and counted once each', async ({ open, peer }) => {
  const store = await open();
  const target = 'https://example.org/hub';
  const links = ['/x', '/y'].map((path) => ({ iri: target, slot: 'friend', path }));
  // Rows of the peer have any numbers.
  const other = peer();
  for (const id of [1, 40_000, 2 ** 40])
    other.exec(
      `INSERT INTO thing VALUES (${id}, 'https://example.org/${id}', 'Person', '{"pid": "ex:${id}"}', 'ex:${id}')`,
    );
  const changes = await store.changesSince(0, 10);
  const known = changes.flatMap((change) => (change.kind === 'put' ? { ...change.record, links } : []));
  await store.links.fill(known, { key: 'k', revision: 3 });
  await store.write([{ put: { ...record('ex:hub'), links } }], BY);
  const found = await store.links.to(target, { offset: 1, limit: 4 });
  assert.deepEqual(
    found.map(({ pid, path }) => `${pid} ${path}`),
    ['ex:1 /y', 'ex:40000 /x', 'ex:40000 /y', 'ex:1099511627776 /x'],
  );
  assert.equal(await store.links.countTo(target), 3);
});

beside('the links of a record that the peer deletes go with it', async ({ open, peer }) => {
  const store = await open();
  const links = [{ iri: 'https://example.org/b', slot: 'friend', path: '/friend' }];
  await store.write([{ put: { ...record('ex:a'), links } }], BY);
  peer().exec(`DELETE FROM thing WHERE iri = 'https://example.org/a'`);
  assert.equal(await store.links.countTo('https://example.org/b'), 0);
  assert.equal((await store.links.position()).revision, 1);
});

beside('what the peer changes has entries without an actor', async ({ open, peer }) => {
  const store = await open();
  await store.write([put('ex:a')], BY);
  const other = peer();
  insert(other, 'b');
  other.exec(`UPDATE thing SET object = json_set(object, '$.n', 2) WHERE iri = 'https://example.org/b'`);
  other.exec(`DELETE FROM thing WHERE iri = 'https://example.org/a'`);
  const entries = await store.entries({ after: 1, limit: 10 });
  assert.deepEqual(
    entries.map(({ pid, kind, committer, role }) => [pid, kind, committer, role]),
    [
      ['ex:b', 'put', null, null],
      ['ex:b', 'put', null, null],
      ['ex:a', 'delete', null, null],
    ],
  );
  assert.equal(entries[0]?.json, canonical('b'));
});

beside('a clock that was set back gives no time twice', async ({ open, peer }) => {
  const store = await open();
  await store.write([put('ex:a')], BY);
  const ahead = '2200-01-01T00:00:00.000000+00:00';
  peer().exec(`UPDATE accession_entry SET time = ${Date.parse('2200-01-01T00:00:00Z')} * 1000`);
  await store.write([put('ex:a'), put('ex:b')], BY);
  assert.deepEqual(
    (await store.entries({ limit: 10 })).map(({ time }) => time),
    [ahead, ahead.replace('000000', '000001'), ahead.replace('000000', '000002')],
  );
});
