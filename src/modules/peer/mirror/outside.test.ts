/** Edits of a record directory by people and git, and how the mirror adopts them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../../../test/support/eventually.ts';
import { filesOf } from '../../../../test/support/record-directory.ts';
import { filePath } from '../../../core/formats/record-path.ts';
import { all, BY, pids, put, refuses } from '../../../core/storage/contract/subject.ts';
import { assertMirrored, type Mirrored, withMirror } from './mirrored.support.ts';

const jane = 'name: Jane\npid: ex:jane\n';
const iri = 'https://example.org/jane';
const pathOf = (pid: string, className = 'Person') => filePath('digest-md5', className, pid);

const textOf = async ({ store }: Mirrored, of = iri) => (await store.get(of))?.json;

withMirror('a file that is added is adopted, without an author', async (subject) => {
  const { store, write } = subject;
  write('Person/jane.yaml', jane);
  await eventually('the new file', async () => (await store.count({})) === 1);
  assert.equal(await textOf(subject), '{"name":"Jane","pid":"ex:jane","schema_type":"ex:Person"}');
  const [entry] = await store.entries({ limit: 10 });
  assert.deepEqual([entry?.kind, entry?.committer, entry?.author, entry?.role], ['put', null, null, null]);
});

withMirror('a file in a folder below a new class folder is noticed', async ({ store, write }) => {
  write('Robot/one/two/jane.yaml', jane);
  await eventually('the new folder', async () => (await store.get(iri))?.className === 'Robot');
  write('Robot/one/joe.yaml', 'pid: ex:joe\n');
  await eventually('a file in a folder that was new', async () => (await store.count({})) === 2);
});

withMirror('a file that is edited in place is adopted, and stays as it was written', async (subject) => {
  const { store, write, read } = subject;
  await store.write([put('ex:jane', 'Person', { name: 'Jane' })], BY);
  const text = `# by hand\n${read(pathOf('ex:jane')).replace('Jane', 'Janet')}`;
  write(pathOf('ex:jane'), text);
  await eventually('the edit', async () => (await textOf(subject))?.includes('Janet') ?? false);
  assert.equal(await store.revision(), 2);
  await subject.reopen();
  assert.equal(read(pathOf('ex:jane')), text);
  assert.equal(await subject.store.revision(), 2);
});

withMirror('a file that says the same in other words is no change', async (subject) => {
  const { store, write, mirror } = subject;
  await store.write([put('ex:jane', 'Person', { name: 'Jane' })], BY);
  write(pathOf('ex:jane'), '{"pid": "ex:jane", "name": "Jane"} # the same\n');
  await mirror.compareAll();
  assert.equal(await store.revision(), 1);
  await store.write([put('ex:jane', 'Person', { name: 'Janet' })], BY);
  await assertMirrored(subject);
});

withMirror('a file that is replaced by renaming, as editors and git do, is noticed', async (subject) => {
  const { store, write, directory } = subject;
  write('Person/jane.yaml', jane);
  await eventually('the file', async () => (await store.count({})) === 1);
  write('other.txt', jane.replace('Jane', 'Janet'));
  renameSync(join(directory, 'other.txt'), join(directory, 'Person/jane.yaml'));
  await eventually('the replacement', async () => (await textOf(subject))?.includes('Janet') ?? false);
});

withMirror('a file that is removed is noticed, and leaves an entry', async ({ store, directory, write }) => {
  write('Person/jane.yaml', jane);
  await eventually('the file', async () => (await store.count({})) === 1);
  rmSync(join(directory, 'Person/jane.yaml'));
  await eventually('the removal', async () => (await store.count({})) === 0);
  const [last] = await store.entries({ after: 1, limit: 10 });
  assert.deepEqual([last?.kind, last?.iri, last?.revision], ['delete', iri, 2]);
});

withMirror('a folder that is removed takes its records with it', async ({ store, directory, write }) => {
  write('Person/a/jane.yaml', jane);
  write('Person/joe.yaml', 'pid: ex:joe\n');
  await eventually('the files', async () => (await store.count({})) === 2);
  rmSync(join(directory, 'Person'), { recursive: true });
  await eventually('the removal of the folder', async () => (await store.count({})) === 0);
});

withMirror('folders that go and come back are watched again', async ({ store, directory, write }) => {
  for (let round = 0; round < 3; round++) {
    write('Person/a/jane.yaml', jane);
    await eventually(`the file of round ${round}`, async () => (await store.count({})) === 1);
    rmSync(join(directory, 'Person'), { recursive: true });
    if (round < 2) write('Person/a/joe.yaml', 'pid: ex:joe\n');
    const expected = round < 2 ? 'ex:joe' : '';
    await eventually(`the change of round ${round}`, async () => pids(await all(store)).join() === expected);
    rmSync(join(directory, 'Person'), { recursive: true, force: true });
    await eventually(`the removal of round ${round}`, async () => (await store.count({})) === 0);
  }
});

withMirror('a file that is moved to another class changes the class of its record', async (subject) => {
  const { store, mirror, directory, write } = subject;
  write('Person/jane.yaml', jane);
  await eventually('the file', async () => (await store.count({})) === 1);
  mkdirSync(join(directory, 'Robot'));
  renameSync(join(directory, 'Person/jane.yaml'), join(directory, 'Robot/jane.yaml'));
  await eventually('the move', async () => (await store.get(iri))?.className === 'Robot');
  assert.equal(await store.count({}), 1);
  assert.deepEqual(await mirror.faults(), []);
});

withMirror('files that swap their names are known again', async (subject) => {
  const { store, mirror, directory } = subject;
  await store.write([put('ex:a', 'Person', { n: 1 }), put('ex:b', 'Person', { n: 2 })], BY);
  const [a, b] = [pathOf('ex:a'), pathOf('ex:b')].map((path) => join(directory, path));
  renameSync(a!, join(directory, 'x'));
  renameSync(b!, a!);
  renameSync(join(directory, 'x'), b!);
  await mirror.compareAll();
  assert.deepEqual(pids(await all(store)), ['ex:a', 'ex:b']);
  assert.deepEqual(await mirror.faults(), []);
});

withMirror(
  'everything that changed while the service was stopped is noticed at the start',
  async (subject) => {
    const { store, directory, write, read } = subject;
    await store.write([put('ex:a'), put('ex:b'), put('ex:c', 'Person', { n: 1 })], BY);
    await subject.close();
    rmSync(join(directory, pathOf('ex:a')));
    write(pathOf('ex:c'), read(pathOf('ex:c')).replace('n: 1', 'n: 2'));
    write('Robot/jane.yaml', jane);
    await subject.reopen();
    assert.deepEqual(pids(await all(subject.store)), ['ex:b', 'ex:c', 'ex:jane']);
    assert.match((await textOf(subject, 'https://example.org/c')) ?? '', /"n":2/);
    assert.equal((await subject.store.entries({ after: 3, lastOnly: true, limit: 10 })).length, 3);
  },
);

withMirror('nothing is adopted where nothing has changed, also in a copy of the files', async (subject) => {
  const { store, directory } = subject;
  await store.write([put('ex:a'), put('ex:b')], BY);
  await subject.reopen();
  assert.equal(await subject.store.revision(), 2);
  await subject.close();
  cpSync(directory, `${directory}-copy`, { recursive: true });
  rmSync(directory, { recursive: true });
  renameSync(`${directory}-copy`, directory);
  await subject.reopen();
  assert.equal(await subject.store.revision(), 2);
  assert.deepEqual(await subject.mirror.faults(), []);
});

withMirror('a directory that was lost is written again, and no record is deleted', async (subject) => {
  const { store, directory, mirror } = subject;
  await store.write([put('ex:a'), put('ex:b', 'Robot')], BY);
  await mirror.settle();
  const before = filesOf(directory);
  rmSync(directory, { recursive: true });
  await mirror.compareAll();
  assert.deepEqual(filesOf(directory), before);
  await subject.close();
  rmSync(directory, { recursive: true });
  await subject.reopen();
  assert.deepEqual(filesOf(directory), before);
  await subject.close();
  rmSync(directory, { recursive: true });
  mkdirSync(join(directory, 'Person'), { recursive: true });
  await subject.reopen();
  assert.deepEqual(filesOf(directory), before);
  assert.equal(await subject.store.revision(), 2);
});

withMirror(
  'a broken file is a fault, hides no other record, and is adopted when it is mended',
  async (subject) => {
    const { store, write, mirror } = subject;
    write('Person/broken.yaml', 'pid: ex:broken\nname: [unclosed\n');
    write('Person/jane.yaml', jane);
    await eventually('the fault', async () => (await mirror.faults()).length === 1);
    await eventually('the fault', async () => (await mirror.faults()).length === 1);
    assert.equal((await mirror.faults())[0]?.path, 'Person/broken.yaml');
    assert.equal(await store.count({}), 1);
    write('Person/broken.yaml', 'pid: ex:broken\nname: [closed]\n');
    await eventually('the mending', async () => (await mirror.faults()).length === 0);
    assert.equal(await store.count({}), 2);
  },
);

withMirror(
  'a record whose file breaks stays as it was; what replaces the file keeps the broken text',
  async (subject) => {
    const { store, write, mirror, directory } = subject;
    await store.write([put('ex:jane', 'Person', { name: 'Jane' })], BY);
    write(pathOf('ex:jane'), '- no\n- mapping\n');
    await eventually('the fault', async () => (await mirror.faults()).length === 1);
    assert.match((await textOf(subject)) ?? '', /Jane/);
    await mirror.compareAll();
    assert.equal(subject.read(pathOf('ex:jane')), '- no\n- mapping\n');
    await store.write([put('ex:jane', 'Person', { name: 'Janet' })], BY);
    await assertMirrored(subject);
    assert.deepEqual(await mirror.faults(), []);
    const [kept] = readdirSync(join(directory, '.accession/replaced'));
    assert.equal(subject.read(`.accession/replaced/${kept}`), '- no\n- mapping\n');
  },
);

withMirror(
  'a record whose broken file is removed is deleted',
  async ({ store, write, mirror, directory }) => {
    await store.write([put('ex:jane')], BY);
    write(pathOf('ex:jane'), 'x');
    await eventually('the fault', async () => (await mirror.faults()).length === 1);
    rmSync(join(directory, pathOf('ex:jane')));
    await eventually('the removal', async () => (await store.count({})) === 0);
    await eventually('the end of the fault', async () => (await mirror.faults()).length === 0);
  },
);

const FAULTY: [path: string, content: string | Buffer, reason: RegExp][] = [
  ['Person/a.yaml', '', /no mapping/],
  ['Person/a.yaml', 'name: Jane\n', /no 'pid'/],
  ['Person/a.yaml', 'pid: 12\n', /not a string/],
  ['Person/a.yaml', 'pid: foo:bar\n', /prefix/],
  ['loose.yaml', jane, /no folder/],
  ['unknown/a.yaml', jane, /no class/],
  ['Person/a.yaml', Buffer.from('pid: ex:a\nname: Jörg\n', 'latin1'), /not UTF-8: line 2, column 8/],
  ['Person/a.yaml', 'pid: ex:a\nweight: .nan\n', /./],
  ['Person/a.yaml', 'pid: ex:a\nwhen: 2024-13-45\n', /./],
  ['Person/a.yaml', 'pid: ex:a\nx: !!python/object:os.system y\n', /./],
];

withMirror(
  'a file that does not fit is a fault with a reason',
  async ({ store, mirror, directory, write }) => {
    for (const [path, content, reason] of FAULTY) {
      const what = `${path} with ${JSON.stringify(String(content))}`;
      write(path, content);
      await mirror.compareAll();
      const faults = await mirror.faults();
      assert.deepEqual(
        faults.map((fault) => fault.path),
        [path],
        what,
      );
      assert.match(faults[0]!.message, reason, what);
      assert.equal(await store.count({}), 0, what);
      rmSync(join(directory, path));
      await mirror.compareAll();
      assert.deepEqual(await mirror.faults(), [], what);
    }
  },
);

withMirror('faults are kept while the service was stopped, and gone with their file', async (subject) => {
  subject.write('Person/broken.yaml', 'a: b: c\n');
  await eventually('the fault', async () => (await subject.mirror.faults()).length === 1);
  await subject.reopen();
  assert.equal((await subject.mirror.faults()).length, 1);
  rmSync(join(subject.directory, 'Person/broken.yaml'));
  await subject.reopen();
  assert.deepEqual(await subject.mirror.faults(), []);
});

withMirror(
  'of two files with one record the second is a fault, and stands in when the first goes',
  async (subject) => {
    const { store, directory, write, mirror } = subject;
    write('Person/first.yaml', jane);
    await eventually('the first file', async () => (await store.count({})) === 1);
    write('Person/second.yaml', jane.replace('Jane', 'Second'));
    await eventually('the fault', async () => (await mirror.faults()).length === 1);
    assert.match((await mirror.faults())[0]?.message ?? '', /first\.yaml/);
    rmSync(join(directory, 'Person/first.yaml'));
    await eventually('the second file', async () => (await textOf(subject))?.includes('Second') ?? false);
    await eventually('the end of the fault', async () => (await mirror.faults()).length === 0);
  },
);

withMirror('a record that lies under a name of somebody else is written to its own name', async (subject) => {
  const { store, directory, write, mirror } = subject;
  write('Person/jane.yaml', jane);
  await eventually('the file', async () => (await store.count({})) === 1);
  await store.write([put('ex:jane', 'Person', { name: 'Janet' })], BY);
  assert.ok(!existsSync(join(directory, 'Person/jane.yaml')));
  await assertMirrored(subject);
  await mirror.compareAll();
  assert.match((await textOf(subject)) ?? '', /Janet/);
  assert.equal(await store.revision(), 2);
});

withMirror('a change that the area refuses is a fault of its file alone', async (subject) => {
  const { write, store, mirror } = subject;
  subject.refused.add(iri);
  write('Person/jane.yaml', jane);
  write('Person/joe.yaml', 'pid: ex:joe\n');
  // Faults are kept when all files of a look are read.
  await eventually('a fault', async () => (await mirror.faults()).length > 0);
  assert.deepEqual(await mirror.faults(), [{ path: 'Person/jane.yaml', message: 'Refused.' }]);
  assert.equal(await store.count({}), 1);
});

withMirror('hidden folders and files of other kinds are none of its business', async (subject) => {
  const { write } = subject;
  await subject.close();
  write('.git/config.yaml', jane);
  write('Person/.hidden/jane.yaml', jane);
  write('Person/notes.txt', 'x');
  write('README.md', 'x');
  await subject.reopen();
  assert.equal(await subject.store.count({}), 0);
  assert.deepEqual(await subject.mirror.faults(), []);
});

withMirror('files of an area below this one are not its own', async (subject) => {
  const { write, store, mirror } = subject;
  write('incoming/zone/.dumpthings.yaml', 'type: records\n');
  write('incoming/zone/Person/jane.yaml', jane);
  await mirror.compareAll();
  assert.equal(await store.count({}), 0);
  assert.deepEqual(await mirror.faults(), []);
});

withMirror('own writes are not taken for changes from outside', async ({ store, mirror }) => {
  for (let i = 0; i < 20; i++) await store.write([put(`ex:${i % 5}`, i % 2 ? 'Person' : 'Robot', { i })], BY);
  await delay(900);
  await mirror.compareAll();
  assert.equal(await store.revision(), 20);
});

withMirror(
  'an edit that is not noticed yet comes before a write of the same record: both have entries',
  async (subject) => {
    const { store, write } = subject;
    await store.write([put('ex:jane', 'Person', { n: 1 })], BY);
    write(pathOf('ex:jane'), 'pid: ex:jane\nn: 2\n');
    await store.write([put('ex:jane', 'Person', { n: 3 })], BY);
    const texts = (await store.entries({ limit: 10 })).map(
      ({ json }) => (JSON.parse(json!) as { n: number }).n,
    );
    assert.deepEqual(texts, [1, 2, 3]);
    await assertMirrored(subject);
  },
);

withMirror('a write that rests on the state before an edit is refused', async (subject) => {
  const { store, write } = subject;
  await store.write([put('ex:jane', 'Person', { n: 1 })], BY);
  write(pathOf('ex:jane'), 'pid: ex:jane\nn: 2\n');
  const change = { ...put('ex:jane', 'Person', { n: 3 }), expect: { revisions: [1] } };
  await refuses(store.write([change], BY), 'precondition_failed');
  assert.match((await textOf(subject)) ?? '', /"n":2/);
  assert.equal(subject.read(pathOf('ex:jane')), 'pid: ex:jane\nn: 2\n');
});

withMirror(
  'edits and writes of one record at the same time all have entries, and the last one stands',
  async (subject) => {
    const { store, write, mirror } = subject;
    await store.write([put('ex:jane', 'Person', { n: -1 })], BY);
    let edits = 0;
    let isWriting = true;
    const editing = (async () => {
      for (let n = 1000; isWriting; n++, edits++) {
        write(pathOf('ex:jane'), `pid: ex:jane\nn: ${n}\n`);
        await delay(7);
      }
    })();
    for (let n = 0; n < 200; n++) await store.write([put('ex:jane', n % 2 ? 'Person' : 'Robot', { n })], BY);
    isWriting = false;
    await editing;
    await mirror.compareAll();
    const entries = await store.entries({ limit: 1000 });
    assert.equal(entries.filter(({ committer }) => committer !== null).length, 201);
    assert.ok(
      entries.some(({ committer }) => committer === null),
      `some of ${edits} edits are adopted`,
    );
    const found = [...filesOf(subject.directory)];
    const record = await store.get(iri);
    const stored = (JSON.parse(record!.json) as { n: number }).n;
    const faults = (await mirror.faults()).map(({ path }) => path);
    const own = found.filter(([path]) => !faults.includes(path));
    assert.equal(own.length, 1);
    assert.match(own[0]![1], new RegExp(`^n: ${stored}$`, 'm'));
  },
);

withMirror('a git checkout of many files is adopted', async (subject) => {
  const { store, directory, mirror, write } = subject;
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      stdio: 'pipe',
    });
  git('init', '-q', '-b', 'one');
  writeFileSync(join(directory, '.gitignore'), '.accession\n');
  for (let n = 0; n < 1000; n++) write(`Person/${n}.yaml`, `n: 1\npid: ex:${n}\n`);
  git('add', '.');
  git('commit', '-q', '-m', 'one');
  await eventually('the files', async () => (await store.count({})) === 1000);
  git('checkout', '-q', '-b', 'two');
  for (let n = 0; n < 1000; n += 2) write(`Person/${n}.yaml`, `n: 2\npid: ex:${n}\n`);
  git('rm', '-q', 'Person/1.yaml');
  git('commit', '-q', '-a', '-m', 'two');
  await eventually(
    'the commit',
    async () =>
      (await store.count({})) === 999 &&
      /"n":2/.test((await textOf(subject, 'https://example.org/998')) ?? ''),
  );
  git('checkout', '-q', 'one');
  await eventually(
    'the checkout',
    async () =>
      (await store.count({})) === 1000 &&
      /"n":1/.test((await textOf(subject, 'https://example.org/998')) ?? ''),
  );
  await mirror.compareAll();
  assert.deepEqual(await mirror.faults(), []);
  assert.equal(git('status', '--porcelain').toString(), '');
});
