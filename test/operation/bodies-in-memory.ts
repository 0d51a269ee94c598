/** Receives many bodies that stop in the middle, and prints by how many MiB the memory of the process has grown. */
import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { Bodies } from '../../src/core/http/bodies.ts';

const MIB = 2 ** 20;
const resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;

// What a service has done before: from here on, the allocator keeps large blocks.
for (let n = 0; n < 4; n++) new Uint8Array(new ArrayBuffer(30 * MIB)).fill(1).buffer.transfer(0);

const bodies = new Bodies({ inFlight: 1000 * MIB });
const kept: Uint8Array[] = [];
const before = resident();
let most = 0;
for (let round = 0; round < 4; round++) {
  const clients = Array.from({ length: 50 }, () => {
    const raw = new PassThrough();
    const reply = { raw: new PassThrough(), header() {} };
    const request = { raw, body: raw, headers: { 'content-length': `${10 * MIB}` } };
    const received = bodies.read(request as never, reply as never).catch((error: Error) => error);
    raw.write(Buffer.alloc(MIB / 2, 'x'));
    return { raw, received };
  });
  await new Promise((turn) => setTimeout(turn, 50));
  most = Math.max(most, resident());
  for (const [n, { raw, received }] of clients.entries()) {
    raw.destroy();
    await received;
    // Other memory of the process lies in between.
    if (n % 10 === 0) kept.push(new Uint8Array(MIB / 8).fill(1));
  }
}
console.log(JSON.stringify({ most: most - before, after: resident() - before, kept: kept.length }));
