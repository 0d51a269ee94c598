/** The rules of a collection by which new submissions are assigned. */
import { DAY } from '../../../core/durations.ts';
import type { ReviewContext } from '../parts.ts';
import type { ReviewSettings } from '../settings-schema.ts';
import { NOT_DUE } from '../states.ts';
import type { Submission } from '../submissions/submission.ts';
import { listedLabel, withSubclasses } from './filter.ts';

/** Who is to decide, and until when. */
export type Assigned = Pick<Submission, 'assignee' | 'due'>;

/** What the first rule that applies makes of a new submission. */
export function assignedBy(
  context: ReviewContext,
  settings: ReviewSettings,
  className: string,
  label: string,
): Assigned {
  const { parts } = context;
  const rule = settings.assign?.find(
    ({ classes, zones }) =>
      (!classes || withSubclasses(parts, classes).includes(className)) &&
      (!zones || zones.some((one) => listedLabel(parts, one) === label)),
  );
  if (!rule) return { assignee: '', due: NOT_DUE };
  return { assignee: rule.curator, due: dueFrom(context, settings) };
}

/** When a submission is due that is assigned now. */
export function dueFrom(context: ReviewContext, { due_days: days }: ReviewSettings): number {
  return days === undefined ? NOT_DUE : context.now().getTime() + days * DAY;
}
