/** Hundreds of clients that read or send nothing: other clients of a real service read and write meanwhile. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LABORATORY } from '../support/app.ts';
import { person } from '../support/people.ts';
import { startService } from '../support/real-service.ts';

/** More than requests are answered at the same time. */
const CLIENTS = 300;
/** What others read and write meanwhile. */
const ROUNDS = 20;
/** A client that waits for longer gives up. */
const TIMEOUT_MS = 60_000;
const BODY = 10 * 2 ** 20;

const token = (mode: string, name: string) => ({
  user_id: name,
  representation: name,
  collections: { c: { mode, incoming_label: name } },
});
const CONFIGURATION = {
  type: 'collections',
  version: 2,
  collections: {
    c: { schema: LABORATORY, default_token: 'anyone', curated: 'c/curated', incoming: 'c/incoming' },
  },
  tokens: {
    anyone: token('READ_CURATED', 'anyone'),
    ann: token('WRITE_COLLECTION', 'ann'),
    bob: token('WRITE_COLLECTION', 'bob'),
    cleo: token('CURATOR', 'cleo'),
  },
};

async function started(t: TestContext) {
  const store = mkdtempSync(join(tmpdir(), 'accession-clients-'));
  t.after(() => rmSync(store, { recursive: true, force: true }));
  writeFileSync(join(store, '.dumpthings.yaml'), JSON.stringify(CONFIGURATION));
  const service = await startService([store]);
  t.after(() => service.kill());
  const { port } = new URL(service.url);
  const send = async (method: string, path: string, as: string, json?: object) => {
    const answer = await fetch(service.url + path, {
      method,
      headers: { 'x-service-token': as, ...(json && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(json && { body: JSON.stringify(json) }),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  /** A connection that has sent the head of a request. */
  const open = async (...lines: string[]): Promise<Socket> => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    socket.write(`${[...lines, 'Host: x'].join('\r\n')}\r\n\r\n`);
    return socket;
  };
  /** Reads and writes as other clients. */
  const others = async () => {
    const statuses = new Set<number>();
    for (let n = 0; n < ROUNDS; n++) {
      statuses.add(await send('GET', '/c/records/p/?size=1', 'bob'));
      statuses.add(await send('POST', '/c/record/Person', 'bob', person(`b${n}`)));
    }
    assert.deepEqual([...statuses], [200]);
  };
  return { send, open, others };
}

test('others read and write while 300 clients read nothing of long responses', async (t) => {
  const { send, open, others } = await started(t);
  for (const name of ['x', 'y']) {
    const json = person(name, { description: 'd'.repeat(8_000_000) });
    assert.equal(await send('POST', '/c/curated/record/Person', 'cleo', json), 200);
  }
  for (let n = 0; n < CLIENTS; n++) (await open('GET /-/c/export HTTP/1.1')).pause();
  await others();
});

test('others read and write while 300 clients send a byte a second', async (t) => {
  const { open, others } = await started(t);
  const senders: Socket[] = [];
  for (let n = 0; n < CLIENTS; n++)
    senders.push(
      await open(
        ...['POST /c/record/Person HTTP/1.1', 'X-Service-Token: ann'],
        ...['Content-Type: application/json', 'Content-Length: 1000'],
      ),
    );
  const timer = setInterval(() => {
    for (const sender of senders) if (sender.writable) sender.write(' ');
  }, 1000);
  t.after(() => clearInterval(timer));
  await others();
});

test('others read and write while one client sends 13 bodies, each without its last bytes', async (t) => {
  const { open, others } = await started(t);
  const most = Buffer.alloc(BODY - 8, ' ');
  for (let n = 0; n < 13; n++) {
    const sender = await open(
      ...['POST /c/record/Person HTTP/1.1', 'X-Service-Token: ann'],
      ...['Content-Type: application/json', `Content-Length: ${BODY}`],
    );
    sender.write(most);
  }
  await others();
});
