/** Whatever bytes arrive on a connection: no failure, no crash, no word about the inside of the service. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesToSend } from './messages.ts';
import { assertFlat, inParallel, REQUESTS, SEED, startTarget } from './target.ts';

const BATCH = 500;
/** An answer that takes longer is not waited for: the service waits for the rest of a body, for example. */
const TIMEOUT_MS = 3_000;

test('no bytes on a connection make the service fail', async (t) => {
  const target = await startTarget(t);
  const { port } = new URL(target.url);
  const memory: number[] = [];
  const statuses = new Map<number, number>();
  for (let done = 0; done < REQUESTS; done += BATCH) {
    const batch = fc.sample(bytesToSend, { numRuns: Math.min(BATCH, REQUESTS - done), seed: SEED + done });
    await inParallel(batch, 16, async (bytes) => {
      const text = await exchange(Number(port), bytes);
      const shown = JSON.stringify(bytes.subarray(0, 600).toString('latin1'));
      for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
        statuses.set(Number(status), (statuses.get(Number(status)) ?? 0) + 1);
        target.judge({ status: Number(status), text }, shown);
      }
    });
    memory.push(target.memory());
  }
  t.diagnostic(
    `answers by status: ${[...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ')}`,
  );
  assert.ok(statuses.size > 5, 'the requests reach more than the parser');
  assert.equal((await fetch(`${target.url}/-/health`)).status, 200);
  assertFlat(memory, REQUESTS, t);
});

/** Sends bytes, then the end. @returns everything that came back */
function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1' });
    const end = () => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('utf8'));
    };
    socket.setTimeout(TIMEOUT_MS, end);
    socket
      .on('data', (chunk) => chunks.push(chunk))
      .on('error', end)
      .on('close', end);
    socket.end(bytes);
  });
}
