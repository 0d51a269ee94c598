/**
 * Two curators on one queue, a third who posts and deletes as the peer's client does, a fourth who edits curated records,
 * and submitters who go on working: held against what must be true at the end. `ACCESSION_REVIEW_QUEUE` is its size.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '#linkml/json.ts';
import { requireCounted } from '../../../test/support/counted-submissions.ts';
import { isServiceError } from '../../core/errors.ts';
import type { RecordStore } from '../../core/storage/store.ts';
import { parsed, testWorld, type World } from './world.support.ts';

const SIZE = Number(process.env.ACCESSION_REVIEW_QUEUE ?? 40);
const LABELS = ['ann', 'bob'];
/** What a curator may be told because another one was faster. */
const EXPECTED = [
  'already_decided',
  'submission_changed',
  'record_missing',
  'merge_conflict',
  'precondition_failed',
];

type Dice = (most: number) => number;
type Person = { pid: string; name: string; nicknames: string[] };

const SORT = { by: 'pid', reverse: false } as const;

const pidOf = (at: number) => `ex:p${at}`;

async function read(world: World, store: RecordStore, pid: string): Promise<Person | undefined> {
  const found = await store.get(world.schema.expand(pid)!);
  return found && (JSON.parse(found.json) as Person);
}

function withNickname(person: Person | undefined, pid: string, nickname: string): JsonObject {
  return { pid, name: 'p', nicknames: [...(person?.nicknames ?? []), nickname] };
}

async function unlessExpected(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    assert.ok(isServiceError(error) && EXPECTED.includes(error.code), String(error));
  }
}

async function reviewing(world: World, user: string, dice: Dice): Promise<void> {
  const sort = { by: 'submitted', reverse: dice(2) === 0 } as const;
  const { items } = await world.review.queue({}, sort, { page: 1, size: 5 });
  for (let pause = dice(3); pause > 0; pause--) await nextTurn();
  const row = items[dice(Math.max(items.length, 1))];
  if (!row) return;
  const { label, pid, digest } = row;
  const [decision, reason] = [
    (['accept', 'accept', 'accept', 'reject', 'defer'] as const)[dice(5)]!,
    'because',
  ] as const;
  await unlessExpected(world.review.decide({ label, pid, digest, decision, reason }, { userId: user }));
}

/** The peer's client posts a record into the curated area, and deletes it from the zone. */
async function posting(world: World, dice: Dice): Promise<void> {
  const label = LABELS[dice(2)]!;
  const zone = await world.zone(label);
  const [listed] = await zone.list({}, { offset: dice(SIZE), limit: 1 });
  const found = listed && (await zone.get(listed.iri));
  if (!found) return;
  const by = { committer: 'peer', author: 'peer', role: 'curator' } as const;
  const { pid, iri, className, json } = found;
  await unlessExpected(
    world.curated.write([{ put: { pid, iri, className, json }, expect: { absent: true } }], by),
  );
  const curated = await world.curated.get(iri);
  const expect = { revisions: [found.revision] };
  if (curated?.json === json) await unlessExpected(zone.write([{ delete: iri, expect }], by));
}

async function editing(world: World, dice: Dice, nickname: string): Promise<boolean> {
  const iri = world.schema.expand(pidOf(dice(SIZE)))!;
  const found = await world.curated.get(iri);
  if (!found) return false;
  const person = JSON.parse(found.json) as Person;
  const json = JSON.stringify({ ...person, nicknames: [...person.nicknames, nickname] });
  const by = { committer: 'carl', author: 'carl', role: 'curator' } as const;
  const put = { pid: found.pid, iri, className: found.className, json };
  try {
    await world.curated.write([{ put, expect: { revisions: [found.revision] } }], by);
    return true;
  } catch (error) {
    assert.ok(isServiceError(error) && error.code === 'precondition_failed');
    return false;
  }
}

