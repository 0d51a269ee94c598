/** Events of one moment come once each, whatever the size of a page, on both databases. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownDatabase } from '../../../../test/support/postgresql.ts';
import { ofTier } from '../../../../test/support/tier.ts';
import { testWorld } from '../world.support.ts';
import type { EventPosition } from './events.ts';

const EVENTS = 30;

for (const kind of ofTier(['SQLite', 'PostgreSQL']))
  test(`submissions and answers of one moment are on one page each in ${kind}`, async (t) => {
    const now = () => new Date('2026-05-01T12:00:00Z');
    const world = await testWorld(t, { now, ...(kind === 'PostgreSQL' && { url: await ownDatabase() }) });
    const { review, database, submit } = world;
    const names = Array.from({ length: EVENTS }, (_, at) => `p${at}`);
    const sight = { readCurated: true };
    for (const name of names) {
      await submit('ann', { pid: `ex:${name}`, name });
      await review.answer(
        'ann',
        `ex:${name}`,
        { text: 'Look.', author: 'ann', role: 'submitter', requests: null },
        sight,
      );
    }
    await database.transact(async (draft) => {
      for (const sql of ['accession_submission SET submitted_at', 'accession_comment SET time'])
        draft.run(`UPDATE ${sql} = $1`, [now().getTime() * 1000]);
      draft.run('UPDATE accession_submission SET submitted_change = 0');
      draft.run('UPDATE accession_comment SET change = 0');
    });
    const cora = { userId: 'cora', curates: true, visibility: undefined };
    for (const limit of [7, 10, 50, 2 * EVENTS]) {
      const seen: string[] = [];
      for (let after: EventPosition | undefined; ; ) {
        const { events, next } = await review.events(cora, { after, limit });
        assert.ok(events.length <= limit);
        seen.push(...events.map(({ event }) => `${event.kind} ${event.pid}`));
        if (next === null) break;
        after = next;
      }
      const expected = names.flatMap((name) => [`submitted ex:${name}`, `comment ex:${name}`]);
      assert.deepEqual(seen.toSorted(), expected.toSorted(), `limit ${limit}`);
    }
  });
