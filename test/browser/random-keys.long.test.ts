/** Random keys in every view: whatever is pressed, nothing breaks, the focus stays, and only the keys that mean it store anything. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN, type TestService } from '../support/app.ts';
import { type Desk, PEOPLE, settled, skip, testDesk, useBrowser } from '../support/desk.ts';
import { deskRoutes, type Route } from '../support/desk-routes.ts';
import { organization, person } from '../support/people.ts';
import { randomly } from '../support/randomly.ts';

useBrowser();

/** How many sequences are pressed. Each has a seed, the first one this, so that one can be repeated alone. */
const SEQUENCES = Number(process.env.ACCESSION_DESK_SEQUENCES ?? 40);
const SEED = Number(process.env.ACCESSION_DESK_SEED ?? 68_000);
const LENGTH = 8;

const KEYS = [
  ...'aadrrujkxnpcfseviqotw./?13'.split(''),
  ...['Enter', 'Enter', 'Enter', 'Space', 'Tab', 'Tab', 'Tab', 'Shift+Tab', 'Escape', 'Escape', 'Backspace'],
  ...['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageDown'],
  ...[
    'Shift+A',
    'Shift+X',
    'Control+a',
    'Control+k',
    'Control+Enter',
    'Control+Enter',
    'Control+s',
    'Control+j',
  ],
  ...['Alt+ArrowDown', 'g h', 'g b', 'g r'],
  // Most buttons are far from the title, where a view begins.
  ...[3, 7, 11, 15, 19, 23, 27, 31].map((times) => `${times}×Tab Enter`),
];

/** In a dialog, where most of the others do nothing. */
const KEYS_OF_DIALOG = [
  ...[
    'a',
    'r',
    'd',
    'u',
    'x',
    '1',
    '3',
    '.',
    'Tab',
    'Tab',
    'Shift+Tab',
    'Space',
    'Enter',
    'ArrowDown',
    'Backspace',
  ],
  ...['Escape', 'Escape', 'Escape', 'Control+Enter', 'Control+Enter', 'Control+Enter'],
];

/** Views with a record; all others are those of the code. */
const STARTS: readonly Route[] = [
  { path: 'lab/record?pid=labid%3Aada', token: 'cora' },
  { path: 'lab/record?pid=labid%3Aada&view=history', token: 'cora' },
  { path: 'lab/browse/Person?preview=labid%3Aada', token: 'cora' },
  { path: 'lab/merge?keep=labid%3Aada&drop=labid%3Abob', token: 'cora' },
  { path: 'lab/rename?pid=labid%3Acyd', token: 'cora' },
  { path: 'lab/edit?pid=labid%3Aada', token: 'ann' },
  { path: 'lab/new/Project', token: 'ann' },
  { path: 'lab/review/item?label=ann&pid=labid%3Abea', token: 'cora' },
];

/** Records, links, and submissions that wait. */
async function fill({ request }: TestService): Promise<void> {
  const put = (token: string, area: string, name: string, json: object) =>
    request('POST', `/lab/${area}record/${name}`, { token, json });
  await put('cora', 'curated/', 'Organization', organization('inst'));
  for (const name of ['ada', 'bob', 'cyd'])
    await put('cora', 'curated/', 'Person', person(name, { affiliations: ['labid:inst'] }));
  for (const name of ['ada', 'bea', 'dan', 'eve'])
    await put('ann', '', 'Person', person(name, { description: 'new' }));
}

/** All that keys could have stored, decided or deleted. */
async function stateOf({ request }: TestService): Promise<string> {
  const answers = await Promise.all([
    request('GET', '/lab/curated/records/', { token: 'cora' }),
    request('GET', '/lab/incoming/ann/records/', { token: 'cora' }),
    request('GET', '/-/lab/settings', { token: 'cora' }),
    request('GET', '/-/lab/review/decisions?size=1', { token: 'cora' }),
    ...KINDS.map((kind) => request('GET', `/${kind}`, { token: ADMIN })),
  ]);
  return answers.map(({ text }) => text).join('\n');
}

const KINDS = ['collections', 'tokens'] as const;
type Element = { readonly name: string };

/** Keys of administrators may have deleted what others use. */
async function keepConfiguration({ request }: TestService): Promise<() => Promise<void>> {
  const kept = await Promise.all(
    KINDS.map(
      async (kind) => [kind, (await request('GET', `/${kind}`, { token: ADMIN })).json<Element[]>()] as const,
    ),
  );
  return async () => {
    for (const [kind, elements] of kept)
      for (const json of elements) await request('PUT', `/${kind}/${json.name}`, { token: ADMIN, json });
  };
}

/** Links out of the desk lead nowhere, so that the keys stay in it. */
const STAY = `
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href]');
    if (!link) return;
    // Links in a picture have no such properties.
    const { href } = new URL(link.getAttribute('href'), location.href);
    if (link.getAttribute('target') === '_blank' || link.hasAttribute('download') || !href.startsWith(location.origin + '/-/desk/'))
      event.preventDefault();
  }, true);
`;

type Look = {
  readonly dialogs: number;
  /** Whether nothing has the focus. */
  readonly isLost: boolean;
  readonly isTyping: boolean;
  /** Whether Enter and the space bar press something. */
  readonly isControl: boolean;
  readonly url: string;
};

