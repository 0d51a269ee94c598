/** What people and git do to a record directory, and what the store makes of it. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openStore } from '../backends.ts';
import { all, BY, expand, pids, put, schemaTypeOf } from '../contract/subject.ts';
import type { RecordStore } from '../store.ts';

/** How long the store may take to notice, by the promise in `docs/storage.md`; tests on a busy machine wait longer. */
const PATIENCE = 10_000;

type Setting = {
  store: RecordStore;
  directory: string;
  write(path: string, content: string | Buffer): void;
  reopen(): Promise<RecordStore>;
};

function outside(sentence: string, run: (setting: Setting) => Promise<void>): void {
  test(sentence, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'accession-outside-'));
    const open = () =>
      openStore({ type: 'record_dir', mapping_method: 'digest-md5' }, directory, { expand, schemaTypeOf });
    const store = await open();
    const opened = [store];
    try {
      await run({
        store,
        directory,
        write: (path, content) => {
          mkdirSync(dirname(join(directory, path)), { recursive: true });
          writeFileSync(join(directory, path), content);
        },
        reopen: async () => {
          for (const each of opened) await each.close();
          const again = await open();
          opened.push(again);
          return again;
        },
      });
    } finally {
      for (const each of opened) await each.close();
      rmSync(directory, { recursive: true });
    }
  });
}

/** Waits until a condition holds, and fails when it does not come to hold. */
async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!(await condition())) {
    assert.ok(Date.now() < end, `not noticed: ${what}`);
    await wait(50);
  }
}

const jane = 'name: Jane\npid: ex:jane\n';
const iri = 'https://example.org/jane';

outside('a file that is added is noticed', async ({ store, write }) => {
  write('Person/jane.yaml', jane);
  await until(async () => (await store.count({})) === 1, 'the new file');
  assert.equal((await store.get(iri))?.json, '{"name":"Jane","pid":"ex:jane","schema_type":"ex:Person"}');
});

outside('a file in a folder below a new class folder is noticed', async ({ store, write }) => {
  write('Robot/one/two/jane.yaml', jane);
  await until(async () => (await store.get(iri))?.className === 'Robot', 'the new folder');
  write('Robot/one/joe.yaml', 'pid: ex:joe\n');
  await until(async () => (await store.count({})) === 2, 'a file in a folder that was new');
});

outside(
  'a file that is edited in place is noticed, as a change with a revision',
  async ({ store, directory, write }) => {
    await store.write([put('ex:jane', 'Person', { name: 'Jane' })], BY);
    const [path = ''] = readdirSync(join(directory, 'Person'));
    write(
      `Person/${path}`,
      `# by hand\n${readFileSync(join(directory, 'Person', path), 'utf8').replace('Jane', 'Janet')}`,
    );
    await until(async () => (await store.get(iri))?.json.includes('Janet') ?? false, 'the edit');
    assert.equal((await store.get(iri))?.revision, 2);
  },
);

outside(
  'a file that is replaced by renaming, as editors and git do, is noticed',
  async ({ store, directory, write }) => {
    write('Person/jane.yaml', jane);
    await until(async () => (await store.count({})) === 1, 'the file');
    write('other.txt', jane.replace('Jane', 'Janet'));
    renameSync(join(directory, 'other.txt'), join(directory, 'Person/jane.yaml'));
    await until(async () => (await store.get(iri))?.json.includes('Janet') ?? false, 'the replacement');
  },
);

outside('a file that is removed is noticed, and leaves a tombstone', async ({ store, directory, write }) => {
  write('Person/jane.yaml', jane);
  await until(async () => (await store.count({})) === 1, 'the file');
  rmSync(join(directory, 'Person/jane.yaml'));
  await until(async () => (await store.count({})) === 0, 'the removal');
  assert.deepEqual(await store.changesSince(1, 10), [{ kind: 'delete', iri, pid: 'ex:jane', revision: 2 }]);
});

outside('a folder that is removed takes its records with it', async ({ store, directory, write }) => {
  write('Person/a/jane.yaml', jane);
  write('Person/joe.yaml', 'pid: ex:joe\n');
  await until(async () => (await store.count({})) === 2, 'the files');
  rmSync(join(directory, 'Person'), { recursive: true });
  await until(async () => (await store.count({})) === 0, 'the removal of the folder');
});

