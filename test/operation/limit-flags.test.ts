/** The limits of sizes and times, as an operator sets them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { accession } from '../cli/accession.ts';
import { LABORATORY } from '../support/app.ts';
import { person } from '../support/people.ts';
import { startService } from '../support/real-service.ts';

const CONFIGURATION = {
  type: 'collections',
  version: 2,
  collections: { c: { schema: LABORATORY, default_token: 'all', curated: 'c/curated', incoming: 'c/zones' } },
  tokens: {
    all: { user_id: 'all', collections: { c: { mode: 'WRITE_COLLECTION', incoming_label: 'all' } } },
  },
};

test('bodies, headers and requests end at the limits of `--limit`', async (t) => {
  const store = mkdtempSync(join(tmpdir(), 'accession-flags-'));
  t.after(() => rmSync(store, { recursive: true, force: true }));
  writeFileSync(join(store, '.dumpthings.yaml'), JSON.stringify(CONFIGURATION));
  // The last one has its name of earlier releases.
  const flags = ['--limit', 'body-mib=1', '--limit', 'header-seconds=1', '--request-timeout', '2'];
  const service = await startService([store, ...flags]);
  t.after(() => service.kill());
  const post = async (size: number) => {
    const body = JSON.stringify(person('a', { given_name: 'x'.repeat(size) }));
    const headers = { 'Content-Type': 'application/json' };
    return fetch(`${service.url}/c/record/Person`, { method: 'POST', headers, body });
  };
  assert.equal((await post(900_000)).status, 200);
  const refused = await post(1_100_000);
  assert.equal(refused.status, 413);
  assert.match(await refused.text(), /larger than the limit of 1 MiB/);
  const head = 'POST /c/record/Person HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  const [headers, body] = await Promise.all([
    answerTo(service.url, head),
    answerTo(service.url, `${head}Content-Length: 100\r\n\r\n{`),
  ]);
  for (const text of [headers, body]) assert.match(text, /^HTTP\/1\.1 408 /);
});

test('a limit that cannot be is refused with the range', async () => {
  for (const [limit, range] of [
    ['body-mib=101', '1 to 100'],
    ['header-seconds=0', '1 to 3600'],
    ['request-seconds=soon', '1 to 3600'],
  ] as const) {
    const { status, stderr } = await accession(['serve', tmpdir(), '--limit', limit]);
    assert.equal(status, 1, stderr);
    assert.match(stderr, new RegExp(`'${limit}' is invalid\\. Expected a whole number from ${range}\\.`));
  }
});

/** What a client gets that sends a part of a request, and no more. */
function answerTo(url: string, part: string): Promise<string> {
  const { port } = new URL(url);
  return new Promise((done, failed) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(part));
    socket.on('data', (data) => (text += data));
    socket.on('close', () => done(text)).on('error', failed);
  });
}
