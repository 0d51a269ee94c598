/** Clients that others wrote, sickle and oaipmh-scythe, harvest under writers, fully and step by step, and have the same records. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { listening } from '../../../../test/cli/service.ts';
import { person } from '../../../../test/support/people.ts';
import { environmentWith } from '../../../../test/support/python.ts';

const found = await environmentWith('harvesters-1', ['sickle==0.7.0', 'oaipmh-scythe==0.16.0']);
const skip = 'missing' in found ? found.missing : false;
const python = 'venv' in found ? join(found.venv, 'bin/python') : '';

const RECORDS = 300;
const HARVESTS = 5;
const WRITERS = 3;

test('two clients have the same records as the collection, whatever is written while they harvest', {
  skip,
}, async (t) => {
  const service = await listening(t);
  const names = Array.from({ length: RECORDS }, (_, at) => `p${at}`);
  const put = (name: string, title: string) =>
    service.request('POST', '/lab/curated/record/Person', {
      token: 'cur',
      json: person(name, { name: title }),
    });
  for (const name of names) await put(name, name);
  const client = () => {
    const args = [join(import.meta.dirname, 'harvest.py'), `${service.url}/-/lab/oai`, 'cur'];
    const child = spawn(python, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    t.after(() => child.kill());
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    return async (): Promise<Record<string, string>[]> => {
      child.stdin.write('\n');
      return JSON.parse((await lines.next()).value ?? '[]');
    };
  };
  const incremental = client();
  let isOver = false;
  let writes = 0;
  const writer = async (from: number) => {
    for (let at = from; !isOver; at = (at * 7 + 11) % 1009, writes++) {
      const name = names[at % RECORDS]!;
      if (at % 4 === 0)
        await service.request('DELETE', `/lab/curated/record?pid=labid:${name}`, { token: 'cur' });
      else await put(name, `${name} ${writes}`);
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, at) => writer(at + 1));
  for (let at = 0; at < HARVESTS; at++) await incremental();
  isOver = true;
  await Promise.all(writers);
  t.diagnostic(`${writes} writes`);
  assert.ok(writes > HARVESTS);
  const { text } = await service.request('GET', '/-/lab/export', { token: 'cur' });
  const records = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { pid: string; name: string });
  const expected = Object.fromEntries(
    records.map(({ pid, name }) => [pid.replace('labid:', 'https://example.org/laboratory/id/'), name]),
  );
  for (const harvested of [...(await incremental()), ...(await client()())])
    assert.deepEqual(harvested, expected);
});
