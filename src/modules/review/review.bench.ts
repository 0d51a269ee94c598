/**
 * Speed of review: reads of a long queue, the cost of a decision in it and in one of ten, and how long other requests
 * wait while a filter decides on a thousand.
 *
 * `npm run bench:review -- [submissions] [zones] [database URL]`
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { NO_NAMES } from '../../core/access/user-names.ts';
import { checkRecord, recordText } from '../../core/records/record.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { openPostgresqlDatabase } from '../../core/storage/postgresql/postgresql.ts';
import { openSqliteDatabase } from '../../core/storage/sqlite/sqlite.ts';
import type { Change } from '../../core/storage/store.ts';
import { claimOf } from '../claims/claim.ts';
import type { ReviewParts } from './parts.ts';
import type { Filter } from './queue/fields.ts';
import { Review } from './review.ts';
import { reviewCompanions } from './submissions/companions.ts';
import { recordWork } from './submissions/thread-work.ts';
import { tables } from './tables.ts';

const [count = 100_000, zoneCount = 50] = process.argv.slice(2, 4).map(Number);
const [, , , , url] = process.argv;
const schema = await openSchema(join(import.meta.dirname, '../../../examples/laboratory/schema.yaml'));
const tags = { submitterId: 'obo:NCIT_C54269', submissionTime: 'obo:NCIT_C25164' };
const root = mkdtempSync(join(tmpdir(), 'accession-bench-review-'));
const database = url
  ? await openPostgresqlDatabase(url, { tables: { review: tables } })
  : await openSqliteDatabase(join(root, 'accession.db'), { tables: { review: tables } });
const labels = Array.from({ length: zoneCount }, (_, at) => `zone${String(at).padStart(3, '0')}`);

const CURATORS = ['cora', 'carl'];
/** One zone is of a curator, one is unassigned, and all others are of another curator. */
const RULES = [
  { curator: 'carl', zones: labels.slice(1, 2) },
  { curator: 'cora', zones: labels.slice(0, -1) },
];

/** The areas of a collection and what its review is made of. */
async function openWorld(name: string, labels: readonly string[]) {
  const open = (area: string) => database.area(`${name}/${area}`);
  const curated = await open('curated');
  const zones = new Map(await Promise.all(labels.map(async (label) => [label, await open(label)] as const)));
  const parts: ReviewParts = {
    collection: name,
    schema,
    tags,
    database,
    transact: database.transact,
    curated,
    matching: true,
    showReviewer: false,
    curators: async (among = CURATORS) => among.filter((one) => CURATORS.includes(one)),
    names: NO_NAMES,
    settings: async () => ({ assign: RULES }),
    work: recordWork({ schema, tags }),
    incoming: name,
    zones: {
      labels: async () => labels,
      written: async () => [...zones].map(([label, { area }]) => ({ label, area: area.id })),
      has: (label) => zones.has(label),
      first: (label) => label,
      existing: async (label) => ({ store: zones.get(label)!, isCurated: false }),
    },
    curatedScope: 'curated',
    etagOf: (label, revision) => `"${label}.${revision}.json"`,
    log: { warn: (details, message) => console.warn(message, details) },
  };
  return { curated, zones, parts, companions: reviewCompanions(parts) };
}

const long = await openWorld('long', labels);
const short = await openWorld('short', ['zone']);
const { curated, zones } = long;
database.use({
  companions(path) {
    const [name, area = ''] = path.split('/');
    const { companions } = name === 'long' ? long : short;
    return [area === 'curated' ? companions.curated : companions.zone(area)];
  },
  mirror: () => undefined,
});
const reviewer = { userId: 'cora' };
/** Single decisions that are timed: each is about another record of one zone. */
const RUNS = Math.min(50, Math.floor(count / zoneCount / 3) - 1);

const person = (at: number, more = {}) =>
  recordText(
    schema,
    checkRecord(schema, at % 4 ? 'Person' : 'Organization', {
      pid: `labid:p${at}`,
      name: `Name ${at}`,
      description: 'Somebody or something that a submission is about, of usual length.',
      ...(at % 4 ? { family_name: `Family ${at}` } : { founded: 1900 + (at % 100) }),
      ...more,
    }),
  );

async function timed(name: string, work: () => Promise<unknown>, runs = 20): Promise<void> {
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let run = 0; run < runs; run++) times.push(await milliseconds(work));
  const { user, system } = process.cpuUsage(before);
  report(name, times, (user + system) / 1000 / runs);
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** @param cpu milliseconds of processor time */
function report(name: string, times: number[], cpu?: number): void {
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(1);
  console.log(
    `${name.padEnd(44)} ${at(0.5).padStart(8)} ms  ${at(0.95).padStart(8)} ms (95 %)${cpu === undefined ? '' : `  ${cpu.toFixed(1).padStart(8)} ms of a processor`}`,
  );
}

/** Submissions: every tenth one changes a curated record. */
async function fill(): Promise<void> {
  const by = { committer: 'carl', author: 'carl', role: 'curator' } as const;
  for (let at = 0; at < count; at += 10_000) {
    const puts: Change[] = [];
    for (let one = at; one < Math.min(at + 10_000, count); one += 10) puts.push({ put: person(one) });
    await curated.write(puts, by);
  }
  for (const [place, label] of labels.entries()) {
    const submitter = { committer: label, author: label, role: 'submitter' } as const;
    const changes: Change[] = [];
    for (let at = place; at < count; at += zoneCount)
      changes.push({ put: person(at, { email: `p${at}@example.org` }), note: { batch: `batch ${at % 7}` } });
    await zones.get(label)!.write(changes, submitter);
  }
}

