import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { testApp } from '../../../test/support/app.ts';
import { openReceiver } from '../../../test/support/receiver.ts';

test('tests of webhooks wait within the share of their client', async (t) => {
  const service = await testApp(
    t,
    { collections: { c: {} }, tokens: { cur: { c: 'CURATOR' } } },
    { limits: { waiting: 16 } },
  );
  const { server } = service.app;
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const receiver = await openReceiver(t);
  let release = () => {};
  const held = new Promise<number>((resolve) => {
    release = () => resolve(200);
  });
  receiver.answers = () => held;
  const json = { url: receiver.url };
  assert.equal((await service.request('PUT', '/-/c/webhooks/site', { token: 'cur', json })).status, 200);
  const sendTest = async () => {
    const url = `http://127.0.0.1:${port}/-/c/webhooks/site/test`;
    const headers = { 'x-service-token': 'cur', connection: 'close' };
    return (await fetch(url, { method: 'POST', headers })).status;
  };
  const sent = [sendTest(), sendTest()];
  await receiver.until(2);
  assert.equal(await sendTest(), 503);
  release();
  assert.deepEqual(await Promise.all(sent), [200, 200]);
  assert.equal(await sendTest(), 200);
});
