/** Two pools on one database are two instances: what they do to one area at the same time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { useTwoInstances } from '../../../test/support/two-instances.ts';
import type { ServiceError } from '../../errors.ts';
import { compareCodePoints } from '../../json.ts';
import { all, BY, expand, pids, put, record, scanned } from '../contract/subject.ts';
import { compileLikePattern } from '../matching.ts';
import { compareKeys, type RecordStore } from '../store.ts';
import { openArea } from './area.ts';
import type { Database } from './database.ts';
import { openPostgresqlStore } from './store.ts';
import { type PostgresqlStores, postgresqlStores } from './stores.ts';
import { completeTextIndex } from './text-index.ts';

/** The acceptance of the backend asks for 10,000. */
const INCREMENTS = Number(process.env.ACCESSION_TEST_INCREMENTS ?? 600);

const databases = useTwoInstances();

async function twoInstances(name: string): Promise<[RecordStore, RecordStore]> {
  const [one, other] = databases as [Database, Database];
  return [(await openPostgresqlStore(one, name)).store, (await openPostgresqlStore(other, name)).store];
}

test(`${INCREMENTS} increments of one record by two instances, each on the revision it read, add up`, async () => {
  const instances = await twoInstances('increments');
  const iri = expand('ex:counter') as string;
  await instances[0].write([put('ex:counter', 'Person', { n: 0 })], BY);
  let refused = 0;
  let left = INCREMENTS;
  const lane = async (store: RecordStore) => {
    while (left > 0) {
      left -= 1;
      for (;;) {
        const current = await store.get(iri);
        assert.ok(current);
        const n = JSON.parse(current.json).n + 1;
        try {
          await store.write(
            [{ put: record('ex:counter', 'Person', { n }), expect: { revisions: [current.revision] } }],
            BY,
          );
          break;
        } catch (error) {
          assert.equal((error as ServiceError).code, 'precondition_failed');
          refused += 1;
        }
      }
    }
  };
  await Promise.all([...instances, ...instances].map(lane));
  for (const store of instances) {
    assert.equal(JSON.parse((await store.get(iri))?.json ?? '').n, INCREMENTS);
    assert.equal(await store.revision(), INCREMENTS + 1);
  }
  assert.ok(refused > 0, 'the instances never met');
  const entries = await instances[1].entries({ limit: INCREMENTS + 1 });
  assert.deepEqual(
    entries.map(({ json }) => JSON.parse(json ?? '').n),
    Array.from({ length: INCREMENTS + 1 }, (_, n) => n),
  );
});

test('totals, pages and ranks are right on the instance that did not write', async () => {
  const [writer, reader] = await twoInstances('totals');
  const pidOf = (n: number) => `ex:${String((n * 7919) % 4000).padStart(4, '0')}`;
  assert.equal(await reader.count({}), 0);
  for (let from = 0; from < 4000; from += 500) {
    const numbers = Array.from({ length: 500 }, (_, i) => from + i);
    await writer.write(
      numbers.map((n) => put(pidOf(n), n % 3 ? 'Person' : 'Robot')),
      BY,
    );
    assert.equal(await reader.count({}), from + 500);
    const records = await all(reader);
    assert.deepEqual(pids(records), pids(records).sort(compareCodePoints));
    const middle = records[from / 2 + 100];
    assert.deepEqual(await reader.list({}, { offset: from / 2 + 100, limit: 1 }), [middle]);
    assert.equal(await reader.rank({}, middle?.pid ?? ''), from / 2 + 100);
  }
});

