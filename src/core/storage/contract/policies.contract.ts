/** Cases of the store contract: what callers see who lack the policies of some records. */
import assert from 'node:assert/strict';
import type { JsonObject, JsonValue } from '#linkml/json.ts';
import { advance } from '../../work/projections.ts';
import { addPolicyTag, hasPolicyTag } from '../policy-column.ts';
import type { Reader } from '../reader.ts';
import { TEXT_INDEX } from '../search/text-index.ts';
import type { Change, RecordStore } from '../store.ts';
import { policyTag, Visibility } from '../visibility.ts';
import { all, BY, type Case, pids, put, type Subject, scanned } from './subject.ts';

const TAG = policyTag(['ex:policy', 'https://example.org/policy']);

/** A record with an annotation, if a value is given. */
const named = (pid: string, value?: JsonValue, className?: string): Change =>
  put(pid, className, value === undefined ? {} : { annotations: { 'ex:policy': value } });

const seeing = (policies: string[], other: string | null = null) => new Visibility(TAG, other, policies);

export function policyContract(it: Case, subject: Subject): void {
  it('shows a caller only records whose policies the caller has', async (store, _, database) => {
    await addPolicyTag(database(), store.area, TAG);
    await store.write([named('ex:a', 'x'), named('ex:b', 'y', 'Place'), named('ex:c')], BY);
    for (const [visibility, seen] of [
      [seeing([]), ['ex:c']],
      [seeing(['x']), ['ex:a', 'ex:c']],
      [seeing(['x', 'y']), ['ex:a', 'ex:b', 'ex:c']],
      [seeing(['x'], 'y'), ['ex:a']],
      [seeing(['y'], 'y'), ['ex:b', 'ex:c']],
      [new Visibility(undefined, 'y', ['y']), ['ex:a', 'ex:b', 'ex:c']],
      [new Visibility(undefined, 'y', ['x']), []],
    ] as const) {
      await showsOnly(store.as(visibility), [...seen]);
    }
    assert.deepEqual(pids(await all(store)), ['ex:a', 'ex:b', 'ex:c']);
    assert.equal(await store.count({ classes: ['Place'] }), 1);
  });

  it('leaves out of a search what gets another policy before it is read', async (store, _, database) => {
    await addPolicyTag(database(), store.area, TAG);
    const pidOf = (at: number) => `ex:${10_000 + at}`;
    const stored = (at: number, fields: JsonObject) =>
      put(pidOf(at), 'Person', { name: at % 2 ? 'wanted' : 'other', ...fields });
    await store.write(
      Array.from({ length: 1000 }, (_, at) => stored(at, {})),
      BY,
    );
    await advance(database(), TEXT_INDEX, store);
    const caller = store.as(seeing([]));
    const hidden = [991, 993];
    for (const [at, selection] of [{ words: ['wanted'] }, { matching: 'wanted' }].entries()) {
      const seen: string[] = [];
      for await (const { pid } of caller.scan(selection))
        if (seen.push(pid) === 1)
          await store.write([stored(hidden[at]!, { annotations: { 'ex:policy': 'x' } })], BY);
      assert.equal(seen.includes(pidOf(hidden[at]!)), false, JSON.stringify(selection));
      assert.ok(seen.includes(pidOf(995)));
    }
  });

  it('stays in a snapshot for every caller', async (store, _, database) => {
    await addPolicyTag(database(), store.area, TAG);
    await store.write([named('ex:a')], BY);
    await database().snapshot(async (reader) => {
      const within = store.within(reader);
      await showsOnly(within, ['ex:a']);
      await store.write([named('ex:b')], BY);
      for (const seen of [
        within,
        within.as(undefined),
        within.as(seeing([])),
        within.as(seeing([])).as(undefined),
      ])
        assert.deepEqual(pids(await scanned(seen)), ['ex:a']);
    });
  });

  it('reads policies in both forms and spellings, and several of one record', async (store, _, database) => {
    await addPolicyTag(database(), store.area, TAG);
    const long = { annotation_tag: 'ex:policy', annotation_value: 'x' };
    const fields = (annotations: JsonValue) => ({ annotations });
    await store.write(
      [
        put('ex:long', 'Person', fields({ 'ex:policy': long })),
        put('ex:list', 'Person', fields([long])),
        put('ex:iri', 'Person', fields({ 'https://example.org/policy': 'x' })),
        put('ex:two', 'Person', fields({ 'ex:policy': 'x', 'https://example.org/policy': 'y' })),
        put('ex:other', 'Person', fields({ 'ex:Policy': 'secret' })),
        put('ex:number', 'Person', fields({ 'ex:policy': 7 })),
        put('ex:empty', 'Person', fields({ 'ex:policy': '' })),
        put('ex:quote', 'Person', fields({ 'ex:policy': `it's "${'long'.repeat(100)}"` })),
        put('ex:text', 'Person', { name: 'ex:policy' }),
      ],
      BY,
    );
    await showsOnly(store.as(seeing([])), ['ex:other', 'ex:text']);
    await showsOnly(store.as(seeing(['x'])), ['ex:iri', 'ex:list', 'ex:long', 'ex:other', 'ex:text']);
    await showsOnly(store.as(seeing([''])), ['ex:empty', 'ex:other', 'ex:text']);
    await showsOnly(store.as(seeing([`it's "${'long'.repeat(100)}"`])), ['ex:other', 'ex:quote', 'ex:text']);
    assert.equal((await store.as(seeing(['x', 'y'])).get('https://example.org/two'))?.pid, 'ex:two');
  });

  it('follows records whose policy changes', async (store, _, database) => {
    await addPolicyTag(database(), store.area, TAG);
    const seen = store.as(seeing(['x']));
    await store.write([named('ex:a', 'x'), named('ex:b', 'y')], BY);
    await showsOnly(seen, ['ex:a']);
    await store.write([named('ex:a', 'y'), named('ex:b', 'x')], BY);
    await showsOnly(seen, ['ex:b']);
    await store.write([named('ex:a'), { delete: 'https://example.org/b' }], BY);
    await showsOnly(seen, ['ex:a']);
  });

  it('computes policies of records that were stored before the tag', async (store, reopen, database) => {
    const changes = Array.from({ length: subject.many }, (_, at) =>
      named(
        `ex:${String(at).padStart(5, '0')}`,
        at % 3 ? `p${at % 3}` : undefined,
        at % 2 ? 'Person' : 'Place',
      ),
    );
    await store.write(changes, BY);
    assert.equal(await store.count({}), subject.many);
    assert.equal(await hasPolicyTag(database(), store.area, TAG), false);
    await addPolicyTag(database(), store.area, TAG);
    assert.equal(await hasPolicyTag(database(), store.area, TAG), true);
    const wanted = pids((await all(store)).filter((_, at) => at % 3 !== 2));
    await showsOnly(store.as(seeing(['p1'])), wanted);
    const again = (await reopen()).as(seeing(['p1']));
    await showsOnly(again, wanted);
    const people = wanted.filter((pid) => Number(pid.slice(3)) % 2 === 1);
    assert.equal(await again.count({ classes: ['Person'] }), people.length);
    const range = { offset: Math.floor(people.length / 2), limit: 10 };
    assert.deepEqual(
      pids(await again.list({ classes: ['Person'] }, range)),
      people.slice(range.offset, range.offset + 10),
    );
  });

  it('shows few of many policies in the order of all records', async (store, _, database) => {
    await addPolicyTag(database(), store.area, TAG);
    const changes = Array.from({ length: 60 }, (_, at) =>
      named(`ex:${String((at * 37) % 60).padStart(2, '0')}`, `p${at % 20}`, at % 2 ? 'Person' : 'Place'),
    );
    await store.write(changes, BY);
    const pidsOf = (...at: number[]) =>
      pids(changes.flatMap((one, n) => ('put' in one && at.includes(n % 20) ? [one.put] : []))).sort();
    const seen = store.as(seeing(['p3', 'p8']));
    await showsOnly(seen, pidsOf(3, 8));
    for (let offset = 0; offset < 7; offset++)
      assert.deepEqual(
        pids(await seen.list({}, { offset, limit: 2 })),
        pidsOf(3, 8).slice(offset, offset + 2),
      );
    assert.deepEqual(pids(await all(seen, { classes: ['Place'] })), pidsOf(8));
    await store.write([named('ex:unnamed')], BY);
    await showsOnly(seen, [...pidsOf(3, 8), 'ex:unnamed'].sort());
  });

  it('has the policies of several tags at once', async (store, _, database) => {
    const other = policyTag(['ex:other']);
    await addPolicyTag(database(), store.area, TAG);
    await store.write([put('ex:a', 'Person', { annotations: { 'ex:policy': 'x', 'ex:other': 'y' } })], BY);
    await addPolicyTag(database(), store.area, other);
    await showsOnly(store.as(seeing(['x'])), ['ex:a']);
    await showsOnly(store.as(new Visibility(other, null, ['y'])), ['ex:a']);
    await showsOnly(store.as(new Visibility(other, null, ['x'])), []);
  });

  it('passes hidden entries in few statements before their policies are indexed', async (store, _, database) => {
    await addPolicyTag(database(), store.area, TAG);
    const hidden = Array.from({ length: 1200 }, (_, at) => named(`ex:h${at}`, 'y'));
    await store.write([...hidden, named('ex:a', 'x'), ...hidden], BY);
    let statements = 0;
    const counted: Reader = {
      read: (sql, values) => database().read(sql, values),
      tuples: (sql, values) => {
        statements++;
        return database().tuples(sql, values);
      },
    };
    const seen = store.as(seeing(['x'])).within(counted);
    for (const newestFirst of [true, false]) {
      const entries = await seen.entries({ limit: 1, newestFirst });
      assert.deepEqual(
        entries.map(({ pid }) => pid),
        ['ex:a'],
      );
    }
    assert.ok(statements < 60, `${statements}`);
  });

  it('shows entries by their version and by the record as it is', async (store, _, database) => {
    await addPolicyTag(database(), store.area, TAG);
    await store.write([named('ex:a', 'x'), named('ex:b', 'x'), named('ex:c', 'y')], BY);
    await store.write([named('ex:a', 'y'), named('ex:c', 'x')], BY);
    await store.write([{ delete: 'https://example.org/b' }], BY);
    const entries = await store.as(seeing(['x'])).entries({ limit: 2 });
    assert.deepEqual(
      [
        ...entries,
        ...(await store.as(seeing(['x'])).entries({ limit: 9, after: entries.at(-1)!.revision })),
      ].map(({ pid, kind }) => `${kind} ${pid}`),
      ['put ex:b', 'put ex:c', 'delete ex:b'],
    );
  });
}

