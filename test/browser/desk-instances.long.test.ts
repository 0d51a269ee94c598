/**
 * The desks of two instances on one database: two curators, a submitter and a steward act at random, at the same time. Nothing
 * is reverted, decided twice or lost, and each sees what the others do.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { PEOPLE, settled, skip, testDesk, useBrowser } from '../support/desk.ts';
import { person } from '../support/people.ts';
import { startPostgresql, type TestServer } from '../support/postgresql.ts';
import { randomly } from '../support/randomly.ts';

/** Rounds in which everyone acts once; a release gets more. */
const ROUNDS = Number(process.env.ACCESSION_DESK_ROUNDS ?? 12);
const SEED = Number(process.env.ACCESSION_DESK_SEED ?? Date.now() % 1_000_000);
const STORED = ['abe', 'bea', 'cyd'];

useBrowser();
let server: TestServer;
before(async () => {
  server = await startPostgresql();
});
after(() => server.close());

const CONFIGURATION = {
  collections: { lab: { backend: { type: 'postgresql+stl' } } },
  tokens: { ...PEOPLE.tokens, sten: { lab: 'CURATOR' } },
};

type Entry = { author_id: string; changes: { path: string }[] };
type Decided = { label: string; pid: string; digest: string; undone: object | null };

/** Waits until a page asks for nothing that changes or decides. */
async function atRest(page: Page): Promise<void> {
  // The desk may show the button twice: where the form begins and where it ends.
  await page.locator('.btn.primary:disabled').first().waitFor({ state: 'detached' });
  await settled(page);
}

/** Stores what a form has, also if another has changed the record meanwhile: then it is compared first. */
async function send(page: Page, said: string): Promise<void> {
  await page.keyboard.press('Control+Enter');
  const stored = page.locator('.toast').getByText(said, { exact: false });
  const compare = page.getByRole('button', { name: /^(Show the differences|Go on with these values)$/ });
  const conflicts = page.getByRole('row').filter({ hasText: 'Conflict: choose a side' });
  for (let attempt = 0; attempt < 20; attempt++) {
    // That another has changed the record is said while it is on its way, too, and no longer when it is stored.
    await atRest(page);
    const isAnswered = await stored
      .or(compare)
      .first()
      .waitFor({ timeout: 10_000 })
      .then(
        () => true,
        () => false,
      );
    if (await stored.first().isVisible()) return;
    if (!isAnswered) {
      // The key came before the form. If it is stored all the same, nothing has changed, and the answer is the same.
      await page.keyboard.press('Control+Enter');
      continue;
    }
    for (const row of await conflicts.all())
      await row.getByRole('radio', { name: /^Your draft/ }).check({ force: true });
    await compare.first().click();
    // The key is for the form behind it, which may still be on its way.
    await atRest(page);
    await page.keyboard.press('Control+Enter');
  }
  assert.fail(`nothing is stored: ${await page.getByRole('main').textContent()}`);
}

/** Closes what a decision that was refused leaves open. */
async function closeDialogs(page: Page): Promise<void> {
  for (const dialog = page.getByRole('dialog'); (await dialog.count()) > 0; await atRest(page))
    await page.keyboard.press('Escape');
}

