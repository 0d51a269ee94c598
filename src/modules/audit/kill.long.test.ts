/** A process that is killed while it writes leaves exactly one entry for each change, in order. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { canonicalJson } from '#linkml/json.ts';
import { startPostgresql, type TestServer } from '../../../test/support/postgresql.ts';
import { randomOf } from '../../../test/support/randomly.ts';
import { git, logged, openLog, openRecords, scratch } from './parts.support.ts';

/** `AUDIT_KILL_ROUNDS=300` for the full run. */
const ROUNDS = process.env.AUDIT_KILL_ROUNDS;

const PIDS = ['ex:0', 'ex:1', 'ex:2', 'ex:3', 'ex:common'];

/** A writer is killed so long after it has begun, in milliseconds, at most. */
const LONGEST_LIFE = 400;

/** A store and its log go through so many kills. */
const LIFE = 10;

const EVERY = ['sqlite', 'postgresql'] as const;
type Kind = (typeof EVERY)[number];
/** `AUDIT_KILL_DATABASES=postgresql` for one of them. */
const NAMED = process.env.AUDIT_KILL_DATABASES?.split(',');
const DATABASES = EVERY.filter((kind) => !NAMED || NAMED.includes(kind));

let server: TestServer;
before(async () => {
  if (DATABASES.includes('postgresql')) server = await startPostgresql();
});
after(() => server?.close());

for (const kind of DATABASES) {
  const rounds = Number(ROUNDS ?? 2);
  for (let first = 0; first < rounds; first += LIFE) {
    const last = Math.min(first + LIFE, rounds);
    test(`${kind}: entries and changes are the same after each kill, ${first + 1} to ${last}`, (t) =>
      live(t, kind, first, last));
  }
}

async function live(t: TestContext, kind: Kind, first: number, last: number): Promise<void> {
  const directory = await scratch(t);
  const url = kind === 'postgresql' ? await server.createDatabase() : undefined;
  const random = randomOf(t);
  const acknowledged: string[] = [];
  for (let round = first; round < last; round++) {
    // More would take minutes to compare: thousands of entries are read from git, one by one.
    const life = (random(1000) / 1000) ** 3 * LONGEST_LIFE;
    acknowledged.push(...(await writeUntilKilled(directory, { round, life, url })));
    await compare(directory, acknowledged, url);
  }
  t.diagnostic(`${acknowledged.length} acknowledged changes`);
  await git(join(directory, 'log'), 'fsck', '--full', '--strict');
}

/** @returns the acknowledged changes, as lines of the writer */
async function writeUntilKilled(
  directory: string,
  { round, life, url }: { readonly round: number; readonly life: number; readonly url: string | undefined },
): Promise<string[]> {
  const script = join(import.meta.dirname, 'writer.support.ts');
  const args = [script, directory, String(round), ...(url === undefined ? [] : [url])];
  const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  writer.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const end = once(writer, 'close');
  await once(writer.stdout, 'data');
  await sleep(life);
  writer.kill('SIGKILL');
  await end;
  const lines = output.slice(0, output.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line !== '');
}

async function compare(directory: string, acknowledged: readonly string[], url?: string): Promise<void> {
  const records = await openRecords(join(directory, 'records'), url);
  const { store } = records;
  const log = await openLog(join(directory, 'log'), records);
  try {
    await log.flush();
    let entries = 0;
    for (const pid of PIDS) {
      const iri = pid.replace('ex:', 'https://example.org/');
      const history = await store.entries({ iris: [iri], limit: 100_000 });
      assert.deepEqual(
        (await logged(join(directory, 'log'), pid)).map(({ author, record }) => [
          author,
          record && canonicalJson(record),
        ]),
        history.map(({ author, json }) => [author, json ?? undefined]),
        `git has the entries of ${pid} that the area has`,
      );
      entries += history.length;
      const contents = history.map(({ json }) => (json === null ? '-' : JSON.parse(json).content));
      const numbers = contents.filter((content) => content !== '-');
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].sort((a, b) => a - b),
        `entries of ${pid} in order, once`,
      );
      const missing = acknowledged
        .filter((line) => line.startsWith(`${pid} `) && !line.endsWith('-'))
        .filter((line) => !numbers.includes(Number(line.split(' ')[1])));
      assert.deepEqual(missing, [], `acknowledged changes of ${pid} have entries`);
      const current = await store.get(iri);
      assert.equal(
        history.at(-1)?.json ?? undefined,
        current?.json,
        `the last entry of ${pid} is what the store holds`,
      );
    }
    // The store counts its changes: there is one entry for each, also for those that were not acknowledged any more.
    assert.equal(entries, await store.revision());
    const lines = await git(join(directory, 'log'), 'grep', '--count', 'time_stamp', 'master', '--', '*.log');
    const inGit = lines
      .trim()
      .split('\n')
      .map((line) => Number(line.split(':').at(-1)));
    assert.equal(
      inGit.reduce((sum, count) => sum + count, 0),
      entries,
      'git has them all',
    );
  } finally {
    await log.close();
    await records.close();
  }
}