let began = performance.now();
await fill();
console.log(
  `${count} submissions in ${zoneCount} zones stored in ${((performance.now() - began) / 1000).toFixed(1)} s`,
);
await database.transact(async (draft) => {
  draft.run('DELETE FROM accession_cursor');
  draft.run(`UPDATE accession_submission SET version = ''`);
});
began = performance.now();
const review = new Review(long.parts);
while ((await review.summary({})).zones_pending > 0) await new Promise((go) => setTimeout(go, 50));
console.log(`rows of another schema renewed in ${((performance.now() - began) / 1000).toFixed(1)} s\n`);

const sort = { by: 'submitted', reverse: false } as const;
const first = { page: 1, size: 50 };
await timed('first page', () => review.queue({}, sort, first));
await timed('summary', () => review.summary({}));
const filters: Record<string, Filter> = {
  label: { label: [labels[3]!] },
  state: { state: ['changed'] },
  'state, two': { state: ['changed', 'diverged'] },
  class: { class: ['Agent'] },
  submitter: { submitter: labels[7]! },
  batch: { batch: 'batch 3' },
  valid: { valid: false },
  pid: { pid: 'labid:p77' },
  standing: { standing: ['rejected'] },
  'label and state': { label: [labels[3]!], state: ['new'] },
  assignee: { assignee: ['carl'] },
  'assignee of most': { assignee: ['cora'] },
  unassigned: { assignee: ['none'] },
  'assignee, two': { assignee: ['carl', 'none'] },
};
for (const [name, filter] of Object.entries(filters)) {
  await timed(`page, filter ${name}`, () => review.queue(filter, sort, first));
  await timed(`summary, filter ${name}`, () => review.summary(filter), 5);
}
for (const [name, filter] of Object.entries(filters))
  if (name.startsWith('assignee'))
    await timed(`page by due, filter ${name}`, () =>
      review.queue(filter, { by: 'due', reverse: false }, first),
    );
let assigned = 0;
await timed('assigning one', () =>
  review.assign({ label: labels[assigned % zoneCount]!, pid: `labid:p${assigned++}`, assignee: 'carl' }),
);
for (const by of ['pid', 'class'] as const)
  await timed(`page by ${by}`, () => review.queue({}, { by, reverse: true }, first));
let next = 0;
await timed('item', async () => review.item(labels[next % zoneCount]!, `labid:p${next++}`));

const by = { committer: 'carl', author: 'carl', role: 'curator' } as const;

async function accept(queue: Review, label: string, at: number): Promise<void> {
  const text = person(at, { email: `p${at}@example.org` });
  const claim = { className: text.className, record: JSON.parse(text.json) };
  const { digest } = claimOf(schema, claim, tags);
  await queue.decide({ label, pid: text.pid, digest, decision: 'accept' }, reviewer);
}

/** The three are timed in turn, so that they have the same machine. */
async function decisions(): Promise<void> {
  const queue = new Review(short.parts);
  const submit = async (at: number) => {
    const submitter = { committer: 'sue', author: 'sue', role: 'submitter' } as const;
    const put = person(at, { email: `p${at}@example.org` });
    await short.zones.get('zone')!.write([{ put }], submitter);
  };
  for (let at = 0; at < 9; at++) await submit(at);
  const [plain, inShort, inLong]: number[][] = [[], [], []];
  for (let run = 0; run < RUNS; run++) {
    const step = zoneCount * 3 * (run + 1);
    const record = person(1 + step);
    plain!.push(
      await milliseconds(async () => {
        await curated.write([{ put: record }], by);
        await zones.get(labels[1]!)!.write([{ delete: record.iri }], by);
      }),
    );
    await submit(9 + run);
    inShort!.push(await milliseconds(() => accept(queue, 'zone', run)));
    inLong!.push(await milliseconds(() => accept(review, labels[2]!, 2 + step)));
  }
  report('a curated write and a delete', plain!);
  report('accepting one of 10', inShort!);
  report(`accepting one of ${count}`, inLong!);
  await queue.close();
}
await decisions();

const filter = { label: [labels[5]!] };
const { total } = await review.summary(filter);
// A thread that does nothing shows how much of a wait is the machine's, which others may share.
const idle = new Worker(
  `const { parentPort } = require('node:worker_threads');
   let [longest, last] = [0, performance.now()];
   setInterval(() => { longest = Math.max(longest, performance.now() - last - 1); last = performance.now(); }, 1);
   parentPort.on('message', () => parentPort.postMessage(longest));`,
  { eval: true },
);
await once(idle, 'online');
let [longest, most] = [0, 0];
let last = performance.now();
let used = process.threadCpuUsage();
const clock = setInterval(() => {
  const { user, system } = process.threadCpuUsage(used);
  longest = Math.max(longest, performance.now() - last - 1);
  most = Math.max(most, (user + system) / 1000);
  last = performance.now();
  used = process.threadCpuUsage();
}, 1);
began = performance.now();
const body = { filter, expected: total, decision: 'accept' as const };
const { results } = await review.decideByFilter(body, reviewer);
clearInterval(clock);
const seconds = ((performance.now() - began) / 1000).toFixed(1);
idle.postMessage('');
const [machine] = (await once(idle, 'message')) as [number];
await idle.terminate();
console.log(
  `\naccepting ${results.length} by filter took ${seconds} s; others waited for at most ${longest.toFixed(0)} ms\n` +
    `(longest work between two turns: ${most.toFixed(0)} ms; longest wait of an idle thread: ${machine.toFixed(0)} ms)`,
);

await review.close();
await database.close();
rmSync(root, { recursive: true });
