/** Files follow what is written to an area. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesOf } from '../../../../test/support/record-directory.ts';
import { filePath } from '../../../core/formats/record-path.ts';
import { BY, put, refuses } from '../../../core/storage/contract/subject.ts';
import { assertMirrored, withMirror } from './mirrored.support.ts';

const pathOf = (pid: string, className = 'Person') => filePath('digest-md5', className, pid);
const iriOf = (name: string) => `https://example.org/${name}`;

withMirror('a record has its file when the write has returned', async ({ store, read, directory }) => {
  await store.write([put('ex:a', 'Person', { name: 'Jane' })], BY);
  assert.equal(read(pathOf('ex:a')), 'name: Jane\npid: ex:a\n');
  assert.equal(
    readFileSync(join(directory, '.dumpthings.yaml'), 'utf8'),
    '# RecordDir Config\ntype: records\nversion: 1\nschema: https://example.org/schema\nformat: yaml\nidfx: digest-md5\n',
  );
});

withMirror(
  'without the schema-type layer, files have the schema_type',
  async ({ store, read }) => {
    await store.write([put('ex:a')], BY);
    assert.equal(read(pathOf('ex:a')), 'pid: ex:a\nschema_type: ex:Person\n');
  },
  { typed: true },
);

withMirror(
  'a record that is replaced, moved to another class or deleted takes its file along',
  async (subject) => {
    const { store, directory } = subject;
    await store.write([put('ex:a', 'Person', { n: 1 }), put('ex:b')], BY);
    await store.write([put('ex:a', 'Person', { n: 2 })], BY);
    await assertMirrored(subject);
    await store.write([put('ex:a', 'Robot', { n: 3 }), { delete: iriOf('b') }], BY);
    await assertMirrored(subject);
    assert.deepEqual([...filesOf(directory).keys()], [pathOf('ex:a', 'Robot')]);
  },
);

withMirror('of changes of one record in one write, the last one has the file', async (subject) => {
  const { store } = subject;
  await store.write(
    [put('ex:a', 'Person', { n: 1 }), put('ex:a', 'Robot', { n: 2 }), put('ex:b'), { delete: iriOf('b') }],
    BY,
  );
  await assertMirrored(subject);
});

withMirror('a write that is refused leaves no file and no temporary one', async (subject) => {
  const { store } = subject;
  await store.write([put('ex:a')], BY);
  await refuses(
    store.write([put('ex:b'), { ...put('ex:a'), expect: { absent: true } }], BY),
    'precondition_failed',
  );
  await assertMirrored(subject);
});

withMirror('a class that cannot be a folder is refused before anything is written', async (subject) => {
  const { store } = subject;
  const change = { put: { pid: 'ex:a', iri: iriOf('a'), className: '../x', json: '{"pid":"ex:a"}' } };
  await refuses(store.write([put('ex:b'), change], BY), 'path_outside_store');
  assert.equal(await store.revision(), 0);
  await assertMirrored(subject);
});

withMirror(
  'two records with one mapped name have two files, and the name is free again when its record is gone',
  async (subject) => {
    const { store, directory } = subject;
    const [a, b] = [put('https://a.org/1:x'), put('https://b.org/1:x')];
    await store.write([a, b], BY);
    await assertMirrored(subject);
    await store.write([{ delete: 'https://a.org/1:x' }, b], BY);
    await assertMirrored(subject);
    assert.deepEqual([...filesOf(directory).keys()], ['Person/x.yaml']);
  },
  { mapping: 'after-last-colon' },
);

withMirror('concurrent writes of one record leave the file of the last one', async (subject) => {
  const { store } = subject;
  for (let round = 0; round < 5; round++) {
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => store.write([put('ex:a', n % 3 ? 'Person' : 'Robot', { n })], BY)),
    );
    await assertMirrored(subject);
  }
});

withMirror('changes that were not staged get their files from the entries', async (subject) => {
  const { store, mirror } = subject;
  await store.write([put('ex:a'), put('ex:b')], BY);
  const entries = (await store.entries({ limit: 10 })).map((entry) => ({
    ...entry,
    revision: entry.revision + 10,
  }));
  const time = '2100-01-01T00:00:00.000000+00:00';
  await store.restore([
    { ...entries[0]!, className: 'Robot', json: '{"n":2,"pid":"ex:a","schema_type":"ex:Robot"}', time },
    { ...entries[1]!, kind: 'delete', json: null, time: '2100-01-01T00:00:00.000001+00:00' },
  ]);
  await mirror.catchUp();
  await assertMirrored(subject);
});

withMirror(
  'the index of the peer is taken away, since it would be wrong',
  async ({ store, mirror, write, directory, reopen }) => {
    write('.directory_dir_index.db', 'x');
    await store.write([put('ex:a')], BY);
    await mirror.settle();
    assert.ok(!existsSync(join(directory, '.directory_dir_index.db')));
    write('.directory_dir_index.db', 'x');
    await reopen();
    assert.ok(!existsSync(join(directory, '.directory_dir_index.db')));
  },
);

withMirror('git is told to leave the hidden folder out', async ({ read }) => {
  assert.equal(read('.accession/.gitignore'), '*\n');
});

/** The traces that a crash can leave between the commit and the next save of the cursor: changed files in former states. */
const CRASHES: [
  sentence: string,
  crash: (directory: string, before: Map<string, string>, saved: boolean) => void,
][] = [
  ['all files are as they should be', () => {}],
  [
    'no file is in place',
    (directory, before, saved) => {
      for (const path of changedFiles(directory, before, saved)) rmSync(join(directory, path));
    },
  ],
  [
    'all files are as before',
    (directory, before, saved) => {
      for (const path of changedFiles(directory, before, saved)) rmSync(join(directory, path));
      writeMissing(directory, before);
    },
  ],
  ['former files are not removed', writeMissing],
  [
    'files are empty, as a loss of power leaves them',
    (directory, before, saved) => {
      for (const path of changedFiles(directory, before, saved)) writeFileSync(join(directory, path), '');
    },
  ],
  [
    'a file of a former class has a later state',
    (directory, before) => {
      for (const [path, text] of before)
        if (text.includes('ex:b')) writeFileSync(join(directory, path), text.replace('pid', 'n: 5\npid'));
    },
  ],
  [
    'temporary files are left',
    (directory) => writeFileSync(join(directory, '.accession/staging/1-1'), 'half'),
  ],
];

