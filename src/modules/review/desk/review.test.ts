/** Review in the desk: by mouse, by keyboard alone, by two curators at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestService } from '../../../../test/support/app.ts';
import {
  hasValue,
  intercept,
  lookAgain,
  settled,
  skip,
  testDesk,
  toast,
  useBrowser,
} from '../../../../test/support/desk.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { organization, person } from '../../../../test/support/people.ts';

useBrowser();

async function submit(service: TestService, name: string, more: object = {}): Promise<void> {
  const { status } = await service.request('POST', '/lab/record/Person', {
    token: 'ann',
    json: person(name, more),
  });
  assert.equal(status, 200);
}

async function curated(service: TestService, name: string): Promise<Record<string, unknown> | null> {
  return (await service.request('GET', `/lab/curated/record?pid=labid:${name}`, { token: 'cora' })).json();
}

async function waiting(service: TestService): Promise<number> {
  return (await service.request('GET', '/-/lab/review/summary', { token: 'cora' })).json<{ total: number }>()
    .total;
}

/** A submission as it is reviewed. */
async function itemOf(service: TestService, name: string): Promise<{ digest: string }> {
  const url = `/-/lab/review/item?label=ann&pid=labid:${name}`;
  return (await service.request('GET', url, { token: 'cora' })).json<{ digest: string }>();
}

test('a stranger submits five records; one is rejected, one merged, three accepted; the rejected one comes back corrected', {
  skip,
}, async (t) => {
  const { service, open, complaints, url } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', {
    token: 'cora',
    json: person('merged', { email: 'old@example.org' }),
  });
  for (const name of ['one', 'two', 'three', 'wrong']) await submit(service, name);
  await submit(service, 'merged', { email: 'new@example.org' });
  await service.request('POST', '/lab/curated/record/Person', {
    token: 'cora',
    json: person('merged', { email: 'other@example.org' }),
  });

  const page = await open('lab/review', 'cora');
  await page.getByText('5 submissions').waitFor();
  await page.getByRole('link', { name: 'wrong' }).click();
  await page.getByRole('button', { name: /^Reject/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Reject/ })
    .click();
  await page.getByText('A reason is required').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).focus();
  await page.keyboard.type('and please');
  await hasValue(page.getByLabel(/^Reason/), 'and please', 'words are not keys');
  await page.getByLabel(/^Reason/).fill('The email is missing.');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Reject/ })
    .click();
  await toast(page, 'Rejected wrong: The email is missing.');
  await page.goto(url);
  await page.getByRole('link', { name: 'wrong' }).click();
  await page.getByRole('heading', { name: 'wrong' }).waitFor();
  assert.match(page.url(), /review\/item\?label=ann&pid=labid/);

  await page.goto(`${url}lab/review/item?label=ann&pid=labid%3Amerged`);
  await page.getByRole('button', { name: /^Accept/ }).click();
  assert.equal(await waiting(service), 4, 'an open conflict is not accepted');
  await page.getByRole('radio', { name: 'Submitted: Email' }).check({ force: true });
  await page.getByText('1 of 1 conflict settled').waitFor();
  await page.getByRole('button', { name: /^Accept/ }).click();
  await toast(page, 'Accepted merged.');
  assert.equal((await curated(service, 'merged'))?.email, 'new@example.org');

  await page.goto(`${url}lab/review`);
  await page.getByRole('button', { name: /^Accept 3 new and valid/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Accept 3/ })
    .click();
  await toast(page, '3 submissions decided');
  for (const name of ['one', 'two', 'three']) assert.ok(await curated(service, name));
  assert.equal(await waiting(service), 0);

  const stranger = await open('', 'ann');
  await stranger.getByRole('heading', { name: 'Submission to lab is to be corrected' }).waitFor();
  await stranger.getByText('The email is missing.').waitFor();
  await stranger.getByRole('link', { name: 'My submissions 1 to correct' }).waitFor();
  await stranger.getByRole('link', { name: 'Correct', exact: true }).click();
  await stranger.getByText('The email is missing.').waitFor();
  await stranger.getByRole('link', { name: 'Correct and resubmit' }).click();
  await stranger.getByLabel(/^Email/).fill('right@example.org');
  await stranger.keyboard.press('Control+Enter');
  await stranger.getByRole('heading', { name: 'My submissions' }).waitFor();
  assert.equal(await waiting(service), 1);
  await stranger.getByRole('link', { name: 'My submissions', exact: true }).first().waitFor();
  await page.goto(`${url}lab/review/item?label=ann&pid=labid%3Awrong`);
  await page.getByText('The email is missing. (on other content)').waitFor();
  await page.keyboard.press('a');
  await toast(page, 'Accepted wrong.');
  assert.equal((await curated(service, 'wrong'))?.email, 'right@example.org');
  await stranger.reload();
  await stranger.locator('.st-accepted').first().waitFor();
  assert.deepEqual(complaints, []);
});

