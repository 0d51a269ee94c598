/** Policies in the desk: restricted records are marked, curators see who reads them, and a change is previewed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN } from '../support/app.ts';
import { PEOPLE, skip, testDesk, useBrowser } from '../support/desk.ts';
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
