/** Policies in the desk: restricted records are marked, curators see who reads them, and a change is previewed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN } from '../support/app.ts';
import { assertFits, PEOPLE, PHONE, skip, testDesk, useBrowser } from '../support/desk.ts';
import { lacks } from '../support/lacks.ts';
import { person } from '../support/people.ts';

useBrowser();

const TAG = 'lab:policy';
const policies = {
  policy_annotation_tag: TAG,
  policy_mapping: [
    { auth_source: 'config', user_id: 'ann@example.org', authorized_by: ['patients'] },
    { auth_source: 'config', user_id: 'cora@example.org', authorized_by: ['patients', 'staff'] },
  ],
};

test('restricted records have a lock, curators see their readers, and forms offer policies', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t, {
    ...PEOPLE,
    collections: { lab: { ...PEOPLE.collections!.lab, ...policies } },
  });
  for (const json of [
    person('open'),
    person('trial', { annotations: { [TAG]: 'patients' } }),
    person('wage', { annotations: { [TAG]: 'staff' } }),
  ])
    await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json });

  const page = await open('lab/record?pid=labid%3Atrial', 'cora');
  await page.getByText('Restricted: patients').waitFor();
  const readers = page.getByRole('region', { name: 'Who sees it' });
  await readers.getByText('The record requires: patients').waitFor();
  assert.equal(await readers.getByRole('listitem').count(), 2);

  const own = await open('lab/browse/Person', 'ann');
  await own.getByRole('link', { name: 'trial' }).waitFor();
  assert.equal(await own.getByRole('link', { name: 'wage' }).count(), 0);
  await own.goto(own.url().replace('browse/Person', 'edit?pid=labid%3Aopen'));
  await own.getByLabel('Policy', { exact: true }).selectOption('patients');
  await own
    .getByRole('button', { name: /^Submit/ })
    .first()
    .click();
  await own.locator('.toast').waitFor();
  const zone = await service.request('GET', '/lab/incoming/ann/records/', { token: 'cora' });
  assert.deepEqual(zone.json<{ annotations: object }[]>()[0]?.annotations, { [TAG]: 'patients' });
  assert.deepEqual(complaints, []);
});

test('administrators see who gains and who loses records before they set policies', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  for (const json of [person('open'), person('trial', { annotations: { [TAG]: 'patients' } })])
    await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json });
  const page = await open('admin/collections', ADMIN);
  await page.getByRole('button', { name: /^Edit/ }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Policies', { exact: true }).click();
  await dialog.getByLabel('Annotation that names the policy of a record').fill(TAG);
  await dialog.getByRole('button', { name: 'Give policies to a person' }).click();
  await dialog.getByLabel('User', { exact: true }).fill('ann@example.org');
  await dialog.getByLabel('Policies, separated by commas').fill('staff');
  await dialog.getByRole('button', { name: /^Save/ }).click();
  await dialog.getByText('Restricted records: 1 of 2 (before: 0)').waitFor();
  await dialog.getByText('ann@example.org: loses 1 record, sees 1 then').waitFor();
  const kept = await service.request('GET', '/collections/lab', { token: ADMIN });
  assert.equal(kept.json<{ policy_annotation_tag?: string }>().policy_annotation_tag, undefined);
  await dialog.getByRole('button', { name: /^Save anyway/ }).click();
  await page.locator('.toast').waitFor();
  const set = await service.request('GET', '/collections/lab', { token: ADMIN });
  assert.equal(set.json<{ policy_annotation_tag?: string }>().policy_annotation_tag, TAG);
});

test('a collection shows a sample to everybody: readers keep all records, and a guest learns whom to ask', {
  skip: skip || lacks('publish'),
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t, {
    collections: { lab: { default_token: 'visitor' } },
    tokens: { visitor: { lab: 'NOTHING' }, ann: { lab: 'READ_CURATED' }, cora: { lab: 'CURATOR' } },
  });
  const { request } = service;
  const store = (json: object) => request('POST', '/lab/curated/record/Person', { token: 'cora', json });
  await store(person('kept'));
  await store(person('shown', { annotations: { policy: 'sample' } }));
  await request('PUT', '/-/lab/settings', {
    token: 'cora',
    json: { publish: { contact: 'data@example.org' } },
  });
  const page = await open('admin/collections', ADMIN);
  await page.getByRole('button', { name: /^Edit/ }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Policies', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Show a sample to everybody' }).click();
  await dialog.getByRole('button', { name: /^Save/ }).click();
  await page.locator('.toast').waitFor();
  const visitor = (await request('GET', '/tokens/visitor', { token: ADMIN })).json<object>();
  const collections = { lab: { mode: 'READ_CURATED' } };
  await request('PUT', '/tokens/visitor', { token: ADMIN, json: { ...visitor, collections } });
  const seen = async (token?: string) =>
    (await request('GET', '/lab/records/', token ? { token } : {}))
      .json<{ name: string }[]>()
      .map(({ name }) => name);
  assert.deepEqual([await seen('ann'), await seen()], [['kept', 'shown'], ['shown']]);
  const guest = await open('lab/browse/Person', undefined, PHONE);
  await guest.getByText(/^A sample of .*: these are the records that everybody may see/).waitFor();
  await guest.getByRole('link', { name: 'data@example.org' }).waitFor();
  await guest.getByRole('link', { name: 'shown' }).waitFor();
  await assertFits(guest);
  await guest.goto(url);
  await guest.getByText('read a sample').first().waitFor();
  await guest.goto(`${url}sign-in?next=%2F-%2Fdesk%2Flab%2Fbrowse`);
  await guest.getByText('A sample of it can be read without a token:').waitFor();
  const reader = await open('lab/browse/Person', 'ann');
  await reader.getByRole('link', { name: 'kept' }).waitFor();
  assert.equal(await reader.getByText(/^A sample of/).count(), 0);
  assert.deepEqual(complaints, []);
});
