/** Whatever documents arrive: no failure, no crash, no word about the inside of the service, and others are served. */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Document, document } from './documents.ts';
import { assertFlat, inParallel, REQUESTS, SEED, startTarget, TOKENS } from './target.ts';

/** Documents are big: a tenth as many as of other requests. */
const COUNT = Math.ceil(REQUESTS / 10);
const BATCH = 50;

const place = fc.constantFrom(
  'POST /sql/record/Person',
  'POST /sql/record/Person?format=ttl',
  'POST /files/curated/record/Person',
  'POST /files/curated/record/Person?format=ttl',
  'POST /sql/incoming/fuzz-user/record/Publication?format=ttl',
  'POST /sql/validate/record/Person',
  'POST /sql/validate/record/Person?format=ttl',
  'POST /files/curated/validate/record/Person',
  'POST /-/sql/curated/records/',
  'POST /-/sql/records/Person',
  'POST /-/files/curated/validate/records/',
  'POST /-/sql/titles',
  'POST /maintenance',
  'POST /collections',
  'PUT /collections/sql2',
  'POST /tokens',
  'PUT /admin_tokens/x',
);

test('no document makes the service fail or stall', async (t) => {
  const target = await startTarget(t);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  t.after(() => agent.destroy());
  const memory: number[] = [];
  const stalls: number[] = [];
  const ping = setInterval(async () => {
    const began = performance.now();
    await fetch(`${target.url}/-/ready`).catch(() => {});
    stalls.push(performance.now() - began);
  }, 50);
  t.after(() => clearInterval(ping));
  const statuses = new Map<number, number>();
  for (let done = 0; done < COUNT; done += BATCH) {
    const batch = fc.sample(fc.tuple(place, document), {
      numRuns: Math.min(BATCH, COUNT - done),
      seed: SEED + done,
    });
    await inParallel(batch, 3, async ([where, what]) => {
      const answer = await send(agent, target.url, where, what);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      target.judge(
        answer,
        `${where}: ${what.name} (${what.body.length} bytes): ${what.body.subarray(0, 200)}`,
      );
    });
    memory.push(target.memory());
  }
  stalls.sort((a, b) => b - a);
  t.diagnostic(
    `answers by status: ${[...statuses].map(([status, number]) => `${status}: ${number}`).join(', ')}`,
  );
  t.diagnostic(
    `longest waits of a ping: ${stalls
      .slice(0, 5)
      .map((ms) => `${ms.toFixed(0)} ms`)
      .join(', ')}`,
  );
  assert.equal((await fetch(`${target.url}/-/health`)).status, 200);
  assertFlat(memory, REQUESTS, t);
});

/** The status is 0 if the service closed the connection before the whole body was sent. */
function send(
  agent: Agent,
  url: string,
  where: string,
  what: Document,
): Promise<{ status: number; text: string }> {
  const [method = '', path = ''] = where.split(' ');
  const token = /^\S+ \/(collections|tokens|admin_tokens)/.test(where) ? TOKENS.admin : TOKENS.curator;
  const headers = {
    'X-Service-Token': token,
    'Content-Type': what.type,
    'Content-Length': what.body.length,
    ...(what.coding !== undefined && { 'Content-Encoding': what.coding }),
  };
  return new Promise((resolve) => {
    const sent = request(url + path, { agent, method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', () => resolve({ status: 0, text }));
    });
    sent.on('error', () => resolve({ status: 0, text: '' })).end(what.body);
  });
}