test('the keyboard alone reviews a queue: open, choose a side, reject, defer, accept, undo', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', {
    token: 'cora',
    json: person('amber', { email: 'a@example.org' }),
  });
  await submit(service, 'amber', { email: 'b@example.org', given_name: 'Amber' });
  for (const name of ['bea', 'cyd', 'dan']) await submit(service, name);
  const page = await open('lab/review', 'cora');
  await page.getByText('4 submissions').waitFor();
  await page.getByRole('link', { name: 'dan' }).first().waitFor();
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await press('Enter');
  await page.getByRole('heading', { name: 'amber' }).waitFor();
  await press('j', '2');
  await page.getByText('Result: 1 from the submission, 1 from curated').waitFor();
  await press('a');
  await toast(page, 'Accepted amber.');
  assert.deepEqual(
    [(await curated(service, 'amber'))?.email, (await curated(service, 'amber'))?.given_name],
    ['a@example.org', 'Amber'],
  );
  await page.getByRole('heading', { name: 'bea' }).waitFor();
  await press('r');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('Not ours.');
  await press('Control+Enter');
  await toast(page, 'Rejected bea: Not ours.');
  await page.getByRole('heading', { name: 'cyd' }).waitFor();
  await press('d');
  await page.getByRole('dialog').waitFor();
  await press('Control+Enter');
  await toast(page, 'Deferred cyd.');
  await page.getByRole('heading', { name: 'dan' }).waitFor();
  await press('r');
  await page.getByRole('dialog').getByText('Not ours.').waitFor();
  await press('1', 'Control+Enter');
  await toast(page, 'Rejected dan: Not ours.');
  await page.getByText('No submissions wait').waitFor();
  await press('u');
  await toast(page, 'Undone: dan waits again.');
  assert.equal(await waiting(service), 1);
  await Promise.all([press('g'), press('r')]);
  await page.getByText('1 submission', { exact: true }).waitFor();
  await press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByText('In the queue').waitFor();
  await press('Escape');
  await press('x');
  await page.getByText('1 selected').waitFor();
});

test('an accepted record is edited in a form before it is stored', { skip }, async (t) => {
  const { service, open } = await testDesk(t);
  await submit(service, 'eve', { email: 'eve@example.org' });
  const page = await open('lab/review/item?label=ann&pid=labid%3Aeve', 'cora');
  await page.getByRole('heading', { name: 'eve' }).waitFor();
  await page.keyboard.press('f');
  await page
    .getByRole('dialog')
    .getByLabel(/^Email/)
    .fill('curated@example.org');
  await page.keyboard.press('Control+Enter');
  await toast(page, 'Accepted eve.');
  assert.equal((await curated(service, 'eve'))?.email, 'curated@example.org');
  const submitter = await open('lab/submissions', 'ann');
  await submitter.getByText('Accepted with 1 change by the curator').waitFor();
});

test('the queue names the slots that a submission changes as the schema does', { skip }, async (t) => {
  const { service, open } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('hal') });
  await submit(service, 'hal', { orcid: 'orcid:0000-0002-1825-0097' });
  const page = await open('lab/review', 'cora');
  await page.getByRole('cell', { name: 'ORCID iD', exact: true }).waitFor();
  // Of a new record, identifier and class are not counted: it has a name and a family name.
  await submit(service, 'ivy');
  await page.reload();
  await page.getByRole('cell', { name: '2 slots', exact: true }).waitFor();
});

