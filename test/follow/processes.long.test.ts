/** A process that only reads a store, and a service that owns it and is killed while it writes. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LABORATORY } from '../support/app.ts';
import { person } from '../support/people.ts';
import { type RealService, startService } from '../support/real-service.ts';

/** How often each owner is killed; longer runs set more, and use more backends. */
const ROUNDS = Number(process.env.ACCESSION_FOLLOW_KILLS ?? 1);
const BACKENDS = ROUNDS > 1 ? ['sqlite', 'sqlite+stl', 'record_dir', 'record_dir+stl'] : ['sqlite+stl'];
/** Records that are stored at the same time. */
const LANES = 4;
/** Records that are stored before the owner is killed. */
const WRITES = 60;

/** A store directory with a configuration beside it. */
function layStore(t: TestContext, backend: string): { store: string; config: string } {
  const folder = mkdtempSync(join(tmpdir(), 'accession-follow-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const store = join(folder, 'store');
  const config = join(folder, 'config.yaml');
  mkdirSync(store);
  const collection = {
    schema: LABORATORY,
    default_token: 'cur',
    curated: 'lab/curated',
    incoming: 'lab/in',
    backend: { type: backend },
  };
  const collections = { lab: { mode: 'CURATOR', incoming_label: 'cur' } };
  const cur = { user_id: 'cur', representation: 'cur', collections };
  const text = JSON.stringify({
    type: 'collections',
    version: 2,
    collections: { lab: collection },
    tokens: { cur },
  });
  writeFileSync(config, text);
  return { store, config };
}

const ADMINISTERED = { environment: { ACCESSION_ADMIN_TOKEN: 'admin' } };
const headers = { 'x-service-token': 'cur', 'content-type': 'application/json' };

async function put({ url }: RealService, name: string): Promise<boolean> {
  const body = JSON.stringify(person(name));
  const answer = await fetch(`${url}/lab/curated/record/Person`, { method: 'POST', headers, body }).catch(
    () => undefined,
  );
  return answer?.status === 200;
}

const read = async ({ url }: RealService, name: string) =>
  (await (await fetch(`${url}/lab/curated/record?pid=labid:${name}`, { headers })).json()) as object | null;

type Page = { readonly items: { readonly pid: string }[]; readonly total: number };

async function page({ url }: RealService, n: number): Promise<Page> {
  const answer = await fetch(`${url}/lab/curated/records/p/Person?page=${n}&size=20`, { headers });
  assert.equal(answer.status, 200);
  return (await answer.json()) as Page;
}

/** Stores records and reads each at the follower, until the owner is killed. @returns the acknowledged ones */
async function storeUntilKilled(owner: RealService, follower: RealService, round: number) {
  const acknowledged: string[] = [];
  const lane = async (number: number) => {
    for (let n = 0; ; n++) {
      const name = `r${round}-${number}-${n}`;
      if (!(await put(owner, name))) return;
      acknowledged.push(name);
      assert.notEqual(await read(follower, name), null, `${name} is read after it was acknowledged`);
      if (acknowledged.length >= WRITES) await owner.kill();
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
  return acknowledged;
}

for (const backend of BACKENDS) {
  test(`${backend}: what was acknowledged is read at once, and after the owner was killed in mid-write`, async (t) => {
    const { store, config } = layStore(t, backend);
    let owner = await startService([store, '-c', config], ADMINISTERED);
    t.after(() => owner.kill());
    let follower = await startService([store, '--read-only']);
    t.after(() => follower.kill());
    const all: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      all.push(...(await storeUntilKilled(owner, follower, round)));
      // One that begins now finds the files as the killed process left them.
      const fresh = await startService([store, '--read-only']);
      for (const reader of [follower, fresh]) {
        for (const name of all) assert.notEqual(await read(reader, name), null, name);
        const { total } = await page(reader, 1);
        const pids: string[] = [];
        for (let n = 1; (n - 1) * 20 < total; n++)
          pids.push(...(await page(reader, n)).items.map(({ pid }) => pid));
        assert.equal(pids.length, total);
        assert.deepEqual(pids, [...new Set(pids)].sort(), 'in order, and each once');
        assert.ok(total >= all.length);
      }
      assert.equal(await follower.stop(), 0);
      follower = fresh;
      owner = await startService([store], ADMINISTERED);
    }
    await assert.rejects(
      startService([store, '--read-only', '-c', config]),
      /--config is for the service that owns the store/,
    );
    assert.ok(await put(owner, 'last'));
    assert.notEqual(await read(follower, 'last'), null, 'the owner that was started again is followed');
    assert.equal(await owner.stop(), 0);
    assert.notEqual(await read(follower, 'last'), null, 'reads go on when the owner has ended');
    assert.doesNotMatch(follower.output(), /could not|failed/);
  });
}
