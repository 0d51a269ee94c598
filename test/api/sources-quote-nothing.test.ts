/** Errors about sources that the service reads itself have nothing of the files in them: an administrator may not read them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { ADMIN, testApp } from '../support/app.ts';

const CANARY = 'Zm9vYmFyQ0FOQVJZ';

/** Files of other programs, each with the canary where a careless message would quote it. */
const FILES: Readonly<Record<string, string>> = {
  environment: `SECRET=${CANARY}\nOTHER=${CANARY}\n`,
  users: `${CANARY}:x:0:0:root:/root:/bin/bash\n`,
  'object.json': JSON.stringify({ [CANARY]: CANARY }),
  'list.json': JSON.stringify([CANARY]),
  'broken.json': `{"${CANARY}": ${CANARY}`,
  'map.yaml': `${CANARY}: [${CANARY}\n`,
  'graph.ttl': `@prefix a: <${CANARY}> . a:b ${CANARY} "c" .\n`,
  'table.csv': `${CANARY},other\n"${CANARY},1\n`,
};

test('no response, log line or state has anything of a file that a setting names', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-canary-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  symlinkSync('/proc/self/environ', join(folder, 'link'));
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const { request } = await testApp(t, { collections: { c: {} } }, { logger });
  const { text: former } = await request('GET', '/collections/c', { token: ADMIN });
  const collection = JSON.parse(former) as object;
  const paths = [
    ...Object.keys(FILES).map((name) => join(folder, name)),
    join(folder, 'link'),
    '/proc/self/environ',
  ];
  const answers: string[] = [];
  const send = async (method: string, url: string, json: object) => {
    const { status, text } = await request(method, url, { token: ADMIN, json });
    assert.ok(status < 500, `${method} ${url} ${JSON.stringify(json)}: ${text}`);
    answers.push(`${method} ${url}: ${text}`);
  };
  for (const path of paths) {
    const vocabularies = ['csv', 'skos', 'obograph'].map((format) => ({ v: { source: path, format } }));
    const imports = {
      schema: `id: https://example.org/x\nname: x\nimports: ['${path.replace('.yaml', '')}']\n`,
    };
    for (const change of [...vocabularies.map((one) => ({ vocabularies: one })), { schema: path }]) {
      await send('POST', '/-/c/rehearse', change);
      await send('PUT', '/collections/c', { ...collection, ...change });
    }
    await send('POST', '/-/c/rehearse', imports);
    await send('PUT', '/collections/c', { ...collection, policy_info_location: path });
    await send('PUT', '/collections/c', collection);
  }
  for (const url of ['/-/health', '/-/status', '/-/history']) {
    const { text } = await request('GET', url, { token: ADMIN });
    answers.push(`${url}: ${text}`);
  }
  const leaks = [...answers, ...lines].filter((text) => text.includes(CANARY));
  assert.deepEqual(leaks, []);
  // The environment of this process has no canary, but its path, which an excerpt would begin with.
  const environment = process.env.PATH!.slice(0, 40);
  assert.deepEqual(
    [...answers, ...lines].filter((text) => text.includes(environment)),
    [],
  );
});