const LOOK = `(() => {
  const at = document.activeElement;
  const isControl = Boolean(at?.closest('a, button, input, select, textarea, summary, [role=option], [contenteditable]'));
  return {
    dialogs: document.querySelectorAll('dialog[open]').length,
    isLost: at === null || at === document.body,
    isTyping: isControl && !at.closest('a, button, summary') && !['checkbox', 'radio'].includes(at.type),
    isControl,
    url: location.href,
  };
})()`;

/** Whether a key may store, decide or delete something where it is pressed. */
function mayWrite(key: string, { dialogs, isTyping, isControl, url }: Look): boolean {
  if (key === 'Control+Enter' || key === 'Control+s' || key.endsWith('Tab Enter')) return true;
  if (key === 'Enter' || key === 'Space') return isControl;
  // The sides of a difference, and options that are stored as they are chosen.
  if (key.startsWith('Arrow')) return isControl;
  if (dialogs > 0 || isTyping) return false;
  return key === 'u' || (url.includes('/review') && ['a', 'Shift+A', 's'].includes(key));
}

/** @returns the page before the last one of the keys */
async function press(page: Page, keys: string): Promise<Look> {
  let before: Look | undefined;
  for (const part of keys.split(' ')) {
    before = await page.evaluate<Look>(LOOK);
    const [key = '', times = '1'] = part.split('×').reverse();
    for (let left = Number(times); left > 0; left--) await page.keyboard.press(key);
  }
  await settled(page);
  return before!;
}

/** What is wrong after a key; undefined if nothing is. */
function wrong(key: string, before: Look, after: Look): string | undefined {
  if (before.dialogs > 0 && after.dialogs === 0 && after.isLost)
    return 'the dialog is closed, and nothing has the focus';
  // Behind the last element, the tab key leads out of the page.
  if (!before.isLost && after.isLost && before.url === after.url && !key.endsWith('Tab'))
    return `${key} loses the focus`;
  return undefined;
}

test('random keys in every view break nothing, lose no focus, and store nothing but what they say', {
  skip,
}, async (t) => {
  const desk = await testDesk(t, PEOPLE);
  const { service, open, url, complaints } = desk;
  await fill(service);
  const restore = await keepConfiguration(service);
  const pages = new Map<string, Page>();
  for (const token of ['cora', 'ann', ADMIN]) pages.set(token, await steady(await open('', token)));
  const starts = [...STARTS, ...(await deskRoutes(pages.get('cora')!, 'lab'))];
  const found: string[] = [];
  const seen = { dialogs: 0, stores: 0 };
  for (let n = 0; n < SEQUENCES; n++) {
    const random = randomly(SEED + n);
    const { path, token } = starts[random(starts.length)]!;
    const page = pages.get(token)!;
    const pressed: string[] = [];
    const note = (problem: unknown) =>
      found.push(
        `ACCESSION_DESK_SEED=${SEED + n} ACCESSION_DESK_SEQUENCES=1: ${path} as ${token}, ${pressed.join(' ')}: ${problem}`,
      );
    try {
      await begin(page, url, { path, token });
      let state = await stateOf(service);
      let last: Look = await page.evaluate(LOOK);
      for (let step = 0; step < LENGTH; step++) {
        const keys = last.dialogs > 0 ? KEYS_OF_DIALOG : KEYS;
        const key = keys[random(keys.length)]!;
        pressed.push(key);
        const sent = writesOf(page);
        const before = await press(page, key);
        last = await page.evaluate(LOOK);
        if (last.dialogs > before.dialogs) seen.dialogs += 1;
        const problems = [wrong(key, before, last), ...complaints.splice(0)];
        if (sent.some()) {
          const next = await stateOf(service);
          if (next !== state && !mayWrite(key, before)) problems.push(`${key} has stored something`);
          if (next !== state) seen.stores += 1;
          state = next;
        }
        for (const problem of problems.filter((one) => one !== undefined)) note(problem);
      }
    } catch (error) {
      // The sequences that follow begin in a view of their own.
      note(error);
    }
    if (token === ADMIN) await restore();
  }
  t.diagnostic(
    `${SEQUENCES} sequences from ACCESSION_DESK_SEED=${SEED} in ${starts.length} views: ${seen.dialogs} dialogs, ${seen.stores} stores`,
  );
  assert.deepEqual(found, []);
});

/** Follows the requests of a page that may write. */
function writesOf(page: Page): { some(): boolean } {
  let some = false;
  const note = (request: { method(): string }) => {
    some ||= request.method() !== 'GET';
  };
  page.on('request', note);
  return {
    some: () => {
      page.off('request', note);
      return some;
    },
  };
}

/** A tab that stays in the desk, whatever is asked when it is left. */
async function steady(page: Page): Promise<Page> {
  await page.addInitScript(STAY);
  page.on('dialog', (dialog) => dialog.accept());
  return page;
}

/** Opens a view as in a new tab. */
async function begin(page: Page, url: Desk['url'], { path, token }: Route): Promise<void> {
  await page.evaluate(`
    localStorage.clear();
    sessionStorage.clear();
    sessionStorage.setItem('accession.test', '');
    sessionStorage.setItem('accession.token', ${JSON.stringify(token)});
  `);
  await page.goto(url + path);
  await settled(page);
}