outside('folders that go and come back are watched again', async ({ store, directory, write }) => {
  for (let round = 0; round < 3; round++) {
    write('Person/a/jane.yaml', jane);
    await until(async () => (await store.count({})) === 1, `the file of round ${round}`);
    rmSync(join(directory, 'Person'), { recursive: true });
    if (round < 2) write('Person/a/joe.yaml', 'pid: ex:joe\n');
    const expected = round < 2 ? 'ex:joe' : '';
    await until(async () => pids(await all(store)).join() === expected, `the change of round ${round}`);
    rmSync(join(directory, 'Person'), { recursive: true, force: true });
    await until(async () => (await store.count({})) === 0, `the removal of round ${round}`);
  }
});

outside(
  'a file that is moved to another class changes the class of its record',
  async ({ store, directory, write }) => {
    write('Person/jane.yaml', jane);
    await until(async () => (await store.count({})) === 1, 'the file');
    mkdirSync(join(directory, 'Robot'));
    renameSync(join(directory, 'Person/jane.yaml'), join(directory, 'Robot/jane.yaml'));
    await until(async () => (await store.get(iri))?.className === 'Robot', 'the move');
    assert.equal(await store.count({}), 1);
  },
);

outside(
  'everything that changed while the store was closed is noticed at its opening',
  async ({ store, directory, write, reopen }) => {
    await store.write([put('ex:a'), put('ex:b'), put('ex:c', 'Person', { n: 1 })], BY);
    await store.close();
    for (const name of readdirSync(join(directory, 'Person'))) {
      const path = join(directory, 'Person', name);
      const text = readFileSync(path, 'utf8');
      if (text.includes('ex:a')) rmSync(path);
      if (text.includes('ex:c')) writeFileSync(path, text.replace('n: 1', 'n: 2'));
    }
    write('Robot/jane.yaml', jane);
    const again = await reopen();
    assert.deepEqual(pids(await all(again)), ['ex:b', 'ex:c', 'ex:jane']);
    assert.match((await again.get('https://example.org/c'))?.json ?? '', /"n":2/);
    assert.equal((await again.changesSince(3, 10)).length, 3);
  },
);

outside(
  'nothing is read again and no revision is raised where nothing has changed',
  async ({ store, reopen }) => {
    await store.write([put('ex:a'), put('ex:b')], BY);
    const again = await reopen();
    assert.equal(await again.revision(), 2);
  },
);

outside('a lost index is made anew', async ({ store, directory, reopen }) => {
  await store.write([put('ex:a'), put('ex:b', 'Robot')], BY);
  await store.close();
  rmSync(join(directory, '.accession'), { recursive: true });
  assert.deepEqual(pids(await all(await reopen())), ['ex:a', 'ex:b']);
});

outside('a damaged index is made anew', async ({ store, directory, reopen }) => {
  await store.write([put('ex:a'), put('ex:b', 'Robot')], BY);
  await store.close();
  writeFileSync(join(directory, '.accession/area.db'), 'no database '.repeat(1000));
  assert.deepEqual(pids(await all(await reopen())), ['ex:a', 'ex:b']);
});

outside(
  'a broken file is a fault, hides no other record, and is served when it is mended',
  async ({ store, write }) => {
    write('Person/broken.yaml', 'pid: ex:broken\nname: [unclosed\n');
    write('Person/jane.yaml', jane);
    await until(async () => (await store.faults()).length === 1, 'the fault');
    await until(async () => (await store.count({})) === 1, 'the good file');
    const [fault] = await store.faults();
    assert.equal(fault?.path, 'Person/broken.yaml');
    write('Person/broken.yaml', 'pid: ex:broken\nname: [closed]\n');
    await until(async () => (await store.faults()).length === 0, 'the mending');
    assert.equal(await store.count({}), 2);
  },
);

outside('a record whose file breaks is not served until the file is mended', async ({ store, write }) => {
  write('Person/jane.yaml', jane);
  await until(async () => (await store.count({})) === 1, 'the file');
  write('Person/jane.yaml', '- no\n- mapping\n');
  await until(async () => (await store.faults()).length === 1, 'the fault');
  assert.equal(await store.get(iri), undefined);
});

