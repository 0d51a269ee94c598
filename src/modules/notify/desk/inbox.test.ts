/** The inbox in the desk: what is unread is counted in the rail, also in another browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFits, PEOPLE, PHONE, skip, testDesk, useBrowser } from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';
import { openMailServer } from '../smtp.support.ts';

useBrowser();

test('a submitter reads the question of a curator, and marks it as read for every browser', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const send = async (token: string, path: string, json: object) => {
    const { status, text } = await service.request('POST', path, { token, json });
    assert.equal(status, 200, text);
  };
  await send('ann', '/lab/record/Person', person('ada'));
  const comment = { label: 'ann', pid: 'labid:ada', text: 'Which Ada?', requests: 'answer' };
  await send('cora', '/-/lab/review/comments', comment);

  const curator = await open('lab/inbox', 'cora');
  await curator.getByText('ann@example.org submitted a record').waitFor();
  await curator.getByRole('main').getByRole('link', { name: 'ada' }).click();
  await curator.getByText('Which Ada?').waitFor();

  const page = await open('lab/inbox', 'ann', PHONE);
  await page.getByText('A curator asks a question').waitFor();
  await page.getByText('Which Ada?').waitFor();
  await assertFits(page);
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await page.getByRole('button', { name: 'Mark all as read' }).waitFor({ state: 'detached' });

  const other = await open('lab/inbox', 'ann');
  await other.getByText('A curator asks a question').waitFor();
  assert.equal(await other.getByRole('button', { name: 'Mark all as read' }).count(), 0);
  assert.deepEqual(complaints, []);
});

test('a curator reads more than a page, and is led to what became of an own submission', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const request = async (method: string, path: string, token: string, json?: object) => {
    const { status, text } = await service.request(method, path, { token, ...(json && { json }) });
    assert.equal(status, 200, text);
    return text;
  };
  await request('POST', '/lab/record/Person', 'carl', person('own'));
  const [{ label, digest }] = JSON.parse(await request('GET', '/-/lab/review/', 'cora')).items;
  const accept = { label, pid: 'labid:own', digest, decision: 'accept' };
  await request('POST', '/-/lab/review/decisions', 'cora', accept);
  for (let at = 0; at < 50; at++) await request('POST', '/lab/record/Person', 'ann', person(`p${at}`));

  const page = await open('lab/inbox', 'carl');
  await page.getByText('ann@example.org submitted a record').first().waitFor();
  await page.getByRole('link', { name: /^Inbox.* 50\+ unread$/ }).waitFor();
  assert.equal(await page.getByText('Your submission was accepted').count(), 0);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('Your submission was accepted').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0);
  await page.getByRole('main').getByRole('link', { name: 'own' }).click();
  await page.waitForURL(/record\b.*own/);
  assert.deepEqual(complaints, []);
});

test('a submitter chooses mail and a feed, and is told what became of the address', { skip }, async (t) => {
  const server = await openMailServer(t);
  const smtp = {
    host: '127.0.0.1',
    port: server.port,
    tls: 'none',
    from: 'records@institute.example',
    url: 'https://records.institute.example',
  };
  const lab = { ...PEOPLE.collections!.lab, smtp };
  const { service, open, complaints } = await testDesk(t, { ...PEOPLE, collections: { lab } });
  const page = await open('lab/inbox', 'ann', PHONE);
  await page.getByLabel('Send it by mail').selectOption('daily');
  assert.equal(await page.getByLabel('Address').inputValue(), 'ann@example.org');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('A link was sent to ann@example.org.').waitFor();
  await assertFits(page);
  const [mail] = await server.until('ann@example.org', 1);
  const link = /https:\/\/records.institute.example(\S+)/.exec(mail!.text)![1]!;
  assert.equal((await service.request('POST', link, {})).status, 200);
  await page.reload();
  await page.getByText('Mail is sent to ann@example.org.').waitFor();

  await page.getByRole('button', { name: 'Make a URL' }).click();
  const url = await page.locator('[data-secret]').textContent();
  const { pathname, search } = new URL(url!);
  const feed = () => service.request('GET', pathname + search, {});
  assert.equal((await feed()).status, 200);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('button', { name: 'End the URL' }).click();
  await page.getByRole('button', { name: 'Make a URL' }).waitFor();
  assert.equal((await feed()).status, 404);
  assert.deepEqual(complaints, []);
});
