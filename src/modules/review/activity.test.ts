/** Activity counts all submissions of one moment, as an import makes them, on both databases. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { ROWS_AT_ONCE } from '../../core/storage/effort.ts';
import { testWorld } from './world.support.ts';

const COPIED = `queue, area, label, class_name, present, status, state, submitter, submitted_at, stored_at, revision, version,
  digest, valid, differences, conflicts, slots, base_known`;

for (const kind of ['SQLite', 'PostgreSQL'])
  test(`submissions of one moment are counted, however many there are, in ${kind}`, async (t) => {
    const { review, database, submit } = await testWorld(
      t,
      kind === 'PostgreSQL' ? { url: await ownDatabase() } : {},
    );
    await submit('ann', { pid: 'ex:a', name: 'a' });
    await review.summary({});
    const copies = ROWS_AT_ONCE + 5;
    await database.transact(async (draft) =>
      draft.run(
        `INSERT INTO accession_submission (iri, pid, ${COPIED})
         WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${copies})
         SELECT s.iri || CAST(n AS TEXT), s.pid || CAST(n AS TEXT), ${COPIED} FROM accession_submission s CROSS JOIN numbers`,
        [],
      ),
    );
    const { weeks, submitters } = await review.activity({ classes: undefined, weeks: 2 });
    assert.equal(
      weeks.reduce((sum, { submitted }) => sum + submitted, 0),
      copies + 1,
    );
    assert.deepEqual(submitters, [{ submitter: 'ann', submissions: copies + 1 }]);
  });
