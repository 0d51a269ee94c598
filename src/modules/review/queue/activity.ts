/** How many submissions and decisions there were in each week, how long decisions took, and who submits. */
import { countSchema, listOf, objectOf, type Shape, textSchema } from '../../../core/shapes.ts';
import { countsOfWeeks, DAY, MONDAY, WEEK, weekOf } from '../../../core/storage/history/weeks.ts';
import { timeOf } from '../../../core/storage/times.ts';
import type { QueueReading } from '../parts.ts';

/** Days within which submissions were decided, each with those of the ones before; then there are longer ones. */
const WITHIN = [1, 3, 7, 14, 30, 90] as const;
const MOST_SUBMITTERS = 100;

export const activitySchema = objectOf({
  weeks: {
    ...listOf(
      objectOf({
        week: textSchema,
        submitted: countSchema,
        accepted: countSchema,
        rejected: countSchema,
        deferred: countSchema,
      }),
    ),
    description:
      'Each by the date of its Monday: submissions that were last stored as another claim in it, and decisions that were not undone.',
  },
  decided: {
    ...listOf(objectOf({ submissions: countSchema }, { within: { ...countSchema, description: 'Days.' } })),
    description:
      'How many of these submissions were accepted or rejected within so many days, and not within those before; the last has those that took longer.',
  },
  waiting: {
    ...listOf(objectOf({ class: textSchema, submissions: countSchema })),
    description: 'The submissions of each class that wait now.',
  },
  submitters: {
    ...listOf(objectOf({ submitter: textSchema, submissions: countSchema })),
    description: 'Who made most of these submissions, up to 100.',
  },
} as const);

export type Activity = Shape<typeof activitySchema>;

/** Which submissions: of classes, in the last weeks. */
export type ActivityQuery = { readonly classes: readonly string[] | undefined; readonly weeks: number };

type SubmissionGroup = [
  week: number,
  className: string,
  submitter: string | null,
  within: number | null,
  count: number,
];
type DecisionGroup = [week: number, className: string, decision: string, count: number];

/** The least of the days within which a submission was decided; one more than the last for longer ones. */
const WITHIN_COLUMN = `CASE WHEN s.status IN ('accepted', 'rejected') THEN CASE ${WITHIN.map(
  (days, at) => `WHEN s.settled_at - s.submitted_at <= ${days * DAY} THEN ${at}`,
).join(' ')} ELSE ${WITHIN.length} END END`;

const WAITING = `SELECT class_name, CAST(sum(n) AS BIGINT) FROM accession_submission_count
  WHERE queue = $1 AND status = 'waiting' GROUP BY class_name HAVING sum(n) > 0 ORDER BY class_name`;

export async function activityOf(
  reading: QueueReading,
  { classes, weeks }: ActivityQuery,
): Promise<Activity> {
  const { reader, context, queue } = reading;
  const first = weekOf(context.time()) - (weeks - 1) * WEEK;
  const firstWeek = (first - MONDAY) / WEEK;
  const counted = new Map<
    number,
    { submitted: number; accepted: number; rejected: number; deferred: number }
  >();
  const inWeek = (found: number) => {
    // A clock that was ahead has dated what happened in the weeks until now.
    const week = Math.min(found, firstWeek + weeks - 1);
    const counts = counted.get(week) ?? { submitted: 0, accepted: 0, rejected: 0, deferred: 0 };
    counted.set(week, counts);
    return counts;
  };
  const decided = new Array<number>(WITHIN.length + 1).fill(0);
  const submitters = new Map<string, number>();
  const isOf = (className: string) => classes?.includes(className) ?? true;

  const submissions = {
    columns: ['s.class_name', 's.submitter', WITHIN_COLUMN],
    from: 'accession_submission s WHERE s.queue = $1',
    time: 's.submitted_at',
  };
  for await (const [week, className, submitter, within, count] of countsOfWeeks<SubmissionGroup>(
    reader,
    submissions,
    queue,
    first,
  )) {
    if (!isOf(className)) continue;
    inWeek(week).submitted += count;
    if (within !== null) decided[within]! += count;
    if (submitter !== null) submitters.set(submitter, (submitters.get(submitter) ?? 0) + count);
  }
  const decisions = {
    columns: ['d.class_name', 'd.decision'],
    from: "accession_decision d WHERE d.curated = $1 AND d.undone_at IS NULL AND d.decision <> 'approve'",
    time: 'd.time',
  };
  const { id: curated } = context.parts.curated.area;
  for await (const [week, className, decision, count] of countsOfWeeks<DecisionGroup>(
    reader,
    decisions,
    curated,
    first,
  )) {
    if (!isOf(className)) continue;
    const verdict = decision === 'accept' ? 'accepted' : decision === 'reject' ? 'rejected' : 'deferred';
    inWeek(week)[verdict] += count;
  }

  const waiting = await reader.tuples<[className: string, count: number]>(WAITING, [queue]);
  return {
    weeks: Array.from({ length: weeks }, (_, at) => ({
      week: timeOf(first + at * WEEK).slice(0, 10),
      ...inWeek(firstWeek + at),
    })),
    decided: decided.map((submissions, at) => {
      const within = WITHIN[at];
      return { submissions, ...(within !== undefined && { within }) };
    }),
    waiting: waiting.flatMap(([className, submissions]) =>
      isOf(className) ? [{ class: className, submissions }] : [],
    ),
    submitters: [...submitters]
      .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
      .slice(0, MOST_SUBMITTERS)
      .map(([submitter, submissions]) => ({ submitter, submissions })),
  };
}
