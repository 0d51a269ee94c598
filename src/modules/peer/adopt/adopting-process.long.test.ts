/** A service adopts a store of many records in a process of its own, whose end is not the end of the store. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { adopting, COUNT, open, storeToAdopt } from './adopting-process.support.ts';
import { rowsOf } from './stores.support.ts';

const COMMAND = resolve(import.meta.dirname, '../../../../bin/accession.js');
/** More than the service follows itself, in several transactions. */
const RECORDS = 6000;

const needsProc = { skip: existsSync('/proc/self/stat') ? false : 'the system has no /proc' };

test('a process that is killed is followed by one that continues', needsProc, async (t) => {
  const root = storeToAdopt(t, { records: RECORDS });
  const killed = new Set<number>();
  const { lines } = await open(root, {
    adopting() {
      for (const pid of killed.size < 2 ? adopting() : []) {
        killed.add(pid);
        process.kill(pid, 'SIGKILL');
      }
    },
  });
  const continued = lines.filter(({ msg }) => msg.includes('another one continues'));
  assert.equal(continued.length, 2);
  assert.deepEqual(rowsOf(root, COUNT), [[RECORDS]]);
});

test(
  'the process makes what follows from many records, and the service what is left',
  needsProc,
  async (t) => {
    const indexed = `SELECT c.revision FROM accession_cursor c JOIN accession_area a USING (area)
    WHERE c.name = 'text' AND a.path = 'c/curated'`;
    const whole = storeToAdopt(t, { records: RECORDS });
    await open(whole);
    assert.equal(adopting().length, 1);
    await eventually('the process has ended', () => adopting().length === 0);
    assert.deepEqual(rowsOf(whole, indexed), [[RECORDS]]);

    const killed = storeToAdopt(t, { records: RECORDS });
    const { app } = await open(killed);
    for (const pid of adopting()) process.kill(pid, 'SIGKILL');
    await eventually('the service has made them', () => String(rowsOf(killed, indexed)) === String(RECORDS));
    await eventually('nothing is behind', () => app.projector.list().every(({ behind }) => behind === 0));
  },
);

test('the process ends with the service, and the next start continues', async (t) => {
  const root = storeToAdopt(t, { records: RECORDS });
  const command = [COMMAND, 'serve', root, '--port', '0'];
  const service = spawn(process.execPath, command, { stdio: 'ignore' });
  const ended = once(service, 'exit');
  await eventually('the import has begun', () => existsSync(join(root, 'accession.db.adopting')));
  service.kill('SIGKILL');
  await ended;
  // Until the process has ended, too, the store is in use.
  await eventually('the store can be opened', () => open(root).catch(() => undefined));
  assert.deepEqual(rowsOf(root, COUNT), [[RECORDS]]);
});
