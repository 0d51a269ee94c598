/**
 * Cost of the index of references: reads of the referrers of one record among many, and writes with and without it.
 *
 * `npm run bench:links -- [records]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Jobs } from '../src/jobs/jobs.ts';
import { canonicalJson } from '../src/json.ts';
import { openStore } from '../src/storage/backends.ts';
import type { Change, Link, RecordStore } from '../src/storage/store.ts';

const [count = 1_000_000] = process.argv.slice(2).map(Number);
const root = mkdtempSync(join(tmpdir(), 'accession-bench-links-'));
const by = { committer: 'carl', author: 'carl', role: 'curator' } as const;
const iriOf = (at: number) => `https://example.org/${at}`;
const naming = {
  expand: (pid: string) => pid.replace('ex:', 'https://example.org/'),
  schemaTypeOf: () => 'ex:T',
};
const jobs = new Jobs({ warn: console.error });

/** Waits for the indexes of strings, so that their cost does not count. */
async function quiet(): Promise<void> {
  while (jobs.list().some(({ state }) => state === 'waiting' || state === 'running')) await delay(5);
}
/** Every hundredth record is referred to by 200 others, as organizations and projects are. */
const targetsOf = (at: number) => [(at * 7) % count, Math.floor(((at * 13) % count) / 100) * 100];
const DESCRIPTION =
  'A description of usual length, as records of laboratories have, with some words about what it is.';

function put(at: number, linked: boolean, version = 0): Change {
  const [near, hub] = targetsOf(at) as [number, number];
  const record = {
    ...{
      pid: `ex:${at}`,
      name: `Name ${at}`,
      version,
      description: DESCRIPTION,
      email: `p${at}@example.org`,
    },
    ...{ friend: `ex:${near}`, affiliations: [`ex:${hub}`] },
  };
  const links: Link[] = [
    { iri: iriOf(near), slot: 'friend', path: '/friend' },
    { iri: iriOf(hub), slot: 'affiliations', path: '/affiliations/0' },
  ];
  const text = { pid: record.pid, iri: iriOf(at), className: 'T', json: canonicalJson(record) };
  return { put: { ...text, ...(linked && { links }) } };
}

/** Fills two stores in turn, so that both have the same machine. */
async function fill(
  stores: readonly (readonly [RecordStore, boolean])[],
): Promise<{ wall: number; used: number }[]> {
  const STEP = 5000;
  const times = stores.map(() => ({ wall: 0, used: 0 }));
  for (let at = 0; at < count; at += STEP) {
    for (const [one, [store, linked]] of stores.entries()) {
      const changes = Array.from({ length: Math.min(STEP, count - at) }, (_, more) => put(at + more, linked));
      await quiet();
      const before = process.cpuUsage();
      times[one]!.wall += (await milliseconds(() => store.write(changes, by))) / 1000;
      const { user, system } = process.cpuUsage(before);
      times[one]!.used += (user + system) / 1e6;
    }
  }
  return times;
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function share(times: number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * part)]!;
}

const [linked, plain] = (await Promise.all(
  ['linked', 'plain'].map((name) => openStore({ type: 'sqlite' }, join(root, name), { ...naming, jobs })),
)) as [RecordStore, RecordStore];
const [withLinks, without] = (await fill([
  [linked, true],
  [plain, false],
])) as [{ wall: number; used: number }, { wall: number; used: number }];
console.log(
  `${count} records stored in ${without.wall.toFixed(1)} s without and ${withLinks.wall.toFixed(1)} s with references ` +
    `(${((withLinks.wall / without.wall - 1) * 100).toFixed(0)} % more; processor ${without.used.toFixed(1)} and ` +
    `${withLinks.used.toFixed(1)} s, ${((withLinks.used / without.used - 1) * 100).toFixed(0)} % more)`,
);

const reads: number[] = [];
let found = 0;
for (let run = 0; run < 500; run++) {
  const iri = iriOf(((run * 7919) % Math.max(1, Math.floor(count / 100))) * 100);
  reads.push(
    await milliseconds(async () => {
      found += (await linked.links.to(iri, { offset: 0, limit: 100 })).length;
      await linked.links.countTo(iri);
    }),
  );
}
console.log(
  `referrers of one record (${Math.round(found / reads.length)} on average): ${share(reads, 0.5).toFixed(2)} ms, ` +
    `${share(reads, 0.95).toFixed(2)} ms (95 %)`,
);

/** Written in turn, so that both have the same machine. Processor time is that of this thread. */
for (const size of [1, 100]) {
  const wall: Record<'linked' | 'plain', number[]> = { linked: [], plain: [] };
  const used: Record<'linked' | 'plain', number[]> = { linked: [], plain: [] };
  for (let run = 0; run < 300; run++) {
    for (const name of run % 2 ? (['linked', 'plain'] as const) : (['plain', 'linked'] as const)) {
      const store = name === 'linked' ? linked : plain;
      const changes = Array.from({ length: size }, (_, one) =>
        put((run * 3001 + one * 17) % count, name === 'linked', run + 1),
      );
      await quiet();
      const before = process.threadCpuUsage();
      wall[name].push(await milliseconds(() => store.write(changes, by)));
      const { user, system } = process.threadCpuUsage(before);
      used[name].push((user + system) / 1000);
    }
  }
  const more = (times: typeof wall) => (share(times.linked, 0.5) / share(times.plain, 0.5) - 1) * 100;
  console.log(
    `a write of ${size}: ${share(wall.plain, 0.5).toFixed(2)} ms without, ${share(wall.linked, 0.5).toFixed(2)} ms with references ` +
      `(${more(wall).toFixed(0)} % more; processor ${share(used.plain, 0.5).toFixed(2)} and ${share(used.linked, 0.5).toFixed(2)} ms, ${more(used).toFixed(0)} % more)`,
  );
}
await linked.close();
await plain.close();
rmSync(root, { recursive: true });
