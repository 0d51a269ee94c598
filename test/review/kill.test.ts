/**
 * Deciding processes that are killed at boundaries of their writes, also between the two stores of one step: after the
 * start, each submission is either wholly decided or untouched.
 *
 * `ACCESSION_REVIEW_KILLS` is the number of kills for each pair of backends. Every other one is at a boundary, which are
 * taken in turn; the others are at random moments, also within a write.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { BackendType } from '../../src/storage/backends.ts';
import { openWorld, type World } from './world.ts';

const KILLS = Number(process.env.ACCESSION_REVIEW_KILLS ?? 2);
const PAIRS: readonly [BackendType, BackendType][] = [
  ['sqlite', 'sqlite'],
  ['record_dir+stl', 'record_dir+stl'],
  ['sqlite', 'record_dir'],
  ['record_dir', 'sqlite+stl'],
];
/** Boundaries of writes that the process passes from the first decision to the last undo; 30 % more than there are. */
const BOUNDARIES = 34;
/** Milliseconds in which the process makes all its decisions on an idle machine. */
const DECIDING = 150;
/** Children of one test share what they compile. */
const CACHE = mkdtempSync(join(tmpdir(), 'accession-review-compiled-'));
after(() => rmSync(CACHE, { recursive: true, force: true }));

/** When a process is killed: at a boundary of its writes, or so many milliseconds after it begins to decide. */
type Kill = { readonly boundary: number } | { readonly after: number };

function killOf(round: number): Kill {
  // Coprime with the number of boundaries: a few kills reach far parts as well.
  if (round % 2 === 0) return { boundary: ((round / 2) * 7 + 3) % BOUNDARIES };
  return { after: Math.random() * DECIDING };
}

/** Runs the process until it ends or is killed. @returns the lines that it printed */
async function run(root: string, pair: readonly string[], kill: Kill): Promise<string[]> {
  const script = join(import.meta.dirname, 'decider.ts');
  const boundary = 'boundary' in kill ? String(kill.boundary) : 'none';
  const child = spawn(process.execPath, [script, root, ...pair, boundary], {
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
  return text.split('\n').filter((line) => line !== '' && line !== 'begins');
}

/** Whether a submission is decided as its decisions say, in both stores. */
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

for (const pair of PAIRS)
  test(`A decision is made wholly or not at all, whenever the process is killed (${pair.join(', zones in ')})`, async () => {
    for (let round = 0; round < KILLS; round++) {
      const kill = killOf(round);
      const root = mkdtempSync(join(tmpdir(), 'accession-review-kill-'));
      try {
        await requireConsistent(root, pair, await run(root, pair, kill));
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
  [backend, zoneBackend]: readonly [BackendType, BackendType],
  lines: readonly string[],
): Promise<void> {
  const world = await openWorld({ root, backend, zoneBackend, indexFile: `${root}/queue.db` });
  try {
    const known = (await world.review.decisions({}, { page: 1, size: 100 })).items;
    for (const line of lines) {
      const [id, what] = line.split(' ');
      const decision = known.find((one) => one.id === id);
      assert.ok(decision, `${line} was acknowledged`);
      if (what === 'undone') assert.ok(decision.undone, `${line} was acknowledged`);
    }
    const left = await world.curated.ledger.count({ kind: 'review-intent' });
    await world.review.undo('none', { userId: 'x' }).catch(() => undefined);
    for (const name of ['a', 'b', 'c', 'd', 'e']) await requireWhole(world, name);
    const group = known.filter(({ pid }) => pid === 'ex:d' || pid === 'ex:e');
    assert.notEqual(group.length, 1, 'a step with references is made as a whole');
    assert.equal(await world.curated.ledger.count({ kind: 'review-intent' }), 0, `${left} were left`);
  } finally {
    await world.close();
  }
}