/** Asserts that every read of a store shows these records, in order, and no other. */
async function showsOnly(store: RecordStore, wanted: string[]): Promise<void> {
  const iris = (await all(store)).map(({ iri }) => iri);
  assert.deepEqual(pids(await all(store)), wanted);
  assert.equal(await store.count({}), wanted.length);
  assert.deepEqual(pids(await scanned(store)), wanted);
  assert.equal(await store.count({ matching: '%ex%:%' }, wanted.length), wanted.length);
  assert.ok(
    wanted.length === 0 || (await store.count({ matching: '%ex:%%' }, wanted.length - 1)) >= wanted.length,
  );
  assert.deepEqual(pids(await all(store, { matching: '%ex:%' })), wanted);
  assert.equal(await store.count({ matching: '%ex:%' }), wanted.length);
  assert.equal(await store.rank({}, '\u{10ffff}'), wanted.length);
  assert.deepEqual((await store.having(iris)).sort(), [...iris].sort());
  assert.equal((await store.present(iris)).length, wanted.length);
  const every = (await all(store.as(undefined))).map(({ iri }) => iri);
  assert.deepEqual(pids(await Array.fromAsync(store.records(every))).sort(), [...wanted].sort());
  const last = wanted.at(-1);
  if (last !== undefined) assert.equal(await store.rank({}, last), wanted.length - 1);
  if (iris[0] !== undefined) assert.equal((await store.get(iris[0]))?.pid, wanted[0]);
}
