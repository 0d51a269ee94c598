/** The overview in the desk: its bars lead to the records that they count, and its numbers are kept as files. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { of, TAG } from '../../../../test/policies/world.ts';
import {
  accessProblems,
  assertFits,
  hasValue,
  PEOPLE,
  PHONE,
  skip,
  testDesk,
  useBrowser,
} from '../../../../test/support/desk.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

test('a reader goes from a bar to the records that it counts, and from a field to those without it', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const store = async (className: string, json: object, path = '/lab/curated') => {
    const token = path === '/lab' ? 'ann' : 'cora';
    const { status, text } = await service.request('POST', `${path}/record/${className}`, { token, json });
    assert.equal(status, 200, text);
  };
  for (const [at, kind] of ['article', 'article', 'thesis', undefined].entries())
    await store('Publication', {
      pid: `labid:pub${at}`,
      title: `Paper ${at}`,
      page_count: 10 + 100 * at,
      published: `20${10 + at}-01-02`,
      ...(kind && { publication_kind: kind }),
    });
  await store('Person', person('ada', { given_name: 'Ada' }));
  await store('Person', person('mei'), '/lab');

  const page = await open('lab/browse/Publication', 'reader', PHONE);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('4 records', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'article 2' }).waitFor();
  await assertFits(page);
  const saved = await keep(page, 'Save Values of Kind as CSV');
  assert.equal(saved, '\ufeffKind,Records\r\narticle,2\r\nthesis,1\r\n');
  assert.match(await keep(page, 'Save Values of Kind as SVG'), /^<svg[^>]*>(?!.*<a ).*article.*<\/svg>$/s);
  assert.match(await keep(page, 'Save Values of Kind as PNG'), /^.PNG/s);
  await page.getByRole('link', { name: 'article 2' }).click();
  await page.getByText('Paper 1').waitFor();
  assert.equal(await page.getByText('Paper 2').count(), 0);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('Records that match the filter: Kind: article').waitFor();
  await page.getByText('2 records', { exact: true }).waitFor();

  const wide = (await open('lab/overview', 'cora')).locator('main');
  await wide.getByRole('link', { name: 'Given name: 1 record without' }).waitFor({ state: 'detached' });
  await wide.getByRole('link', { name: 'Publication 4' }).waitFor();
  await wide.getByRole('link', { name: 'Person 1' }).first().waitFor();
  await wide.getByRole('link', { name: 'ann@example.org 1' }).waitFor();
  await wide.getByRole('link', { name: 'Publication kind: 1 record without' }).click();
  await wide.getByText('Paper 3').waitFor();
  assert.equal(await wide.getByText('Paper 1').count(), 0);
  assert.deepEqual(complaints, []);
});

/** What a button saves. */
async function keep(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name }).click(),
  ]);
  return readFileSync(await download.path(), 'utf8');
}