test('differences are in the order of the schema, with the name first', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const project = (name: string, project_status: string, amount: string) => ({
    pid: 'labid:p',
    name,
    project_status,
    budget: { amount, currency: 'CHF' },
  });
  for (const [token, url, json] of [
    ['cora', '/lab/curated/record/Project', project('Old', 'planned', '10')],
    ['ann', '/lab/record/Project', project('New', 'running', '20')],
  ] as const)
    assert.equal((await service.request('POST', url, { token, json })).status, 200);
  const page = await open('lab/review/item?label=ann&pid=labid%3Ap', 'cora');
  await page.getByRole('rowheader', { name: /^Amount/ }).waitFor();
  const titles = await page.locator('.diff th[scope="row"] > bdi').allTextContents();
  assert.deepEqual(titles, ['Name', 'Status', 'Amount']);
  assert.deepEqual(complaints, []);
});

test('a link of an earlier release, which names the zone by its label, filters by the zone', {
  skip,
}, async (t) => {
  const { service, open, url } = await testDesk(t);
  for (const token of ['ann', 'carl'])
    await service.request('POST', '/lab/record/Person', { token, json: person(`of-${token}`) });
  const page = await open('lab/review?label=ann&state=new', 'cora');
  await page.getByText('1 submission', { exact: true }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'of-ann' }).waitFor();
  await page.waitForURL(`${url}lab/review?state=new&zone=ann`);
});

test('who returns to the queue while the service is away sees its rows, and what a key could not do', {
  skip,
}, async (t) => {
  const { service, open, url } = await testDesk(t);
  await submit(service, 'hal');
  const page = await open('lab/review', 'cora');
  await page.getByRole('link', { name: 'hal' }).click();
  await page.getByRole('button', { name: /^Accept/ }).waitFor();
  await intercept(
    page,
    ({ href }) => !href.startsWith(url),
    (route) => route.abort(),
  );
  await page.keyboard.press('Escape');
  await page.getByText('The service does not respond.', { exact: false }).first().waitFor();
  await page.getByRole('link', { name: 'hal' }).waitFor();
  await page.keyboard.press('a');
  await page.getByText(/^Not done: “hal” is as it was/).waitFor();
  assert.equal(await waiting(service), 1);
});

test('records that wait with a submission are called by their titles, wherever they are in the queue', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  const json = organization('norbury', { name: 'University of Norbury' });
  await service.request('POST', '/lab/record/Organization', { token: 'ann', json });
  for (let n = 0; n < 8; n++) await submit(service, `between-${n}`);
  await submit(service, 'ada', { affiliations: ['labid:norbury'] });
  const page = await open('lab/review/item?label=ann&pid=labid%3Aada', 'cora');
  await page.getByRole('heading', { name: 'ada' }).waitFor();
  await page.getByRole('link', { name: /University of Norbury/ }).waitFor();
});

test('a submission that links to a curated record is listed beside it, and leads to its review', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const norbury = { token: 'cora', json: organization('norbury') };
  await service.request('POST', '/lab/curated/record/Organization', norbury);
  const json = person('cy', { name: 'Cy Hill', affiliations: ['labid:norbury'] });
  await service.request('POST', '/lab/record/Person', { token: 'ann', json });
  const page = await open('lab/record?pid=labid:norbury', 'cora');
  const links = page.getByRole('region', { name: 'Links to this record' });
  await links.getByText('ann', { exact: true }).waitFor();
  await links.getByRole('link', { name: 'Cy Hill' }).click();
  await page.getByText('1 of 1', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Cy Hill' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('what one curator decides, the other learns on the next action, and nothing is applied twice', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  for (const name of ['fay', 'gus']) await submit(service, name);
  const [cora, carl] = [await open('lab/review', 'cora'), await open('lab/review', 'carl')];
  for (const page of [cora, carl]) await page.getByText('2 submissions').waitFor();
  await carl.keyboard.press('r');
  await carl.getByRole('dialog').waitFor();
  await cora.keyboard.press('a');
  await toast(cora, 'Accepted fay.');
  await carl.keyboard.type('Too late.');
  await carl.keyboard.press('Control+Enter');
  await carl
    .getByText(/cora@example.org has already decided: fay is accepted/)
    .first()
    .waitFor();
  await carl.getByText('1 submission', { exact: true }).waitFor();
  const { items } = (await service.request('GET', '/-/lab/review/decisions', { token: 'cora' })).json<{
    items: object[];
  }>();
  assert.equal(items.length, 1);
});

