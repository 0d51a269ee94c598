/** Every delivery of many changes, verified and parsed by the libraries for receivers in JavaScript and in Python. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { listening } from '../../../test/cli/service.ts';
import { missing } from '../../../test/support/installed.ts';
import { person } from '../../../test/support/people.ts';
import { environmentWith } from '../../../test/support/python.ts';
import { openReceiver } from '../../../test/support/receiver.ts';
import { parsedEvent, verifyPayload } from './libraries.ts';

const found = await environmentWith('receivers-1', ['standardwebhooks==1.1.0', 'cloudevents==2.2.0']);
const skip = 'missing' in found ? found.missing : missing('standardwebhooks') || missing('cloudevents');

const CHANGES = 300;

test('standardwebhooks verifies and cloudevents parses every delivery, in JavaScript and in Python', {
  skip,
}, async (t) => {
  const service = await listening(t);
  const formats = ['json', 'cloudevents'] as const;
  const hooks = await Promise.all(
    formats.map(async (format) => {
      const receiver = await openReceiver(t);
      const json = { url: receiver.url, ...(format === 'cloudevents' && { format }) };
      const { status, text, ...answer } = await service.request('PUT', `/-/lab/webhooks/${format}`, {
        token: 'cur',
        json,
      });
      assert.equal(status, 200, text);
      return {
        receiver,
        secret: answer.json<{ secret: string }>().secret,
        isEvent: format === 'cloudevents',
      };
    }),
  );
  for (let at = 0; at < CHANGES; at++) {
    // Strings with what signatures and transports may spoil.
    const json = person(`p${at % 40}`, { given_name: `${at} é \u2028 "\\ 😀` });
    if (at % 7 === 3)
      await service.request('DELETE', `/lab/curated/record?pid=labid:p${at % 40}`, { token: 'cur' });
    else await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json });
  }
  const { json } = await service.request('GET', '/-/lab/curated/changes?limit=1000', { token: 'cur' });
  const { items } = json<{ items: { pid: string; kind: string }[] }>();
  await Promise.all(hooks.map(({ receiver }) => receiver.until(items.length)));

  const deliveries = hooks.flatMap(({ receiver, secret, isEvent }) =>
    receiver.received.map((one) => ({ ...one, secret, event: isEvent })),
  );
  const read = deliveries.map((one): string[] => {
    const payload = verifyPayload(one.secret, one) as { type: string; data: { pid: string } };
    const event = one.event ? parsedEvent(one) : { ...payload, id: String(one.headers['webhook-id']) };
    if ('validate' in event) assert.ok(event.validate());
    return [event.type, event.id, event.data.pid];
  });
  const pids = items.map(({ pid }) => pid);
  assert.deepEqual(
    read.map(([, , pid]) => pid),
    [...pids, ...pids],
  );
  const python = join((found as { venv: string }).venv, 'bin/python');
  const child = spawn(python, [join(import.meta.dirname, 'verify.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ deliveries }));
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  assert.deepEqual(JSON.parse(output), read);
  t.diagnostic(`${read.length} deliveries`);
});
