/**
 * `npm run overload`: the rate of served requests with as many clients as are answered at the same time, and with four
 * and eight times as many, none of which takes a break. Ends with status 1 if four times as many get less than 80 % of
 * the rate. The loads take turns, so that other work of the machine disturbs all of them.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { LABORATORY } from '../test/support/app.ts';
import { person } from '../test/support/people.ts';
import { startService } from '../test/support/real-service.ts';

/** Small, so that the limit is reached with few clients. */
const LIMIT = 16;
const SECONDS = 2;
const ROUNDS = 5;
const LEAST = 0.8;

const store = mkdtempSync(join(tmpdir(), 'accession-overload-'));
const token = {
  user_id: 'cur',
  representation: 'cur',
  collections: { c: { mode: 'CURATOR', incoming_label: 'cur' } },
};
const collection = { schema: LABORATORY, default_token: 'cur', curated: 'c/curated', incoming: 'c/incoming' };
writeFileSync(
  join(store, '.dumpthings.yaml'),
  JSON.stringify({ type: 'collections', version: 2, collections: { c: collection }, tokens: { cur: token } }),
);
const service = await startService([store, '--limit', `requests=${LIMIT}`]);
try {
  const memory = () =>
    Math.round(
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) / 1024,
    );
  const body = JSON.stringify(person('ada'));
  const load = async (connections: number) => {
    const result = await autocannon({
      url: service.url,
      requests: [
        { method: 'POST', path: '/c/record/Person', headers: { 'content-type': 'application/json' }, body },
        ...Array.from({ length: 9 }, () => ({ path: '/c/record?pid=labid:ada' })),
      ],
      connections,
      duration: SECONDS,
    });
    return { served: result['2xx'] / SECONDS, refused: result.non2xx / SECONDS, memory: memory() };
  };
  await load(LIMIT);
  const loads = [1, 4, 8].map((factor) => ({ factor, rows: [] as Awaited<ReturnType<typeof load>>[] }));
  for (let round = 0; round < ROUNDS; round++)
    for (const { factor, rows } of loads) rows.push(await load(factor * LIMIT));
  const rates = loads.map(({ factor, rows }) => {
    const served = median(rows.map((row) => row.served));
    const refused = median(rows.map((row) => row.refused));
    const most = Math.max(...rows.map((row) => row.memory));
    process.stdout.write(
      `${factor} × the limit: ${served.toFixed(0)} served and ${refused.toFixed(0)} refused in a second, at most ${most} MiB\n`,
    );
    return served;
  });
  process.exitCode = (rates[1] as number) >= LEAST * (rates[0] as number) ? 0 : 1;
} finally {
  await service.kill();
  rmSync(store, { recursive: true, force: true });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
