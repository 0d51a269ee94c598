/** The programs of the page for Python are run as they are written, beside a service. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { listening } from '../cli/service.ts';
import { person } from '../support/people.ts';
import { openReceiver } from '../support/receiver.ts';
import { blocksOf } from './page.ts';

const PYTHON = 'python3';
const isThere = spawnSync(PYTHON, ['-c', 'import requests']).status === 0;

/** Prints what the page has found, and whether a delivery and a changed one are verified. */
const REPORT = `
import json
import os

delivery = json.loads(os.environ["DELIVERY"])
body = delivery["body"].encode()
answers = [verified(delivery["secret"], delivery["headers"], text) for text in (body, body + b" ")]
print(json.dumps([sorted(people), answers]))
`;

test('the programs of the page for Python read, change, follow and verify', {
  skip: !isThere && 'Python has no package requests',
}, async (t) => {
  const service = await listening(t);
  const put = (name: string) =>
    service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: person(name) });
  for (const name of ['person-ada-abe', 'b', 'c']) await put(name);
  const receiver = await openReceiver(t);
  const hook = await service.request('PUT', '/-/lab/webhooks/python', {
    token: 'cur',
    json: { url: receiver.url },
  });
  await service.request('POST', '/-/lab/webhooks/python/test', { token: 'cur' });
  const { headers, body } = receiver.received[0]!;
  const { secret } = hook.json<{ secret: string }>();

  const page = blocksOf('docs/how-to/use-python.md', 'python').join('\n');
  const program = page
    .replaceAll('http://127.0.0.1:8000', service.url)
    .replaceAll('"lab-curator"', '"cur"')
    .replaceAll('"laboratory"', '"lab"')
    .replaceAll('size=100', 'size=2');
  const DELIVERY = JSON.stringify({ headers, body, secret });
  const { stdout } = await promisify(execFile)(PYTHON, ['-c', program + REPORT], {
    env: { ...process.env, DELIVERY },
  });
  const [followed, report = ''] = stdout.trimEnd().split('\n');
  assert.equal(followed, 'created labid:person-ada-abe');
  assert.deepEqual(JSON.parse(report), [
    ['labid:b', 'labid:c', 'labid:person-ada-abe'],
    [true, false],
  ]);
  const changed = await service.request('GET', '/lab/curated/record?pid=labid:person-ada-abe', {
    token: 'cur',
  });
  assert.match(changed.text, /Changed from Python/);
});
