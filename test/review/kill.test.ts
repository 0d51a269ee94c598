/**
 * Deciding processes that are killed, at boundaries of their transactions and within them: after the start, each submission is
 * either wholly decided or untouched.
 *
 * `ACCESSION_REVIEW_KILLS` is the number of kills for each database, `ACCESSION_REVIEW_DATABASE` the only one that is tried.
 * Every other kill is at a boundary, which are taken in turn; the others are at random moments.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startPostgresql, type TestServer } from '../support/postgresql.ts';
import { openWorld, requireCounted, type World } from './world.ts';

const KILLS = Number(process.env.ACCESSION_REVIEW_KILLS ?? 4);
const DATABASES = ['sqlite', 'postgresql'].filter((name) =>
  name.includes(process.env.ACCESSION_REVIEW_DATABASE ?? ''),
);
/** Boundaries of transactions that the process passes from the first decision to the last undo. */
const BOUNDARIES = 12;
/** Milliseconds in which the process makes all its decisions on an idle machine. */
const DECIDING = 150;
/** Children of one test share what they compile. */
const CACHE = mkdtempSync(join(tmpdir(), 'accession-review-compiled-'));
after(() => rmSync(CACHE, { recursive: true, force: true }));

/** When a process is killed: at a boundary of its writes, or so many milliseconds after it begins to decide. */
type Kill = { readonly boundary: number } | { readonly after: number };

function killOf(round: number): Kill {
  if (round % 2 === 0) return { boundary: ((round / 2) * 7 + 3) % BOUNDARIES };
  return { after: Math.random() * DECIDING };
}

let server: TestServer | undefined;
before(async () => {
  if (DATABASES.includes('postgresql')) server = await startPostgresql();
});
after(() => server?.close());

/** Waits for the server to end what a killed process has sent: a commit may still come. */
async function requireSettled(database: string): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const others =
      'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
    while ((await client.query(others)).rows.length > 0) await pause(5);
  } finally {
    await client.end();
  }
}

/** Runs the process until it ends or is killed. @returns the lines that it printed */
async function run(root: string, kill: Kill, database?: string): Promise<string[]> {
  const script = join(import.meta.dirname, 'decider.ts');
  const boundary = 'boundary' in kill ? String(kill.boundary) : 'none';
  const child = spawn(process.execPath, [script, root, boundary, ...(database ? [database] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: CACHE },
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    if (text === '' && 'after' in kill) setTimeout(() => child.kill('SIGKILL'), kill.after);
    text += chunk.toString();
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on('close', (...end) => resolve(end));
  });
  assert.ok(code === 0 || signal === 'SIGKILL', `code ${code}, signal ${signal}`);
  if (database) await requireSettled(database);
  return text.split('\n').filter((line) => line !== '' && line !== 'begins');
}

/** Whether a submission is decided as its decisions say, in both areas. */
async function requireWhole(world: World, name: string): Promise<void> {
  const pid = `ex:${name}`;
  const iri = world.schema.expand(pid)!;
  const { items } = await world.review.decisions({ pid }, { page: 1, size: 100 });
  const accepted = items.some(({ decision, undone }) => decision === 'accept' && !undone);
  const zone = await (await world.zone('ann')).get(iri);
  const curated = await world.curated.get(iri);
  assert.ok(items.length <= 1, `${pid} is decided once`);
  assert.equal(zone !== undefined, !accepted, `${pid} is in its zone unless it was accepted`);
  const isStored = curated !== undefined && JSON.parse(curated.json).name === name;
  assert.equal(isStored, accepted, `${pid} is stored if it was accepted`);
  if (name === 'b') assert.ok(curated, 'nothing curated is lost');
  for (const { decision, curated_after: after } of items)
    if (decision === 'accept')
      assert.ok(after !== null || !accepted, `${pid}: the decision names its result`);
  const [own] = (
    await world.review.submissions('ann', {}, { readCurated: true }, { page: 1, size: 9 })
  ).items.filter((row) => row.pid === pid);
  const rejected = items.some(({ decision }) => decision === 'reject');
  assert.equal(own?.status, accepted ? 'accepted' : rejected ? 'rejected' : 'waiting');
}

for (const name of DATABASES)
  test(`A decision is made wholly or not at all, whenever the process is killed (${name})`, async () => {
    for (let round = 0; round < KILLS; round++) {
      const database = name === 'postgresql' ? await server?.createDatabase() : undefined;
      const kill = killOf(round);
      const root = mkdtempSync(join(tmpdir(), 'accession-review-kill-'));
      try {
        const lines = await run(root, kill, database);
        await requireConsistent(root, lines, database);
      } catch (error) {
        throw new Error(`round ${round}, killed at ${JSON.stringify(kill)}: ${String(error)}`, {
          cause: error,
        });
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    }
  });

async function requireConsistent(
  root: string,
  lines: readonly string[],
  url: string | undefined,
): Promise<void> {
  const world = await openWorld({ root, ...(url !== undefined && { url }) });
  try {
    const known = (await world.review.decisions({}, { page: 1, size: 100 })).items;
    for (const line of lines) {
      const [id, what] = line.split(' ');
      const decision = known.find((one) => one.id === id);
      assert.ok(decision, `${line} was acknowledged`);
      if (what === 'undone') assert.ok(decision.undone, `${line} was acknowledged`);
    }
    for (const name of ['a', 'b', 'c', 'd', 'e']) await requireWhole(world, name);
    const group = known.filter(({ pid }) => pid === 'ex:d' || pid === 'ex:e');
    assert.notEqual(group.length, 1, 'a step with references is made as a whole');
    await requireCounted(world);
  } finally {
    await world.close();
  }
}