test('a reader looks around a record, opens groups and records by keys, and goes on to the next', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const store = async (className: string, json: object) => {
    const url = `/lab/curated/record/${className}`;
    const { status, text } = await service.request('POST', url, { token: 'cora', json });
    assert.equal(status, 200, text);
  };
  await store('Organization', { pid: 'labid:uni', name: 'Uni' });
  await store('Person', person('ada', { name: 'Ada', affiliations: ['labid:uni', 'labid:gone'] }));
  for (let at = 1; at <= 8; at++)
    await store('Publication', {
      pid: `labid:pub${at}`,
      title: `Paper ${at}`,
      authors: ['labid:ada'],
      ...(at === 8 && { about: ['labid:uni'] }),
    });

  const page = await open('lab/record?pid=labid%3Aada', 'reader', PHONE);
  await page.getByRole('link', { name: 'Surroundings' }).click();
  const picture = page.getByRole('group', { name: 'Surroundings of Ada' });
  await picture.getByRole('link', { name: 'Uni, Organization' }).waitFor();
  await picture.getByRole('link', { name: 'gone, not found' }).waitFor();
  assert.equal(await picture.getByRole('link', { name: /^Paper/ }).count(), 0);
  await assertFits(page);
  await isWhole(page, 'Surroundings of Ada');

  const group = picture.getByRole('button', { name: 'Publication: 8 records' });
  await group.focus();
  await page.keyboard.press('Enter');
  await picture.getByRole('link', { name: 'Paper 8, Publication' }).waitFor();
  assert.equal(await group.getAttribute('aria-expanded'), 'true');
  assert.equal(await page.locator(':focus > title').textContent(), 'Publication: 8 records');
  await picture.getByRole('button', { name: 'What is around Uni' }).focus();
  await page.keyboard.press('Space');
  const about = page.getByRole('row', { name: /Paper 8 .*About .*Uni/ });
  await page.getByText('Table', { exact: true }).click();
  await about.waitFor();
  await assertFits(page);
  assert.match(await keep(page, 'Save Surroundings of Ada as SVG'), /^<svg(?!.*class="sign").*Paper 8/s);
  await page.getByRole('button', { name: 'What is around Uni' }).press('Enter');
  await about.waitFor({ state: 'detached' });

  await picture.getByRole('link', { name: 'Paper 8, Publication' }).click();
  const next = page.getByRole('group', { name: 'Surroundings of Paper 8' });
  await next.getByRole('link', { name: 'Ada, Person' }).waitFor();
  await next.getByRole('link', { name: 'Paper 8, Publication' }).click();
  await page.getByRole('heading', { name: 'Paper 8' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a guest of a published collection has the overview of what everybody may read', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t, {
    ...PEOPLE,
    collections: {
      lab: { default_token: 'reader', policy_annotation_tag: TAG, policy_mapping: [of('cora', 'lab')] },
    },
  });
  const store = async (name: string, more: object) => {
    const json = person(name, more);
    const url = '/lab/curated/record/Person';
    const { status, text } = await service.request('POST', url, { token: 'cora', json });
    assert.equal(status, 200, text);
  };
  await store('ada', { given_name: 'Ada' });
  await store('mei', { annotations: { [TAG]: 'lab' } });

  const page = await open('lab/overview', undefined, PHONE);
  await page.getByText('1 record', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Records over time' }).waitFor();
  await page.getByRole('rowheader', { name: 'Given name' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Given name: 1 record without' }).count(), 0);
  await page.getByRole('link', { name: 'Person 1' }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Submissions by week' }).count(), 0);
  await assertFits(page);
  const curator = await open('lab/overview', 'cora');
  await curator.getByText('2 records', { exact: true }).waitFor();
  await curator.getByRole('link', { name: 'Given name: 1 record without' }).waitFor();
  await curator.getByRole('heading', { name: 'Submissions by week' }).waitFor();
  const decisions = curator.locator('figure', { hasText: 'Decisions by week' });
  await decisions.getByText('There is nothing to count.').waitFor();
  assert.equal(await decisions.getByText('Accepted').count(), 0, 'nothing needs a legend');
  assert.deepEqual(complaints, []);
});

/** Expects that all of a picture is in sight, without scrolling. */
async function isWhole(page: Page, name: string): Promise<void> {
  const isAll = `(() => {
    const of = document.querySelector('.structure[aria-label="${name}"]');
    return of.scrollWidth <= of.clientWidth && of.scrollHeight <= of.clientHeight;
  })()`;
  await eventually(
    `all of ${name}`,
    () => page.evaluate<boolean>(isAll),
    (is) => is,
  );
}

test('surroundings of no record say so', { skip }, async (t) => {
  const { open, complaints } = await testDesk(t);
  const page = await open('lab/surroundings', 'reader');
  await page.getByText('There is no such record.').waitFor();
  assert.deepEqual(complaints, []);
});

test('the schema is a picture whose classes lead to their overviews, and which is searched, scaled and kept', {
  skip,
}, async (t) => {
  const { open, complaints } = await testDesk(t);
  const page = await open('lab/overview', 'reader', PHONE);
  await page.getByRole('link', { name: 'Structure' }).click();
  const picture = page.getByRole('group', { name: 'Classes of lab' });
  await picture.getByRole('link', { name: 'Publication' }).waitFor();
  await isWhole(page, 'Classes of lab');
  const width = async () => Number(await picture.getAttribute('width'));
  const before = await width();
  await page.getByRole('button', { name: 'Larger' }).click();
  assert.ok((await width()) > before);
  await page.getByLabel('Find a class or a slot').fill('page_count');
  assert.equal(await picture.locator('rect[stroke="var(--ink)"]').count(), 1);
  await page.getByText('Table', { exact: true }).click();
  await page.getByText('Authors → Person').waitFor();
  assert.match(await keep(page, 'Save Classes of lab as SVG'), /Publication/);
  await assertFits(page);
  let loads = 0;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads += 1;
  });
  await picture.getByRole('link', { name: 'Publication' }).click();
  await page.getByText('0 records', { exact: true }).waitFor();
  assert.equal(loads, 0, 'the desk goes there without loading the page');
  assert.deepEqual(complaints, []);
});

test('the surroundings of a record that is missing say so, with the records that refer to it', {
  skip,
}, async (t) => {
  const { service, url, open, complaints } = await testDesk(t);
  const json = person('ada', { affiliations: ['labid:gone'] });
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json });
  const page = await open('lab/surroundings?pid=labid%3Agone', 'cora');
  await page.getByRole('heading', { name: 'There is no such record.' }).waitFor();
  await page.getByRole('main').getByText('ada', { exact: true }).first().waitFor();
  await page.goto(`${url}lab/surroundings?pid=labid%3Anowhere`);
  await page.getByRole('heading', { name: 'There is no such record.' }).waitFor();
  await page.getByText('labid:nowhere', { exact: true }).waitFor();
  assert.equal(await page.getByText('What refers to a record is on its left', { exact: false }).count(), 0);
  assert.deepEqual(complaints, []);
});

