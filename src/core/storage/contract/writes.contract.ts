/** Transactions, expectations, and writers at the same time. */
import assert from 'node:assert/strict';
import { all, BY, type Case, expand, pids, put, record, refuses, type Subject } from './subject.ts';

export function writeContract(it: Case, subject: Subject): void {
  it('does nothing for no changes', async (store) => {
    assert.deepEqual(await store.write([], BY), []);
    assert.equal(await store.revision(), 0);
  });

  it('makes many changes in one go', async (store) => {
    const results = await store.write(
      Array.from({ length: 100 }, (_, i) => put(`ex:${i}`)),
      BY,
    );
    assert.equal(results.length, 100);
    assert.equal(await store.count({}), 100);
  });

  it('makes a long write in one transaction, while reads go on', async (store) => {
    await store.write([put('ex:0', 'Person', { name: 'before' })], BY);
    const changes = Array.from({ length: 600 }, (_, i) => put(`ex:${i}`, 'Robot', { name: `robot ${i}` }));
    let reads = 0;
    const seen = new Set<number>();
    let isWritten = false;
    const written = store.write(changes, BY).finally(() => {
      isWritten = true;
    });
    while (!isWritten) {
      seen.add(await store.count({}));
      await new Promise((turn) => setImmediate(turn));
      reads++;
    }
    const results = await written;
    assert.equal(results.length, 600);
    assert.equal(results.at(-1), await store.revision());
    seen.delete(600);
    assert.deepEqual([...seen], [1], 'a part of the write was visible');
    assert.ok(reads > 3);
    assert.equal(await store.count({}), 600);
    assert.deepEqual(pids(await all(store)), changes.map((one) => ('put' in one ? one.put.pid : '')).sort());
  });

  it('assumes rows that are rare to be none, and reads them if there are some', async (store, _, database) => {
    const attempts: number[] = [];
    const writeBesides = (pid: string) =>
      database().transact(async (draft) => {
        const sql = 'SELECT pid FROM accession_record WHERE area = $1';
        attempts.push((await draft.rareRows(sql, [store.area.id])).length);
        await draft.write(store.area, [put(pid)], BY);
      });
    await writeBesides('ex:a');
    await writeBesides('ex:b');
    assert.deepEqual(attempts, [0, 0, 1]);
    assert.deepEqual(pids(await all(store)), ['ex:a', 'ex:b']);
  });

  it('announces areas whose records change, not those whose indexes follow', async (store, _, database) => {
    const announced: string[] = [];
    const end = database().onChange((areas) => {
      announced.push(...(areas === 'unknown' ? [areas] : areas));
    });
    const other = await database().area('other/curated');
    await database().transact(async (draft) => {
      draft.derive(store.area, { of: 'texts', span: { from: 1, to: 1 } });
      await draft.write(other.area, [put('ex:a')], BY);
    });
    await database().transact(async (draft) =>
      draft.derive(store.area, { of: 'texts', span: { from: 1, to: 1 } }),
    );
    end();
    // Cases share a database: changes of a case before this one may be announced late.
    assert.ok(announced.includes('other/curated'));
    assert.ok(!announced.includes(store.area.path));
  });

  it('returns the revision of another area at the commit', async (store, _, database) => {
    const other = await database().area('other/curated');
    await other.write([put('ex:a'), put('ex:b')], BY);
    const [written, read] = await database().transact(async (draft) => [
      await draft.write(store.area, [put('ex:a')], BY),
      draft.revisionOf(other.area),
    ]);
    assert.deepEqual([written?.revisions, read?.revisions], [[1], [2]]);
  });

  it('carries out thousands of statements in order between writes, or none', async (store, _, database) => {
    const add = 'INSERT INTO accession_meta (key, value) VALUES ($1, $2)';
    const raise = "UPDATE accession_meta SET value = value || '.' WHERE key = 'dots'";
    const make = (isRefused: boolean) =>
      database().transact(async (draft) => {
        draft.run(add, ['dots', '']);
        const written = await draft.write(store.area, [put('ex:a'), put('ex:b')], BY);
        draft.run(add, ['revision', written.revision(1)]);
        const raised = Array.from({ length: 2500 }, () => draft.run(raise));
        if (isRefused) draft.run(add, ['dots', 'again']);
        const removed = draft.run(
          "DELETE FROM accession_meta WHERE key IN ('dots', 'revision') AND value <> ''",
        );
        return [...raised.slice(-1), removed, draft.revisionOf(store.area)];
      });
    await assert.rejects(make(true), ({ cause }) => /unique|duplicate/i.test(String(cause)));
    assert.equal(await store.revision(), 0);
    assert.deepEqual(
      (await make(false)).map(({ revisions }) => revisions),
      [[1], [2], [2]],
    );
  });

  it('refuses a value of another kind than its column', async (store, _, database) => {
    await store.write([put('ex:a')], BY);
    await assert.rejects(
      database().transact(async (draft) => {
        draft.run('UPDATE accession_area SET changed = $1', [1.5]);
      }),
    );
    assert.equal(await store.revision(), 1);
    await store.write([put('ex:b')], BY);
  });

  it('takes a long write back as a whole, and reports why', async (store) => {
    await store.write([put('ex:old', 'Person', { name: 'before' })], BY);
    const changes = Array.from({ length: 600 }, (_, i) => put(`ex:${i}`));
    await refuses(store.write([...changes, { delete: 'https://no.one/' }], BY), 'record_missing');
    const expecting = { ...put('ex:old', 'Robot'), expect: { absent: true } } as const;
    await refuses(store.write([...changes, expecting], BY), 'precondition_failed');
    assert.deepEqual(pids(await all(store)), ['ex:old']);
    assert.equal(await store.revision(), 1);
  });

  it('keeps a record of several megabytes, and the writes around it in order', async (store) => {
    const long = (n: number) => put('ex:long', 'Person', { name: `${n} ${'é x'.repeat(500_000)}` });
    const writes = [long(1), put('ex:long', 'Person', { name: 'short' }), long(2), long(3)];
    const results = await Promise.all(writes.map((change) => store.write([change], BY)));
    assert.deepEqual(
      results.map(([revision]) => revision),
      [1, 2, 3, 4],
    );
    assert.match((await store.get('https://example.org/long'))?.json ?? '', /"name":"3 é x/);
  });

  it('applies the changes of a write in order', async (store) => {
    await store.write(
      [
        put('ex:a', 'Person'),
        { delete: 'https://example.org/a' },
        put('ex:a', 'Robot'),
        put('ex:a', 'Comet'),
      ],
      BY,
    );
    assert.deepEqual(
      (await all(store)).map(({ className }) => className),
      ['Comet'],
    );
  });

  it('takes everything back when a late change fails', async (store) => {
    await store.write([put('ex:old', 'Person', { name: 'before' }), put('ex:gone')], BY);
    const write = store.write(
      [
        put('ex:new'),
        put('ex:old', 'Robot', { name: 'after' }),
        { delete: 'https://example.org/gone' },
        { delete: 'https://example.org/nobody' },
      ],
      BY,
    );
    await refuses(write, 'record_missing');
    assert.deepEqual(pids(await all(store)), ['ex:gone', 'ex:old']);
    assert.match((await store.get('https://example.org/old'))?.json ?? '', /before/);
    assert.equal(await store.count({ classes: ['Robot'] }), 0);
  });

  it('has nothing of a failed write after reopening', async (store, reopen) => {
    await store.write([put('ex:old', 'Person', { name: 'before' })], BY);
    await refuses(
      store.write([put('ex:new'), put('ex:old', 'Robot'), { delete: 'https://no.one/' }], BY),
      'record_missing',
    );
    const again = await reopen();
    assert.deepEqual(pids(await all(again)), ['ex:old']);
    assert.match((await again.get('https://example.org/old'))?.json ?? '', /before/);
  });

  it('creates only what is absent, where that is expected', async (store) => {
    const change = { put: record('ex:a'), expect: { absent: true as const } };
    await store.write([change], BY);
    await refuses(store.write([change], BY), 'precondition_failed');
  });

  it('replaces only what is present, where that is expected', async (store) => {
    const change = { put: record('ex:a'), expect: { present: true as const } };
    await refuses(store.write([change], BY), 'precondition_failed');
    await store.write([put('ex:a')], BY);
    await store.write([change], BY);
    assert.equal(await store.revision(), 2);
  });

  it('compares and swaps by revision', async (store) => {
    await store.write([put('ex:a')], BY);
    await store.write([{ put: record('ex:a', 'Robot'), expect: { revisions: [1] } }], BY);
    await refuses(
      store.write([{ put: record('ex:a', 'Comet'), expect: { revisions: [1] } }], BY),
      'precondition_failed',
    );
    await store.write([{ put: record('ex:a', 'Comet'), expect: { revisions: [1, 2] } }], BY);
    assert.equal((await store.get('https://example.org/a'))?.className, 'Comet');
  });

  it('fails a comparison with a record that is absent', async (store) => {
    await refuses(
      store.write([{ put: record('ex:a'), expect: { revisions: [0] } }], BY),
      'precondition_failed',
    );
  });

  it('compares before it deletes', async (store) => {
    await store.write([put('ex:a')], BY);
    const iri = 'https://example.org/a';
    await refuses(store.write([{ delete: iri, expect: { revisions: [7] } }], BY), 'precondition_failed');
    await store.write([{ delete: iri, expect: { revisions: [1] } }], BY);
    await refuses(store.write([{ delete: iri, expect: { present: true } }], BY), 'precondition_failed');
  });

  it('takes the whole write back when one expectation fails', async (store) => {
    const write = store.write([put('ex:a'), { put: record('ex:b'), expect: { present: true } }], BY);
    await refuses(write, 'precondition_failed');
    assert.equal(await store.count({}), 0);
  });

  it('lets one of many win who expect the same', async (store) => {
    await store.write([put('ex:a')], BY);
    const writes = Array.from({ length: 20 }, (_, i) =>
      store.write([{ put: record('ex:a', 'Person', { i }), expect: { revisions: [1] } }], BY),
    );
    const outcomes = await Promise.allSettled(writes);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(await store.revision(), 2);
  });

  it('takes concurrent writes one after the other', async (store) => {
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, i) => store.write([put(`ex:${i % 50}`)], BY)),
    );
    const revisions = results.map(([revision]) => revision);
    assert.equal(new Set(revisions).size, 200);
    assert.equal(await store.count({}), 50);
    assert.equal(await store.revision(), 200);
  });

  it('lets good writes pass beside bad ones that come at the same time', async (store) => {
    const outcomes = await Promise.allSettled([
      store.write([put('ex:a')], BY),
      store.write([put('ex:x'), { delete: 'https://no.one/' }], BY),
      store.write([put('ex:b')], BY),
      store.write([{ put: record('ex:a'), expect: { absent: true } }], BY),
      store.write([put('ex:c')], BY),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status === 'fulfilled'),
      [true, false, true, false, true],
    );
    assert.deepEqual(pids(await all(store)), ['ex:a', 'ex:b', 'ex:c']);
  });

  it('shows a write to every read that starts after it', async (store) => {
    for (let i = 0; i < 20; i++) {
      await store.write([put(`ex:${i}`)], BY);
      assert.equal(await store.count({}), i + 1);
      assert.ok(await store.get(`https://example.org/${i}`));
      assert.equal((await all(store)).length, i + 1);
    }
  });

  it('finishes writes in progress when it is closed', async (store, reopen) => {
    const writes = Array.from({ length: 20 }, (_, i) => store.write([put(`ex:${i}`)], BY));
    const again = await reopen();
    await Promise.all(writes);
    assert.equal(await again.count({}), 20);
  });

  it('has one object for an area', async (store, _reopen, database) => {
    assert.equal(await database().area('area'), store);
    assert.equal(await database().existingArea('area'), store);
    assert.equal(await database().existingArea('other'), undefined);
  });

  it('keeps areas apart', async (store, _reopen, database) => {
    const zone = await database().area('zones/a');
    await store.write([put('ex:a'), put('ex:b')], BY);
    await zone.write([put('ex:a', 'Robot')], BY);
    assert.equal((await store.get('https://example.org/a'))?.className, 'Person');
    assert.deepEqual(pids(await all(zone)), ['ex:a']);
    await zone.write([{ delete: 'https://example.org/a' }], BY);
    assert.equal(await store.count({}), 2);
    const below = await database().areasBelow('zones');
    assert.deepEqual(
      below.map(({ path, revision, records }) => [path, revision, records]),
      [['zones/a', 2, 0]],
    );
  });

  const tooLong = subject.longestPid < 4003 ? `this database takes ${subject.longestPid} bytes` : false;
  it(
    'takes pids of four thousand bytes',
    async (store, reopen) => {
      const names = [
        `ex:${'x'.repeat(4000)}`,
        `ex:${'ü'.repeat(2000)}`,
        `ex:${'x'.repeat(3999)}y`,
        `ex:${'😀'.repeat(1000)}`,
      ];
      await store.write(
        names.map((name) => put(name)),
        BY,
      );
      const again = await reopen();
      assert.equal(await again.count({}), 4);
      for (const name of names) assert.equal((await again.get(expand(name)!))?.pid, name);
    },
    { skip: tooLong },
  );

  it(
    'refuses a pid that is too long for its database',
    async (store) => {
      await refuses(
        store.write([put('ex:a'), put(`ex:${'x'.repeat(subject.longestPid)}`)], BY),
        'record_invalid',
      );
      assert.equal(await store.count({}), 0);
    },
    { skip: tooLong ? false : 'this database takes pids of any length' },
  );

  it('keeps pids apart that end alike or look alike', async (store, reopen) => {
    const names = [
      'ex:a',
      'https://other.example/x:a',
      'ex:A',
      'ex:a.b',
      'ex:a_b',
      'ex:a/b',
      'ex:a_db',
      'ex:..',
      'ex:',
      'ex:a%2Fb',
    ];
    await store.write(
      names.map((name) => put(name)),
      BY,
    );
    const again = await reopen();
    assert.deepEqual(new Set(pids(await all(again))), new Set(names));
    for (const name of names) {
      await again.write([put(name, 'Robot')], BY);
      assert.equal((await again.get(expand(name)!))?.className, 'Robot');
    }
  });

  it('sorts nothing into other folders than its own, whatever the pid', async (store, reopen) => {
    const names = [
      'ex:../../etc/passwd',
      'ex:..%2F..',
      'ex:a\\b',
      'ex:a:../b',
      "ex:'; DROP TABLE thing; --",
      'ex:\u202e',
    ];
    await store.write(
      names.map((name) => put(name)),
      BY,
    );
    const again = await reopen();
    assert.deepEqual(new Set(pids(await all(again))), new Set(names));
  });
}
