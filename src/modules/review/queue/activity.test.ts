/** Activity counts all submissions and decisions, also those of one moment, as an import makes them, on both databases. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ownDatabase } from '../../../../test/support/postgresql.ts';
import { propertyRuns, repeated, test } from '../../../../test/support/tier.ts';
import { DAY, WEEK } from '../../../core/storage/history/weeks.ts';
import { ROWS_AT_ONCE } from '../../../core/storage/search/effort.ts';
import { REVIEWER, reviewSchema, testWorld } from '../world.support.ts';

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

const STATUS = { accept: 'accepted', reject: 'rejected', defer: 'deferred' } as const;
type Verdict = keyof typeof STATUS;
const STEPS = ['submit', 'submit', 'accept', 'reject', 'defer', 'undo', 'withdraw'] as const;
const step = fc.record({
  kind: fc.constantFrom(...STEPS),
  label: fc.constantFrom('ann', 'bob'),
  key: fc.integer({ min: 0, max: 3 }),
});
/** A Wednesday, and its Monday in microseconds. */
const NOW = new Date('2026-03-04T05:06:07Z');
const MONDAY = Date.parse('2026-03-02') * 1000;

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
/** In microseconds before now, and for how long a submission waited, also to the microsecond at which the next number begins. */
const age = fc.integer({ min: 0, max: 40 * DAY });
const wait = fc.oneof(
  fc
    .tuple(fc.constantFrom(0, 1, 3, 7, 14, 30, 90, 91), fc.constantFrom(0, 1))
    .map(([n, more]) => n * DAY + more),
  fc.integer({ min: 0, max: 120 * DAY }),
);

type Known = { label: string; class: string; status: string; submitted: number; settled: number };
type Decided = {
  id: string;
  of: string;
  class: string;
  kind: string;
  before: string;
  time: number;
  isUndone: boolean;
};

/** What activity is of all submissions and decisions. */
function expectedOf(
  submissions: readonly Known[],
  decisions: readonly Decided[],
  classes: readonly string[] | undefined,
  weeks: number,
) {
  const first = MONDAY - (weeks - 1) * WEEK;
  const isOf = (one: { class: string }) => classes?.includes(one.class) ?? true;
  const since = submissions.filter((one) => isOf(one) && one.submitted >= first);
  const done = since.filter(({ status }) => status === 'accepted' || status === 'rejected');
  const given = decisions.filter((one) => isOf(one) && !one.isUndone);
  const countBy = (names: readonly string[]) =>
    [...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length] as const);
  const limits = [1, 3, 7, 14, 30, 90, Number.POSITIVE_INFINITY];
  return {
    weeks: Array.from({ length: weeks }, (_, at) => {
      const from = first + at * WEEK;
      const isIn = (time: number) => time >= from && time < from + WEEK;
      const ofKind = (kind: string) => given.filter((one) => one.kind === kind && isIn(one.time)).length;
      return {
        week: new Date(from / 1000).toISOString().slice(0, 10),
        submitted: since.filter(({ submitted }) => isIn(submitted)).length,
        accepted: ofKind('accept'),
        rejected: ofKind('reject'),
        deferred: ofKind('defer'),
      };
    }),
    decided: limits.map((days, at) => ({
      submissions: done.filter(({ submitted, settled }) => {
        const took = (settled - submitted) / DAY;
        return took <= days && took > (limits[at - 1] ?? Number.NEGATIVE_INFINITY);
      }).length,
      ...(Number.isFinite(days) && { within: days }),
    })),
    waiting: countBy(
      submissions.filter((one) => isOf(one) && one.status === 'waiting').map((one) => one.class),
    )
      .map(([name, count]) => ({ class: name, submissions: count }))
      .toSorted((a, b) => (a.class < b.class ? -1 : 1)),
    submitters: countBy(since.map(({ label }) => label))
      .map(([submitter, count]) => ({ submitter, submissions: count }))
      .toSorted((a, b) => b.submissions - a.submissions || (a.submitter < b.submitter ? -1 : 1)),
  };
}

for (const kind of ['SQLite', 'PostgreSQL'])
  repeated(`activity is that of all submissions and decisions, one by one, in ${kind}`, async (t) => {
    const url = kind === 'PostgreSQL' ? { url: await ownDatabase() } : {};
    const { review, database, submit, withdraw } = await testWorld(t, { ...url, now: () => NOW });
    const submissions = new Map<string, Known>();
    const decisions: Decided[] = [];
    let serial = 0;
    /** The last decision, until its submission changes. */
    let undoable: Decided | undefined;

    const decide = async (what: Verdict, pid: string, known: Known) => {
      const { label, class: className, status: before } = known;
      const { digest, curated_etag: ifCurated } = await review.item(label, pid);
      const body = { label, pid, digest, decision: what, reason: 'so' };
      const result = { take: { '': 'submitted' as const }, if_curated: ifCurated };
      const { id } = await review.decide(what === 'accept' ? { ...body, ...result } : body, REVIEWER);
      undoable = { id, of: pid, class: className, kind: what, before, time: 0, isUndone: false };
      decisions.push(undoable);
      known.status = STATUS[what];
    };
    const make = async ({ kind: what, label, key }: Step) => {
      const pid = `ex:${label}${key}`;
      const known = submissions.get(pid);
      if (what === 'submit') {
        const className = key % 2 === 0 ? 'Person' : 'Employee';
        await submit(label, { pid, name: `n${serial++}`, schema_type: reviewSchema.schemaType(className) });
        submissions.set(pid, { label, class: className, status: 'waiting', submitted: 0, settled: 0 });
        if (undoable?.of === pid) undoable = undefined;
      } else if (what === 'undo' && undoable) {
        await review.undo(undoable.id, REVIEWER);
        undoable.isUndone = true;
        submissions.get(undoable.of)!.status = undoable.before;
        undoable = undefined;
      } else if (what === 'withdraw' && known?.status === 'waiting') {
        await withdraw(label, pid);
        known.status = 'withdrawn';
        if (undoable?.of === pid) undoable = undefined;
      } else if (what in STATUS && (known?.status === 'waiting' || known?.status === 'deferred')) {
        await decide(what as Verdict, pid, known);
      }
    };
    /** Gives each submission and decision a time: a test cannot wait for weeks. */
    const date = (now: number, ages: Iterator<number>, waits: Iterator<number>) =>
      database.transact(async (draft) => {
        for (const [pid, known] of submissions) {
          known.submitted = now - ages.next().value;
          known.settled = known.submitted + waits.next().value;
          draft.run(
            `UPDATE accession_submission SET submitted_at = $1,
              settled_at = CASE WHEN settled_at IS NOT NULL THEN CAST($2 AS BIGINT) END WHERE pid = $3`,
            [known.submitted, known.settled, pid],
          );
        }
        for (const decided of decisions) {
          decided.time = now - ages.next().value;
          draft.run('UPDATE accession_decision SET time = $1 WHERE id = $2', [decided.time, decided.id]);
        }
      });

    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 25 }),
        fc.infiniteStream(age),
        fc.infiniteStream(wait),
        async (steps, ages, waits) => {
          for (const one of steps) await make(one);
          await date(NOW.getTime() * 1000, ages, waits);
          for (const classes of [undefined, ['Person'], []])
            for (const weeks of [1, 4]) {
              const activity = await review.activity({ classes, weeks });
              assert.deepEqual(
                activity,
                expectedOf([...submissions.values()], decisions, classes, weeks),
                JSON.stringify({ classes, weeks }),
              );
            }
        },
      ),
      { numRuns: propertyRuns(6, 40), endOnFailure: true },
    );
  });