test('on two instances, two curators, a submitter and a steward revert, double and lose nothing', {
  skip,
}, async (t) => {
  t.diagnostic(`ACCESSION_DESK_SEED=${SEED}`);
  const random = randomly(SEED);
  const databaseUrl = await server.createDatabase();
  const one = await testDesk(t, CONFIGURATION, { databaseUrl });
  const other = await testDesk(t, {}, { databaseUrl });
  const read = async <T>(path: string): Promise<T> =>
    (await one.service.request('GET', path, { token: 'cora' })).json<T>();
  const readAll = async <T>(path: string): Promise<T[]> => {
    const all: T[] = [];
    for (let page = 1; ; page++) {
      const { items, total } = await read<{ items: T[]; total: number }>(`${path}&size=100&page=${page}`);
      all.push(...items);
      if (all.length >= total || items.length === 0) return all;
    }
  };
  const json = STORED.map((name) => person(name, { name, description: 'First.' }));
  const { status } = await one.service.request('POST', '/-/lab/curated/records/Person', {
    token: 'sten',
    json,
  });
  assert.equal(status, 200);

  const cora = await one.open('lab/review', 'cora');
  const carl = await other.open('lab/review', 'carl');
  const ann = await other.open('', 'ann');
  const sten = await one.open('', 'sten');

  const decide = async (page: Page) => {
    const key = ['a', 'a', 'a', 'r', 'u', 'j'][random(6)]!;
    await page.keyboard.press(key);
    await atRest(page);
    if ((await page.getByRole('dialog').count()) > 0) {
      await page.keyboard.type(`because ${random(1000)}`);
      await page.keyboard.press('Control+Enter');
      await atRest(page);
      // What the other has decided meanwhile is refused there.
      await closeDialogs(page);
    }
  };
  const submitted: string[] = [];
  const submit = async (round: number) => {
    if (random(2) === 0) {
      await ann.goto(`${other.url}lab/new/Person`);
      await ann.getByLabel(/^Name required/).fill(`New ${round}`);
      await ann.getByLabel(/^Family name/).fill('New');
      submitted.push(`labid:person-new-${round}`);
    } else {
      const pid = `labid:${STORED[random(STORED.length)]}`;
      await ann.goto(`${other.url}lab/edit?pid=${encodeURIComponent(pid)}`);
      await ann.getByLabel(/^Email/).fill(`ann-${round}@example.org`);
    }
    await send(ann, 'Submitted');
  };
  const described = new Map<string, string>();
  const steward = async (round: number) => {
    const name = STORED[random(STORED.length)]!;
    await sten.goto(`${one.url}lab/edit?pid=labid%3A${name}`);
    await sten.getByLabel('Description').fill(`Round ${round}.`);
    await send(sten, 'Saved');
    described.set(name, `Round ${round}.`);
  };

  /** Waits until a curator sees how many submissions wait; an undo may still be on its way. */
  const seesAll = async (page: Page) => {
    await closeDialogs(page);
    for (let attempt = 0; ; attempt++) {
      const { total } = await read<{ total: number }>('/-/lab/review/summary');
      const waiting = total === 0 ? /^Review\D*$/ : new RegExp(`^Review.*\\b${total}\\b`);
      const link = page.getByRole('link', { name: waiting }).first();
      const isSeen = await link.waitFor({ timeout: 3000 }).then(
        () => true,
        () => false,
      );
      if (isSeen) return;
      assert.ok(
        attempt < 40,
        `${total} submissions wait, and the desk shows ${await page.getByRole('navigation').first().textContent()}`,
      );
    }
  };

  let slowest = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all([decide(cora), decide(carl), submit(round), steward(round)]);
    const start = Date.now();
    for (const page of [cora, carl]) await seesAll(page);
    slowest = Math.max(slowest, Date.now() - start);
  }
  t.diagnostic(`${ROUNDS} rounds; curators saw everything after ${slowest} ms at most`);

  for (const name of STORED) {
    const entries = await read<Entry[]>(`/-/lab/history?pid=labid:${name}`);
    for (const { author_id, changes } of entries.slice(1))
      for (const { path } of changes)
        assert.equal(
          path === '/description',
          author_id === 'sten@example.org',
          `${author_id} changed ${path} of ${name}`,
        );
    const record = await read<{ description: string }>(`/lab/curated/record?pid=labid:${name}`);
    assert.equal(record.description, described.get(name) ?? 'First.');
  }
  const decided = await readAll<Decided>('/-/lab/review/decisions?decision=accept');
  const standing = decided.filter(({ undone }) => !undone);
  const keys = standing.map(({ label, pid, digest }) => `${label} ${pid} ${digest}`);
  assert.equal(keys.length, new Set(keys).size, 'nothing is accepted twice');
  const queue = await readAll<{ pid: string }>('/-/lab/review/?standing=waiting,rejected,deferred');
  const known = new Set([...queue, ...standing].map(({ pid }) => pid));
  assert.deepEqual(
    submitted.filter((pid) => !known.has(pid)),
    [],
    'nothing that was submitted is lost',
  );
  assert.deepEqual([...one.complaints, ...other.complaints], []);
});