test('pages and scans never repeat or skip records while another instance writes', async () => {
  const [writer, reader] = await twoInstances('pages');
  const count = 3000;
  const pidOf = (n: number) => `ex:${String(n).padStart(5, '0')}`;
  await writer.write(
    Array.from({ length: count }, (_, n) => put(pidOf(n), n % 2 ? 'Person' : 'Robot')),
    BY,
  );
  const expected = Array.from({ length: count }, (_, n) => pidOf(n));
  let writing = true;
  const writes = (async () => {
    // Replacements, and records that come and go behind those that stay.
    for (let n = 0; writing; n++) {
      const gone = put(`ex:a${n}`);
      await writer.write([put(pidOf((n * 37) % count), (n * 37) % 2 ? 'Person' : 'Robot', { n }), gone], BY);
      await writer.write([{ delete: expand(`ex:a${n}`) as string }], BY);
    }
  })();
  try {
    const stayed = (pid: string) => !pid.startsWith('ex:a');
    for (let round = 0; round < 3; round++) {
      const paged: string[] = [];
      for (let offset = 0; offset < count; offset += 100) {
        paged.push(...pids(await reader.list({}, { offset, limit: 100 })));
      }
      assert.deepEqual(paged.filter(stayed), expected);
      assert.deepEqual(pids(await scanned(reader)).filter(stayed), expected);
      const robots = pids(await scanned(reader, { classes: ['Robot'] }));
      assert.equal(robots.filter(stayed).length, count / 2);
      assert.equal(await reader.count({ classes: ['Robot'] }), count / 2);
    }
  } finally {
    writing = false;
    await writes;
  }
});

test('two instances that write the same records at the same time leave one order, one count, one history', async () => {
  const instances = await twoInstances('both');
  const run = async (store: RecordStore, seed: number) => {
    for (let n = 0; n < 60; n++) {
      const changes = Array.from({ length: 20 }, (_, i) =>
        put(`ex:${(seed * 13 + n * 17 + i * 29) % 700}`, i % 2 ? 'Person' : 'Robot'),
      );
      await store.write(changes, BY);
      const victim = expand(`ex:${(n * 31 + seed) % 700}`) as string;
      await store.write([{ delete: victim }], BY).catch((error) => {
        assert.equal((error as ServiceError).code, 'record_missing');
      });
    }
  };
  await Promise.all(instances.map(run));
  const [one, other] = [await all(instances[0]), await all(instances[1])];
  assert.deepEqual(one, other);
  assert.deepEqual(one, [...one].sort(compareKeys));
  for (const store of instances) {
    assert.equal(await store.count({}), one.length);
    assert.equal(
      await store.count({ classes: ['Robot'] }),
      one.filter(({ className }) => className === 'Robot').length,
    );
  }
  const revision = await instances[0].revision();
  const entries = await instances[1].entries({ limit: 100_000 });
  assert.deepEqual(
    entries.map((entry) => entry.revision),
    Array.from({ length: revision }, (_, n) => n + 1),
  );
});

test('orders and finds pids and IRIs that are longer than an index entry', async () => {
  const [writer, reader] = await twoInstances('long');
  let seed = 7;
  const letters = (length: number) => {
    let text = '';
    while (text.length < length) {
      seed = (seed * 48_271) % 2_147_483_647;
      text += String.fromCodePoint(0x4e00 + (seed % 2000));
    }
    return text;
  };
  const head = letters(400);
  const long = Array.from({ length: 40 }, (_, i) => `ex:${head}${letters(3000 + i)}`);
  const short = Array.from({ length: 1500 }, (_, i) => `ex:${head.slice(0, 20)}${i}`);
  await writer.write(
    [...short.slice(0, 900), ...long].map((pid) => put(pid)),
    BY,
  );
  await writer.write(
    short.slice(900).map((pid) => put(pid)),
    BY,
  );
  const expected = [...long, ...short].sort(compareCodePoints);
  for (const store of [writer, reader]) {
    assert.deepEqual(pids(await all(store)), expected);
    assert.deepEqual(pids(await scanned(store)), expected);
    for (const offset of [0, 3, expected.indexOf(long[5] as string), 1000, 1539]) {
      assert.deepEqual(pids(await store.list({}, { offset, limit: 7 })), expected.slice(offset, offset + 7));
      assert.equal(await store.rank({}, expected[offset] as string), offset);
    }
    for (const pid of long) assert.equal((await store.get(expand(pid) as string))?.pid, pid);
  }
});

/** Few letters, so that patterns match often; and what SQL, JSON and the index take for signs. */
const LETTERS = [...'aAbBäÄßẞsSσςΣжЖ', '😀', ...'_"\'*^-()\\.+?[]{}|$/:, ', '\n', '\0'];
const text = fc.array(fc.constantFrom(...LETTERS), { maxLength: 12 }).map((signs) => signs.join(''));
const pattern = fc
  .array(fc.constantFrom(...LETTERS, '%', '%', '_'), { maxLength: 8 })
  .map((signs) => signs.join(''));