/** A submitter names what a submission was made from: its own former one, or the curated record. */
async function submitting(world: World, dice: Dice, nickname: string): Promise<boolean> {
  const at = dice(SIZE);
  const label = LABELS[at % 2]!;
  const pid = pidOf(at);
  const iri = world.schema.expand(pid)!;
  const own = await (await world.zone(label)).get(iri);
  const curated = await world.curated.get(iri);
  const from = own ?? curated;
  const person = from && (JSON.parse(from.json) as Person);
  const expect = own ? { revisions: [own.revision] } : ({ absent: true } as const);
  const basedOn = !own && curated ? { scope: 'curated', revision: curated.revision } : undefined;
  try {
    await world.submit(label, withNickname(person, pid, nickname), { expect, ...(basedOn && { basedOn }) });
    return true;
  } catch (error) {
    assert.ok(isServiceError(error) && error.code === 'precondition_failed');
    return false;
  }
}

test('Whatever curators and submitters do at once, each submission is decided once and nothing is lost', async (t) => {
  // Generators of fast-check prefer small numbers, and a run of zeros decides nothing.
  const dice: Dice = (most) => randomInt(most);
  const world = await testWorld(t);
  const edited: string[] = [];
  const submitted: [number, string][] = [];
  for (let at = 0; at < SIZE; at++) {
    if (at % 2) await world.curate({ pid: pidOf(at), name: 'p', nicknames: ['base'] });
    await world.submit(LABELS[at % 2]!, withNickname(undefined, pidOf(at), `first${at}`));
  }
  let serial = 0;
  const actors = [
    () => reviewing(world, 'cora', dice),
    () => reviewing(world, 'carl', dice),
    () => posting(world, dice),
    async () => {
      const nickname = `c${serial++}`;
      if (await editing(world, dice, nickname)) edited.push(nickname);
    },
    async () => {
      const nickname = `s${serial++}`;
      if (await submitting(world, dice, nickname)) submitted.push([serial, nickname]);
    },
  ];
  await Promise.all(
    actors.map(async (act) => {
      // Each has its own number of steps: the quickest would use up a shared one before a curator decides.
      for (let step = 0; step < SIZE; step++) await act();
    }),
  );

  const everywhere = new Set<string>();
  const curated = new Set<string>();
  for (let at = 0; at < SIZE; at++) {
    const pid = pidOf(at);
    const stored = await read(world, world.curated, pid);
    const waiting = await read(world, await world.zone(LABELS[at % 2]!), pid);
    for (const nickname of stored?.nicknames ?? []) curated.add(nickname);
    for (const nickname of [...(stored?.nicknames ?? []), ...(waiting?.nicknames ?? [])])
      everywhere.add(nickname);
    assert.equal(new Set(stored?.nicknames).size, stored?.nicknames.length ?? 0, 'nothing is applied twice');
  }
  for (const nickname of edited) assert.ok(curated.has(nickname), `the edit ${nickname} is not reverted`);
  for (const [, nickname] of submitted)
    assert.ok(everywhere.has(nickname), `the submission ${nickname} is not lost`);
  const { items, total } = await world.review.decisions({}, { page: 1, size: 100_000 });
  const accepted = items.filter(({ decision }) => decision === 'accept');
  assert.ok(total > 0 && accepted.length > 0);
  const claims = accepted.map(({ label, pid, digest }) => `${label} ${pid} ${digest}`);
  assert.equal(new Set(claims).size, claims.length, 'no submission is accepted twice');
  for (const { id } of accepted) {
    const { submitted: record } = await world.review.decision(id);
    for (const nickname of (parsed(record) as Person).nicknames)
      assert.ok(curated.has(nickname), `what ${id} accepted is stored`);
  }
  await requireCounted(world);
  // The rows are what they would be if they were made again.
  const all = { standing: ['waiting', 'deferred', 'rejected'] as const };
  const before = await world.review.queue(all, SORT, { page: 1, size: SIZE });
  await world.database.transact(async (draft) => {
    draft.run('DELETE FROM accession_cursor');
    draft.run(
      `UPDATE accession_submission SET version = '', digest = '', title = NULL, slots = '[]', differences = 9`,
    );
  });
  await world.restart();
  const after = await world.review.queue(all, SORT, { page: 1, size: SIZE });
  assert.deepEqual(after.items, before.items);
});
