import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openLog, openRecords, scratch } from '../../test/audit/parts.ts';
import { ServiceError } from '../errors.ts';
import { BACKENDS, openStore } from '../storage/backends.ts';
import { expand, schemaTypeOf } from '../storage/contract/subject.ts';
import { storeContract } from '../storage/store.contract.ts';
import type { RecordStore } from '../storage/store.ts';
import { type AuditLog, settleUnresolved } from './audit-log.ts';
import { auditedStore, currentIn } from './audited-store.ts';

const ACTOR = { committer: 'curator', author: 'author', role: 'curator' } as const;

storeContract({
  name: 'sqlite with an audit log',
  matching: BACKENDS.sqlite.traits.matching,
  many: 300,
  open: async (directory) => {
    const inner = await openStore({ type: 'sqlite' }, directory, { expand, schemaTypeOf });
    const log = await openLog(join(directory, 'audit'), 60);
    const store = auditedStore(inner, [log]);
    const close = async () => {
      await store.close();
      await log.close();
    };
    return { ...store, close };
  },
});

test('changes of one record at the same time have their entries in the order of the store', async (t) => {
  const { inner, log, store } = await audited(t);
  await Promise.all(Array.from({ length: 20 }, (_, n) => store.write([put('ex:a', n)], ACTOR)));
  const contents = (await log.history(['ex:a'])).map(({ json }) => json);
  assert.equal(new Set(contents).size, 20);
  assert.equal(contents.at(-1), (await inner.get(iri('ex:a')))?.json);
});

test('a write that the store refuses has no entries, of none of its records', async (t) => {
  const { log, store } = await audited(t);
  await store.write([put('ex:a', 1)], ACTOR);
  const changes = [put('ex:b', 1), { ...put('ex:a', 2), expect: { absent: true } as const }];
  await assert.rejects(store.write(changes, ACTOR), { code: 'precondition_failed' });
  await assert.rejects(store.write([{ delete: iri('ex:none') }], ACTOR), { code: 'record_missing' });
  assert.deepEqual([(await log.history(['ex:a'])).length, (await log.history(['ex:b'])).length], [1, 0]);
});

test('a log that cannot take the announcement keeps the write from all logs and the store', async (t) => {
  const { inner, log } = await audited(t);
  const full: AuditLog = {
    ...log,
    announce: () => Promise.reject(new ServiceError('audit_failed', 'the disk is full')),
  };
  const store = auditedStore(inner, [log, full]);
  await assert.rejects(store.write([put('ex:a', 1)], ACTOR), { code: 'audit_failed' });
  assert.equal(await inner.get(iri('ex:a')), undefined);
  assert.deepEqual(await log.history(['ex:a']), []);
});

test('after a failure of the store, the entry is there if the change is', async (t) => {
  const { inner, log } = await audited(t);
  const failure = new ServiceError('storage_failed', 'the medium failed');
  for (const made of [true, false]) {
    const failing: RecordStore = {
      ...auditedStore(inner, [log]),
      write: async (changes) => {
        if (made) await inner.write(changes, ACTOR);
        throw failure;
      },
    };
    const pid = `ex:${made}`;
    await assert.rejects(auditedStore(failing, [log]).write([put(pid, 1)], ACTOR), failure);
    assert.equal((await log.history([pid])).length, made ? 1 : 0);
  }
});

test('what was announced before a crash is settled by what the store holds', async (t) => {
  const directory = await scratch(t);
  const inner = await openRecords(join(directory, 'records'));
  const before = await openLog(join(directory, 'log'), 60);
  const announce = (pid: string) =>
    before.announce([{ pid, iri: iri(pid), json: text(pid, 1), committerId: 'c', authorId: 'a' }]);
  for (const pid of ['ex:made', 'ex:dropped']) await announce(pid);
  await inner.write([put('ex:made', 1)], ACTOR);
  await before.close();
  const after = await openLog(join(directory, 'log'), 60);
  assert.equal(after.unresolved().length, 2);
  await settleUnresolved(after, currentIn(inner));
  assert.equal(after.unresolved().length, 0);
  assert.equal((await after.history(['ex:made'])).length, 1);
  assert.equal((await after.history(['ex:dropped'])).length, 0);
});

async function audited(t: TestContext) {
  const directory = await scratch(t);
  const inner = await openRecords(join(directory, 'records'));
  const log = await openLog(join(directory, 'log'), 60);
  return { inner, log, store: auditedStore(inner, [log]) };
}

function iri(pid: string): string {
  return pid.replace('ex:', 'https://example.org/');
}

function text(pid: string, content: number): string {
  return `{"content":${content},"pid":"${pid}","schema_type":"ex:Thing"}`;
}

function put(pid: string, content: number) {
  return { put: { pid, iri: iri(pid), className: 'Thing', json: text(pid, content) } };
}