test('a pattern selects what it means, with the index, without it and with half of it', async () => {
  const [store, other] = await twoInstances('matching');
  const values = fc.sample(text, { numRuns: 300, seed: 7 });
  const cut = values.map((value) => `%${[...value].slice(1, 6).join('')}%`);
  const patterns = [...fc.sample(pattern, { numRuns: 120, seed: 8 }), ...cut.slice(0, 60)];
  const write = (from: number, to: number) =>
    store.write(
      values.slice(from, to).map((value, i) => put(`ex:${1000 + from + i}`, 'Person', { deep: [{ value }] })),
      BY,
    );
  const same = async () => {
    const records = await all(other);
    let hits = 0;
    for (const source of patterns) {
      const compiled = compileLikePattern(source);
      const expected = records.filter(({ json }) => compiled.matchesRecord(json));
      assert.deepEqual(pids(await all(other, { matching: source })), pids(expected), source);
      hits += expected.length;
    }
    assert.ok(hits > 1000, `${hits} hits`);
  };
  await write(0, 150);
  await completeTextIndex(await openArea(databases[0] as Database, 'matching'));
  await write(150, 300);
  await write(100, 120);
  await same();
  await completeTextIndex(await openArea(databases[0] as Database, 'matching'));
  await same();
});

test('resolves records again whose prefix has changed, on whichever instance opens the area', async () => {
  const naming = (base: string) => ({
    expand: (pid: string) => (pid.startsWith('ex:') ? `${base}${pid.slice(3)}` : pid),
    schemaTypeOf: () => undefined,
  });
  const [one, other] = databases.map((database) => postgresqlStores(database, '/'));
  const former = await (one as PostgresqlStores).open('prefixes', naming('https://old.example/'));
  const record = (pid: string, iri: string) => ({ put: { pid, iri, className: 'Person', json: '{}' } });
  await former.write(
    [
      ...Array.from({ length: 450 }, (_, n) => record(`ex:${n}`, `https://old.example/${n}`)),
      record('https://new.example/7', 'https://new.example/7'),
      record('other:1', 'other:1'),
    ],
    BY,
  );
  const store = await (other as PostgresqlStores).open('prefixes', naming('https://new.example/'));
  assert.equal((await store.get('https://new.example/5'))?.pid, 'ex:5');
  assert.equal(await former.get('https://old.example/5'), undefined);
  assert.equal(await store.count({}), 452);
  const faults = await store.faults();
  assert.deepEqual(
    faults.map(({ message }) => message),
    [
      "the record 'ex:7' keeps the IRI 'https://old.example/7': the record 'https://new.example/7' has the IRI 'https://new.example/7'",
    ],
  );
  await store.close();
  await former.close();
});

test('of two instances, one refers to a record and the other deletes it: never both', async () => {
  const [one, other] = await twoInstances('references');
  const iri = expand('ex:target') as string;
  const links = [{ iri, slot: 'friend', path: '/friend' }];
  const refer = { put: { ...record('ex:referrer'), links } };
  for (let round = 0; round < 20; round++) {
    await one.write([put('ex:target'), { put: { ...record('ex:referrer'), links: [] } }], BY);
    const [, deleted] = await Promise.allSettled([
      one.write([{ ...refer, expect: { present: true } }], BY),
      other.write([{ delete: iri, unreferenced: true }], BY),
    ]);
    const refused = deleted.status === 'rejected';
    if (refused) assert.equal((deleted.reason as ServiceError).code, 'record_referenced');
    assert.equal((await one.get(iri)) !== undefined, refused);
    assert.equal(await other.links.countTo(iri), 1);
  }
});

test('an entry has the actor of its change, if that is not the one of the write', async () => {
  const [store] = await twoInstances('actors');
  const author = { committer: 'a', author: 'b', role: 'submitter' } as const;
  await store.write([{ ...put('ex:a'), by: author }, put('ex:b')], BY);
  const actors = (await store.entries({ limit: 2 })).map(({ committer, author, role }) => ({
    committer,
    author,
    role,
  }));
  assert.deepEqual(actors, [author, BY]);
});