function changedFiles(directory: string, before: Map<string, string>, saved: boolean): string[] {
  return [...filesOf(directory)].flatMap(([path, text]) => (saved && before.get(path) === text ? [] : path));
}

function writeMissing(directory: string, before: Map<string, string>): void {
  for (const [path, text] of before) {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    if (!existsSync(join(directory, path))) writeFileSync(join(directory, path), text);
  }
}

for (const [sentence, crash] of CRASHES) {
  for (const saved of [true, false]) {
    const when = saved ? 'the records were there before' : 'everything is new';
    withMirror(
      `after a crash, files are made equal to the records: ${sentence}, ${when}`,
      async (subject) => {
        const { store, mirror, directory } = subject;
        await store.write([put('ex:a', 'Person', { n: 1 }), put('ex:b'), put('ex:c'), put('ex:d')], BY);
        if (saved) await mirror.settle();
        const before = filesOf(directory);
        const rows = subject.rows();
        await store.write([put('ex:b', 'Person', { n: 5 })], BY);
        await store.write(
          [put('ex:a', 'Person', { n: 2 }), put('ex:b', 'Robot'), { delete: iriOf('c') }, put('ex:e')],
          BY,
        );
        await store.write([put('ex:e', 'Robot'), put('ex:f'), { delete: iriOf('f') }], BY);
        const revision = await store.revision();
        const after = await subject.crash(rows, () => crash(directory, before, saved));
        await assertMirrored(after);
        assert.equal(await after.store.revision(), revision, 'nothing is taken for a change from outside');
        assert.deepEqual(await after.mirror.faults(), []);
      },
    );
  }
}