const FAULTY: [path: string, content: string | Buffer, reason: RegExp][] = [
  ['Person/a.yaml', '', /no mapping/],
  ['Person/a.yaml', 'name: Jane\n', /no 'pid'/],
  ['Person/a.yaml', 'pid: 12\n', /not a string/],
  ['Person/a.yaml', 'pid: foo:bar\n', /prefix/],
  ['loose.yaml', jane, /no folder/],
  ['unknown/a.yaml', jane, /no class/],
  ['Person/a.yaml', Buffer.from('pid: ex:a\nname: Jörg\n', 'latin1'), /not UTF-8/],
  ['Person/a.yaml', 'pid: ex:a\nweight: .nan\n', /./],
  ['Person/a.yaml', 'pid: ex:a\nwhen: 2024-13-45\n', /./],
  ['Person/a.yaml', 'pid: ex:a\nx: !!python/object:os.system y\n', /./],
];

for (const [path, content, reason] of FAULTY) {
  outside(
    `a file ${path} with ${JSON.stringify(String(content))} is a fault with a reason`,
    async ({ write, reopen, store }) => {
      await store.close();
      write(path, content);
      const again = await reopen();
      const faults = await again.faults();
      assert.equal(faults[0]?.path, path);
      assert.match(faults[0]?.message ?? '', reason);
      assert.equal(await again.count({}), 0);
    },
  );
}

outside(
  'faults are kept while the store is closed, and gone with their file',
  async ({ store, directory, write, reopen }) => {
    write('Person/broken.yaml', 'a: b: c\n');
    await until(async () => (await store.faults()).length === 1, 'the fault');
    assert.equal((await (await reopen()).faults()).length, 1);
    rmSync(join(directory, 'Person/broken.yaml'));
    assert.deepEqual(await (await reopen()).faults(), []);
  },
);

outside(
  'of two files with one record the second is a fault, and stands in when the first goes',
  async ({ store, directory, write }) => {
    write('Person/first.yaml', jane);
    await until(async () => (await store.count({})) === 1, 'the first file');
    write('Person/second.yaml', jane.replace('Jane', 'Second'));
    await until(async () => (await store.faults()).length === 1, 'the fault');
    assert.match((await store.faults())[0]?.message ?? '', /first\.yaml/);
    rmSync(join(directory, 'Person/first.yaml'));
    await until(async () => (await store.get(iri))?.json.includes('Second') ?? false, 'the second file');
    assert.deepEqual(await store.faults(), []);
  },
);

outside(
  'a record that lies under a name of somebody else is written to its own name',
  async ({ store, directory, write }) => {
    write('Person/jane.yaml', jane);
    await until(async () => (await store.count({})) === 1, 'the file');
    await store.write([put('ex:jane', 'Person', { name: 'Janet' })], BY);
    assert.ok(!existsSync(join(directory, 'Person/jane.yaml')));
    assert.equal(readdirSync(join(directory, 'Person')).length, 1);
    await wait(700);
    assert.match((await store.get(iri))?.json ?? '', /Janet/);
  },
);

outside(
  'hidden folders and files of other kinds are none of its business',
  async ({ store, write, reopen }) => {
    await store.close();
    write('.git/config.yaml', jane);
    write('Person/.hidden/jane.yaml', jane);
    write('Person/notes.txt', 'x');
    write('README.md', 'x');
    const again = await reopen();
    assert.equal(await again.count({}), 0);
    assert.deepEqual(await again.faults(), []);
  },
);

outside('git is told to leave the folder of the index out', async ({ directory }) => {
  assert.equal(readFileSync(join(directory, '.accession/.gitignore'), 'utf8'), '*\n');
});

outside(
  'the index of the peer is taken away, since it would be wrong',
  async ({ directory, write, store, reopen }) => {
    await store.close();
    write('.directory_dir_index.db', 'x');
    await reopen();
    assert.ok(!existsSync(join(directory, '.directory_dir_index.db')));
  },
);

outside('own writes are not taken for changes from outside', async ({ store }) => {
  for (let i = 0; i < 20; i++) await store.write([put(`ex:${i % 5}`, i % 2 ? 'Person' : 'Robot', { i })], BY);
  await wait(900);
  assert.equal(await store.revision(), 20);
});
