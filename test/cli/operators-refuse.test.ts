/** Operators' commands refuse damaged backups and stores in use, and leave nothing. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Header, Pax } from 'tar';
import { takeLock } from '../../src/core/storage/sqlite/lock.ts';
import { accession, scratch } from './accession.ts';

test('a store is not made with a collection whose paths the service uses itself', async (t) => {
  const { status, stderr } = await accession(['init', join(scratch(t), 'store'), '--collection', 'desk']);
  assert.deepEqual([status, /The name 'desk' cannot be used/.test(stderr)], [1, true], stderr);
});

const REFUSED = 'accession: No directory can be made in /proc: choose another one.';

test('a file system that takes no directories is refused', async (t) => {
  const store = join(scratch(t), 'store');
  assert.equal((await accession(['init', store])).status, 0);
  const commands = (to: string) => [
    ['init', to],
    ['backup', store, to],
    ['restore', store, to],
  ];
  for (const args of ['/proc/none/x', '/proc/none'].flatMap(commands)) {
    const { status, stderr } = await accession(args);
    assert.deepEqual([status, stderr.split('\n')[0]], [1, REFUSED], args.join(' '));
  }
});

test('a backup that was cut off is damaged, and nothing of it is left; a store in use is not copied', async (t) => {
  const folder = scratch(t);
  const at = (name: string) => join(folder, name);
  mkdirSync(at('tmp'));
  const env = { TMPDIR: at('tmp') };
  const made = await accession(['init', at('store'), '--demo'], { env });
  assert.equal(made.status, 0, made.stderr);
  assert.equal((await accession(['backup', at('store'), at('b.tar.gz')], { env })).status, 0);
  const whole = readFileSync(at('b.tar.gz'));
  for (const part of [0.3, 0.8]) {
    writeFileSync(at('cut.tar.gz'), whole.subarray(0, Math.floor(whole.length * part)));
    const { status, stderr } = await accession(['restore', at('cut.tar.gz'), '--verify'], { env });
    assert.deepEqual([status, /cut\.tar\.gz is damaged/.test(stderr)], [1, true], stderr);
    assert.deepEqual(readdirSync(at('tmp')), []);
  }
  const lock = takeLock(at('store/accession.db.lock'), 'The store');
  const copied = await accession(['copy-store', at('store'), 'postgresql://127.0.0.1:1/none']);
  lock.release();
  assert.deepEqual(
    [copied.status, /is in use by another process/.test(copied.stderr)],
    [1, true],
    copied.stderr,
  );
});

test('the refusal of a backup with a name of 5,000 characters is short', async (t) => {
  const folder = scratch(t);
  const path = `store/${'x'.repeat(5000)}`;
  const block = Buffer.alloc(512);
  new Header({ path: 'store/x', type: 'File', size: 0, mode: 0o600 }).encode(block);
  const archive = join(folder, 'b.tar.gz');
  writeFileSync(archive, gzipSync(Buffer.concat([new Pax({ path }).encode(), block, Buffer.alloc(1024)])));
  const { status, stderr } = await accession(['restore', archive, join(folder, 'to')]);
  assert.equal(status, 1);
  assert.match(stderr, /b\.tar\.gz is damaged: /);
  assert.ok(stderr.length < 1000, `${stderr.length} characters`);
});
