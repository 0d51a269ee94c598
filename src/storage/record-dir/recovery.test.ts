/** Full disks, and crashes between the commit of the index and the last file. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openStore } from '../backends.ts';
import { all, BY, expand, pids, put, refuses, schemaTypeOf } from '../contract/subject.ts';
import { filePath } from './file-names.ts';

const config = { type: 'record_dir', mapping_method: 'digest-md5' } as const;
const options = { expand, schemaTypeOf };
const pathOf = (pid: string, className = 'Person') => filePath('digest-md5', className, pid);

/** Runs with a directory that holds the records a and b, closed; `pend` puts a path on the list of unfinished files. */
function crashed(
  sentence: string,
  run: (directory: string, pend: (path: string, since?: number) => void) => Promise<void>,
): void {
  test(sentence, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'accession-recovery-'));
    try {
      const store = await openStore(config, directory, options);
      await store.write([put('ex:a', 'Person', { n: 1 }), put('ex:b')], BY);
      await store.close();
      await run(directory, (path, since = Date.now() + 60_000) => {
        const index = new DatabaseSync(join(directory, '.accession/area.db'));
        index.prepare('INSERT INTO accession_pending (path, since) VALUES (?, ?)').run(path, since);
        index.close();
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
}

crashed('a file that was not put in place is made at the next opening', async (directory, pend) => {
  const file = join(directory, pathOf('ex:a'));
  const text = readFileSync(file, 'utf8');
  rmSync(file);
  pend(pathOf('ex:a'));
  const store = await openStore(config, directory, options);
  assert.deepEqual(pids(await all(store)), ['ex:a', 'ex:b']);
  assert.equal(readFileSync(file, 'utf8'), text);
  await store.close();
});

crashed('a file that was not replaced is replaced at the next opening', async (directory, pend) => {
  const file = join(directory, pathOf('ex:a'));
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('n: 1', 'n: 0'));
  pend(pathOf('ex:a'));
  const store = await openStore(config, directory, options);
  assert.match((await store.get('https://example.org/a'))?.json ?? '', /"n":1/);
  assert.equal(readFileSync(file, 'utf8'), text);
  await store.close();
});

crashed('an empty file, as a loss of power leaves it, is written again', async (directory, pend) => {
  const file = join(directory, pathOf('ex:a'));
  writeFileSync(file, '');
  pend(pathOf('ex:a'), Date.now() - 60_000);
  const store = await openStore(config, directory, options);
  assert.equal(await store.count({}), 2);
  assert.match(readFileSync(file, 'utf8'), /n: 1/);
  await store.close();
});

crashed('a file that was not removed is removed at the next opening', async (directory, pend) => {
  const leftover = join(directory, pathOf('ex:a', 'Robot'));
  mkdirSync(join(directory, 'Robot'));
  writeFileSync(leftover, 'pid: ex:a\n');
  pend(pathOf('ex:a', 'Robot'));
  const store = await openStore(config, directory, options);
  assert.equal((await store.get('https://example.org/a'))?.className, 'Person');
  assert.deepEqual(readdirSync(join(directory, 'Robot')), []);
  assert.deepEqual(await store.faults(), []);
  await store.close();
});

crashed('a file that somebody edited after the crash is left as it is', async (directory, pend) => {
  const file = join(directory, pathOf('ex:a'));
  pend(pathOf('ex:a'), Date.now() - 60_000);
  writeFileSync(file, readFileSync(file, 'utf8').replace('n: 1', 'n: 2'));
  const store = await openStore(config, directory, options);
  assert.match((await store.get('https://example.org/a'))?.json ?? '', /"n":2/);
  await store.close();
});

crashed('temporary files of processes that are gone are removed', async (directory) => {
  const leftover = join(directory, '.accession/staging/999999999-1');
  writeFileSync(leftover, 'half');
  utimesSync(leftover, 0, 0);
  const store = await openStore(config, directory, options);
  assert.deepEqual(readdirSync(join(directory, '.accession/staging')), []);
  await store.close();
});

const isRoot = process.getuid?.() === 0 && process.platform === 'linux';

for (const backend of [{ type: 'sqlite' } as const, config]) {
  test(`${backend.type}: a full disk turns writes down with nothing half done, and is forgotten when there is room`, {
    skip: isRoot ? false : 'mounting a small file system needs root',
  }, async (context) => {
    const mount = mkdtempSync(join(tmpdir(), 'accession-full-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', mount], { stdio: 'pipe' });
    } catch {
      rmSync(mount, { recursive: true });
      return context.skip('mounting is not allowed here');
    }
    try {
      const directory = join(mount, 'area');
      const store = await openStore(backend, directory, options);
      const padding = 'x'.repeat(20_000);
      const ballast = join(mount, 'ballast');
      writeFileSync(ballast, Buffer.alloc(300_000));
      const kept: string[] = [];
      for (let i = 0; i < 200; i++) {
        const pair = [`ex:${i}`, `ex:${i}-twin`];
        const outcome = await store
          .write(
            pair.map((pid) => put(pid, 'Person', { padding })),
            BY,
          )
          .then(
            () => 'written',
            (error: { code: string }) => error.code,
          );
        if (outcome === 'written') kept.push(...pair);
        else assert.equal(outcome, 'storage_full');
      }
      assert.ok(kept.length > 0 && kept.length < 400);
      await refuses(
        store.write([put('ex:more', 'Person', { padding: padding.repeat(20) })], BY),
        'storage_full',
      );
      assert.deepEqual(new Set(pids(await all(store))), new Set(kept));
      rmSync(ballast);
      await store.write([put('ex:afterwards', 'Person', { padding })], BY);
      await store.close();
      const again = await openStore(backend, directory, options);
      assert.deepEqual(new Set(pids(await all(again))), new Set([...kept, 'ex:afterwards']));
      assert.deepEqual(await again.faults(), []);
      await again.close();
    } finally {
      execFileSync('umount', ['-l', mount]);
      rmSync(mount, { recursive: true });
    }
  });
}
