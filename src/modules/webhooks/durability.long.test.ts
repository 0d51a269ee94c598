/**
 * Webhooks while the service, a proxy before the receiver, and the receiver are killed: each change is delivered at least once,
 * and in order. `ACCESSION_CRASH_ROUNDS` is the number of kills.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LABORATORY } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { openProxy } from '../../../test/support/proxy.ts';
import { randomOf } from '../../../test/support/randomly.ts';
import { type RealService, startService } from '../../../test/support/real-service.ts';
import { openReceiver } from '../../../test/support/receiver.ts';

const ROUNDS = Number(process.env.ACCESSION_CRASH_ROUNDS ?? 2);
const headers = { 'x-service-token': 'cur', 'content-type': 'application/json' };

async function send({ url }: RealService, method: string, path: string, json?: object) {
  const body = json && JSON.stringify(json);
  return fetch(`${url}${path}`, { method, headers, ...(body && { body }) });
}

/** What is killed, one after the other. */
const KILLED = ['service', 'receiver', 'proxy', 'all'] as const;

for (const [number, backend] of ['sqlite', 'record_dir+stl', 'postgresql'].entries()) {
  test(`${backend}: no change is missed and none is out of order, whatever is killed`, async (t) => {
    const random = randomOf(t);
    const folder = mkdtempSync(join(tmpdir(), 'accession-webhooks-'));
    t.after(async () => {
      await service.kill();
      rmSync(folder, { recursive: true, force: true });
    });
    const [store, config] = [join(folder, 'store'), join(folder, 'config.yaml')];
    mkdirSync(store);
    const lab = {
      schema: LABORATORY,
      default_token: 'cur',
      curated: 'lab/curated',
      incoming: 'lab/in',
      backend: { type: backend },
    };
    const collections = { lab: { mode: 'CURATOR', incoming_label: 'cur' } };
    const tokens = { cur: { user_id: 'cur', representation: 'cur', collections } };
    const text = { type: 'collections', version: 2, collections: { lab }, tokens };
    writeFileSync(config, JSON.stringify(text));
    const receiver = await openReceiver(t);
    // Some answers come when the service is gone, and some are failures.
    receiver.answers = async () => {
      await delay(random(20));
      return random(20) === 0 ? 500 : 200;
    };
    const proxy = await openProxy(t, receiver.url);
    const database = backend === 'postgresql' ? ['--database-url', await ownDatabase()] : [];
    const start = (first = false) =>
      startService(
        [store, '--schema-hosts', '127.0.0.1', ...database, ...(first ? ['--config', config] : [])],
        { environment: { ACCESSION_ADMIN_TOKEN: 'admin' } },
      );
    let service = await start(true);
    const made = await send(service, 'PUT', '/-/lab/webhooks/site', { url: `${proxy.url}/hook` });
    assert.equal(made.status, 200, await made.text());
    for (let round = 0; round < ROUNDS; round++) {
      const writing = (async () => {
        for (let n = 0; n < 200; n++)
          await send(service, 'POST', '/lab/curated/record/Person', person(`r${round}n${n}`));
      })().catch(() => {});
      await delay(400 + random(800));
      // With few rounds, the backends have different ones.
      const killed = KILLED[(round + 2 * number) % KILLED.length]!;
      const isKilled = (one: (typeof KILLED)[number]) => killed === one || killed === 'all';
      const pause = random(300);
      await Promise.all([
        isKilled('receiver') && receiver.goneFor(pause),
        isKilled('proxy') && proxy.goneFor(pause),
        isKilled('service') && service.kill(),
      ]);
      if (!isKilled('service')) await delay(300);
      await service.kill();
      await writing;
      service = await start();
    }
    for (;;) {
      const state = await send(service, 'GET', '/-/lab/webhooks/site');
      const { pending } = (await state.json()) as { pending: number };
      const status = await (await fetch(`${service.url}/-/health`)).json();
      if (pending === 0 && !(status as { projections?: object }).projections) break;
      await delay(200);
    }
    type Change = { readonly revision: number };
    const changes: Change[] = [];
    for (let since = '0'; ; ) {
      const answer = await send(service, 'GET', `/-/lab/curated/changes?limit=1000&since=${since}`);
      const { items, next } = (await answer.json()) as { items: Change[]; next: string };
      if (items.length === 0) break;
      changes.push(...items);
      since = next;
    }
    const revisions = receiver.notices().map(({ revision }) => revision);
    t.diagnostic(`${changes.length} changes, ${revisions.length} requests`);
    assert.ok(changes.length > 0);
    assert.deepEqual(
      [...new Set(revisions)],
      changes.map(({ revision }) => revision),
    );
    // A delivery that comes again is the last one, or the next one was not begun.
    assert.ok(revisions.every((revision, at) => at === 0 || revision >= revisions[at - 1]!));
  });
}