test('a range of Browse shows how many records have a value in each part, which a click chooses', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  for (const [at, year] of [2010, 2011, 2011, 2015].entries())
    await service.request('POST', '/lab/curated/record/Publication', {
      token: 'cora',
      json: { title: 'Paper', pid: `labid:p${at}`, published: `${year}-05-01` },
    });
  const page = await open('lab/browse/Publication', 'cora', { bypassCSP: true });
  const chart = page.getByRole('group', { name: 'Values of Published' });
  const bar = (name: string) => chart.getByRole('link', { name, exact: true });
  await bar('2011: 2').click();
  await page.getByText('2 records', { exact: true }).waitFor();
  await page.getByRole('list', { name: 'Filters' }).getByText('Published is at least 2011').waitFor();
  await bar('from 2015: 1').waitFor();
  assert.deepEqual(await accessProblems(page), []);
  await page.goBack();
  await page.getByText('4 records', { exact: true }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a part of a range of decimals excludes its end, which is shown and typed with few digits', {
  skip,
}, async (t) => {
  const schema = resolve(import.meta.dirname, '../../../../test/support/values.schema.yaml');
  const { service, open, complaints } = await testDesk(t, { ...PEOPLE, collections: { lab: { schema } } });
  for (const [at, height] of ['1.5', '1.95', '2.0', '3.1'].entries()) {
    const json = { pid: `ex:${at}`, name: 'Ada', height };
    const { status, text } = await service.request('POST', '/lab/curated/record/Person', {
      token: 'cora',
      json,
    });
    assert.equal(status, 200, text);
  }
  const page = await open('lab/browse/Person', 'cora', { bypassCSP: true });
  const height = page.getByRole('group', { name: 'Height', exact: true });
  await height.getByRole('link', { name: '1.9–2: 1', exact: true }).click();
  await page.getByText('1 record', { exact: true }).waitFor();
  const filters = page.getByRole('list', { name: 'Filters' });
  await filters.getByText('Height is less than 2', { exact: true }).waitFor();
  const end = height.getByLabel('To', { exact: true });
  await hasValue(end, '< 2');
  await end.fill('<3');
  await page.keyboard.press('Enter');
  await filters.getByText('Height is less than 3', { exact: true }).waitFor();
  await page.getByText('2 records', { exact: true }).waitFor();
  await end.fill('2');
  await page.keyboard.press('Enter');
  await filters.getByText('Height is at most 2', { exact: true }).waitFor();
  await page.getByText('2 records', { exact: true }).waitFor();
  assert.deepEqual(complaints, []);
});