test('undo from the list of decisions puts a submission back', { skip }, async (t) => {
  const { service, open } = await testDesk(t);
  await submit(service, 'hal');
  const page = await open('lab/review', 'cora');
  await page.getByText('1 submission', { exact: true }).waitFor();
  await page.keyboard.press('a');
  await toast(page, 'Accepted hal.');
  await page.getByRole('link', { name: 'Decisions' }).click();
  await page.getByRole('button', { name: 'Undo this decision' }).click();
  await toast(page, /^Undone/);
  assert.equal(await curated(service, 'hal'), null);
  assert.equal(await waiting(service), 1);
});

test('the keys of a view are dead while a dialog is open, and Escape closes one layer', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  for (const name of ['abe', 'bea', 'cyd']) await submit(service, name);
  const page = await open('lab/review/item?label=ann&pid=labid%3Aabe', 'cora');
  const heading = page.getByRole('heading', { name: 'abe' });
  const dialog = page.getByRole('dialog');
  const type = async (keys: string) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await heading.waitFor();
  await type('r');
  await dialog.getByLabel(/^Reason/).fill('A recent reason.');
  await page.keyboard.press('Control+Enter');
  await toast(page, 'Rejected abe: A recent reason.');
  await page.getByRole('heading', { name: 'bea' }).waitFor();

  await type('r');
  await dialog.getByRole('radio', { name: /A recent reason/ }).check();
  await type('and please jnkeu');
  await dialog.getByRole('button', { name: /Cancel/ }).focus();
  await type('at');
  await hasValue(
    dialog.getByLabel(/^Reason/),
    'A recent reason. and please jnkeu at',
    'what is typed beside the field belongs there',
  );
  assert.equal(await waiting(service), 2, 'nothing is decided behind the dialog');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'bea' }).waitFor();

  await type('?');
  await dialog.waitFor();
  await type('a');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await waiting(service), 2);

  await type('f');
  const affiliations = dialog.getByRole('combobox', { name: 'Affiliations' });
  await affiliations.fill('none');
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('option').first().waitFor({ state: 'detached' });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'bea' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('2 submissions').waitFor();
});

test('S settles the only conflict and accepts; of two conflicts, each asks for its side', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const contact = (of: string) => ({ email: `${of}@example.org`, given_name: `By ${of}` });
  const curate = (name: string, more: object) =>
    service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person(name, more) });
  const old = contact('old');
  const other = contact('other');
  for (const [name, later] of [
    ['both', other],
    ['single', { ...old, email: other.email }],
  ] as const) {
    await curate(name, old);
    await submit(service, name, name === 'both' ? contact('new') : { ...old, email: 'new@example.org' });
    await curate(name, later);
  }

  const page = await open('lab/review', 'cora');
  await page.getByRole('link', { name: 'both' }).first().click();
  await page.getByText('other@example.org').first().waitFor();
  await settled(page);
  await page.keyboard.press('s');
  await page.locator(':focus').and(page.getByRole('radio')).waitFor();
  assert.equal(await waiting(service), 2, 'nothing is decided while two conflicts are open');

  await page.keyboard.press('n');
  await page.getByRole('heading', { name: 'single' }).waitFor();
  await page.getByText('other@example.org').first().waitFor();
  await settled(page);
  await page.keyboard.press('s');
  await toast(page, 'Accepted single.');
  assert.equal((await curated(service, 'single'))?.email, 'new@example.org');
  await page.keyboard.press('u');
  await toast(page, 'Undone: single waits again.');
  assert.equal((await curated(service, 'single'))?.email, 'other@example.org');
  assert.equal(await waiting(service), 2);
  assert.deepEqual(complaints, []);
});

