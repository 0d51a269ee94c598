/** Random keys of a curator: whatever is pressed, only the keys that decide decide, and one row at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { TestService } from '../../../../test/support/app.ts';
import { settled, skip, testDesk, useBrowser } from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';
import { randomly } from '../../../../test/support/randomly.ts';

useBrowser();

/** How many sequences are pressed, and the seed that repeats them. */
const SEQUENCES = Number(process.env.ACCESSION_DESK_SEQUENCES ?? 20);
const SEED = Number(process.env.ACCESSION_DESK_SEED ?? 39_589);
const LENGTH = 8;
const NAMES = Array.from({ length: 40 }, (_, n) => `p${String(n).padStart(2, '0')}`);

const KEYS = [
  ...[
    'a',
    'a',
    'r',
    'd',
    'u',
    'x',
    'j',
    'k',
    'n',
    'p',
    'c',
    'f',
    's',
    '1',
    '3',
    '.',
    '?',
    '/',
    'Escape',
    'Escape',
  ],
  ...['Enter', 'Space', 'Shift+A', 'Shift+X', 'Control+a', 'Control+k', 'Control+Enter', 'Home', 'End'],
];

async function waiting(service: TestService): Promise<number> {
  const { total } = (await service.request('GET', '/-/lab/review/summary', { token: 'cora' })).json<{
    total: number;
  }>();
  return total;
}

/** How far one key may change the number of submissions that wait. */
async function allowed(page: Page, key: string): Promise<{ least: number; most: number }> {
  const none = { least: 0, most: 0 };
  const typing = await page.evaluate(
    '["text", "search", "textarea"].includes(document.activeElement?.type) || document.activeElement?.isContentEditable === true',
  );
  if ((await page.getByRole('dialog').count()) > 0)
    return key === 'Control+Enter' ? { least: -NAMES.length, most: 0 } : none;
  if (typing) return none;
  // In the review of a submission, both accept it; in the queue, Shift+A opens a dialog.
  if (key === 'a' || key === 'Shift+A') return { least: -1, most: 0 };
  // No submission here is in conflict, so S settles and decides nothing.
  if (key === 'u') return { least: 0, most: NAMES.length };
  return none;
}

test('no random keys of a curator decide what the keys do not say', { skip }, async (t) => {
  t.diagnostic(`ACCESSION_DESK_SEED=${SEED}`);
  const { service, open, url, complaints } = await testDesk(t);
  const json = NAMES.map((name) => person(name));
  await service.request('POST', '/-/lab/records/Person', { token: 'ann', json });
  const page = await open('lab/review', 'cora');
  const random = randomly(SEED);
  for (let n = 0; n < SEQUENCES; n++) {
    if ((await waiting(service)) < 5)
      await service.request('POST', '/-/lab/records/Person', {
        token: 'ann',
        json: NAMES.map((name) => person(name, { description: `Round ${n}` })),
      });
    await page.goto(`${url}lab/review`);
    await settled(page);
    const pressed: string[] = [];
    for (let step = 0; step < LENGTH; step++) {
      const key = KEYS[random(KEYS.length)]!;
      pressed.push(key);
      const before = await waiting(service);
      const { least, most } = await allowed(page, key);
      await page.keyboard.press(key);
      await settled(page);
      const change = (await waiting(service)) - before;
      assert.ok(
        least <= change && change <= most,
        `seed ${SEED}, sequence ${n}: after ${pressed.join(' ')}, ${change} more wait, expected ${least} to ${most}`,
      );
    }
  }
  const decided = await service.request('GET', '/-/lab/review/decisions?size=1', { token: 'cora' });
  t.diagnostic(`${decided.json<{ total: number }>().total} decisions`);
  assert.deepEqual(complaints, []);
});
