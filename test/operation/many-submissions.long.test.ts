/** 60,000 submissions: searches of the queue, and of own submissions, leave the event loop to others. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startService } from '../../scripts/stalls/service.ts';
import { checkRecord, recordText } from '../../src/core/records/record.ts';
import { openSchema } from '../../src/core/schema/schema.ts';
import { openSqliteDatabase } from '../../src/core/storage/sqlite/sqlite.ts';
import type { Change } from '../../src/core/storage/store.ts';
import { LABORATORY } from '../support/app.ts';

const SUBMISSIONS = 60_000;
const LABELS = Array.from({ length: 10 }, (_, n) => `user${n}`);
/** Written by one commit. */
const BATCH = 2000;
/** The longest time for which no other request is answered, in processor time. */
const MOST_TURN_MS = 100;

/** Half of the submissions are in the first zone. Their rows of the queue are made when the service has started. */
async function fill(store: string): Promise<void> {
  const schema = await openSchema(LABORATORY);
  const database = await openSqliteDatabase(join(store, 'accession.db'), { loading: true });
  for (let from = 0; from < SUBMISSIONS; from += BATCH) {
    const label = LABELS[from < SUBMISSIONS / 2 ? 0 : (from / BATCH) % LABELS.length]!;
    const changes = Array.from({ length: BATCH }, (_, n): Change => {
      const record = { pid: `labid:p${from + n}`, family_name: `Family ${n}`, name: `Name ${from + n}` };
      return { put: recordText(schema, checkRecord(schema, 'Person', record)) };
    });
    const zone = await database.area(`c/incoming/${label}`);
    await zone.write(changes, { committer: label, author: label, role: 'submitter' });
  }
  await database.close();
}

function configure(store: string): void {
  const token = (name: string, mode: string) => ({
    user_id: name,
    representation: name,
    collections: { c: { mode, incoming_label: name } },
  });
  const tokens = Object.fromEntries(LABELS.map((label) => [label, token(label, 'WRITE_COLLECTION')]));
  const collection = {
    schema: LABORATORY,
    default_token: 'user9',
    curated: 'c/curated',
    incoming: 'c/incoming',
    backend: { type: 'sqlite' },
  };
  const configuration = {
    type: 'collections',
    version: 2,
    collections: { c: collection },
    tokens: { cora: token('cora', 'CURATOR'), ...tokens },
  };
  writeFileSync(join(store, '.dumpthings.yaml'), JSON.stringify(configuration));
}

test(`searches of ${SUBMISSIONS} submissions keep no other request waiting`, async (t) => {
  const store = mkdtempSync(join(tmpdir(), 'accession-submissions-'));
  t.after(() => rmSync(store, { recursive: true, force: true }));
  configure(store);
  await fill(store);
  const service = await startService(store);
  t.after(() => service.stop());
  const get = async (path: string, token: string) => {
    const { status, text } = await service.send('GET', `/-/c/${path}`, { token });
    assert.equal(status, 200, text.slice(0, 300));
    return JSON.parse(text);
  };
  const longest = async (name: string, work: () => Promise<unknown>) => {
    await service.longest();
    await work();
    const { turn, service: ping, idle } = await service.longest();
    t.diagnostic(`${name}: longest turn ${turn} ms; longest ping ${ping} ms, of an idle server ${idle} ms`);
    assert.ok(turn < MOST_TURN_MS, `${name}: ${turn} ms`);
  };
  await longest('rows of the queue are made', async () => {
    while ((await get('review/summary', 'cora')).zones_pending > 0) await delay(200);
  });
  assert.equal((await get('review/summary', 'cora')).total, SUBMISSIONS);

  const matching = 'matching=%25name%209%25';
  const found = (path: string, token: string) => async () => {
    const { total } = await get(path, token);
    assert.ok(total > 1000, `${path}: ${total}`);
  };
  await longest('summary', found(`review/summary?${matching}`, 'cora'));
  await longest('queue', found(`review/?${matching}&sort=-pid`, 'cora'));
  await longest('own submissions', found(`submissions/?${matching}`, 'user0'));
  const twenty = (work: () => Promise<unknown>) => () => Promise.all(Array.from({ length: 20 }, work));
  await longest('20 queues at once', twenty(found(`review/?${matching}`, 'cora')));
  await longest('20 searches of own submissions at once', twenty(found(`submissions/?${matching}`, 'user0')));
});