test('U undoes the decision before it, while that is being sent and while the next submission is read', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  for (const name of ['abe', 'bea']) await submit(service, name);
  const page = await open('lab/review/item?label=ann&pid=labid%3Aabe', 'cora');
  // The position may be there before the submission, and with it the keys that decide.
  await page.getByRole('heading', { name: 'abe' }).waitFor();
  await page.getByText('1 of 2').waitFor();
  /** Holds one request of the page until it is let go. */
  const hold = async (pattern: RegExp) => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const arrived = page.waitForRequest(pattern);
    await intercept(page, pattern, async (route) => {
      await held;
      await route.continue();
    });
    return { arrived, letGo };
  };
  const undone = async () => {
    await toast(page, 'Undone: abe waits again.');
    await page.getByRole('heading', { name: 'abe' }).waitFor();
    await page.getByText('1 of 2').waitFor();
    assert.equal(await curated(service, 'abe'), null);
    assert.equal(await waiting(service), 2);
    await page.unrouteAll();
  };

  const next = await hold(/review\/item\?label=ann&pid=labid%3Abea/);
  await page.keyboard.press('a');
  await toast(page, 'Accepted abe.');
  await next.arrived;
  assert.equal(await page.getByRole('heading', { name: 'bea' }).count(), 0);
  await page.keyboard.press('u');
  await toast(page, 'Undone: abe waits again.');
  next.letGo();
  await undone();

  const decision = await hold(/review\/decisions$/);
  await page.keyboard.press('a');
  await decision.arrived;
  await page.keyboard.press('u');
  // The words of the first undo may still stand, so that only the answer says that the second is made.
  const answered = page.waitForResponse(/review\/decisions\/undo$/);
  decision.letGo();
  await answered;
  await undone();
  assert.deepEqual(complaints, []);
});

test('a submission is accepted without a record that it refers to and that was rejected', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  const store = (className: string, json: object) =>
    service.request('POST', `/lab/record/${className}`, { token: 'ann', json });
  await store('Organization', organization('norbury', { name: 'Norbury' }));
  await store('Person', person('ada', { affiliations: ['labid:norbury'] }));
  const address = (name: string) => `lab/review/item?label=ann&pid=labid%3A${name}`;
  const page = await open(address('ada'), 'cora');
  const together = page.getByLabel('Accept it in the same step');
  await together.waitFor();
  assert.ok(await together.isChecked());
  await page.goto(url + address('norbury'));
  await page.getByRole('heading', { name: 'Norbury', level: 1 }).waitFor();
  await page.keyboard.press('r');
  await page.getByRole('dialog').getByRole('textbox').fill('Not ours.');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Rejected Norbury', { exact: false }).first().waitFor();
  await page.goto(url + address('ada'));
  await page
    .getByRole('region', { name: 'About' })
    .or(page.getByText('1 submitted record'))
    .first()
    .waitFor();
  assert.equal(await together.count(), 0);
  await page.keyboard.press('a');
  await page.getByText('Accepted ada', { exact: false }).first().waitFor();
  const stored = await service.request('GET', '/lab/curated/record?pid=labid:norbury', { token: 'cora' });
  assert.equal(stored.json(), null);
  assert.deepEqual(complaints, []);
});

test('what is typed about a submission stays, and is no key, when a colleague decides on it', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  for (const name of ['abe', 'bea']) await submit(service, name);
  const page = await open('lab/review/item?label=ann&pid=labid%3Aabe', 'cora');
  await page.getByRole('heading', { name: 'abe' }).waitFor();
  // The view follows the counts beside it, once they are there.
  await page.getByRole('navigation').getByRole('link', { name: 'Review 2' }).waitFor();
  await page.keyboard.press('r');
  const reason = page.getByRole('dialog').getByLabel('Reason');
  await reason.fill('Not');
  // Before the decision: the view may read the submission again at once.
  let isGone = false;
  page.on('response', (response) => {
    isGone ||= response.url().includes('/review/item?') && response.status() === 404;
  });
  const { digest } = await itemOf(service, 'abe');
  const json = { label: 'ann', pid: 'labid:abe', digest, decision: 'accept' };
  await service.request('POST', '/-/lab/review/decisions', { token: 'carl', json });
  await eventually('the view reads that it is gone', async () => {
    await lookAgain(page);
    return isGone;
  });
  // On the page of a submission that is gone, N leads to the next one, and A accepts it.
  await page.keyboard.type(' a n a');
  await hasValue(reason, 'Not a n a');
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'This submission has left the queue' }).waitFor();
  assert.equal(await waiting(service), 1);
});
