/**
 * Who is to decide on a submission, and until when: a curator assigns it by hand, or a rule of the settings does when it is
 * submitted (`rules.ts`). It is a help among curators: each of them may decide on every submission.
 *
 * Only curators can be assigned. A row keeps the name of one who curates no more, and every read shows and counts it as unassigned:
 * grants end in many places, as with a time that passes.
 */
import { isServiceError, isStorageFailure, type ServiceError } from '../../../core/errors.ts';
import { refusal } from '../../../core/json-schema.ts';
import { resolvePid } from '../../../core/records/record.ts';
import type { Shape } from '../../../core/shapes.ts';
import { zoneOf } from '../decisions/decision-runs.ts';
import type { ReviewContext } from '../parts.ts';
import type { assignmentSchema, curatorsSchema, sentAssignmentSchema } from '../schemas.ts';
import { NOT_DUE } from '../states.ts';
import { presentSubmission } from '../submissions/current.ts';
import { type ReviewDraft, reviewDraft } from '../submissions/review-draft.ts';
import { dueTime } from './columns.ts';
import type { Lost } from './filter.ts';
import { type Assigned, dueFrom } from './rules.ts';

export type Assignment = Shape<typeof assignmentSchema>;

export type SentAssignment = Shape<typeof sentAssignmentSchema>;

export type Curator = Shape<typeof curatorsSchema>['items'][number];

/** The outcome of one assignment of several. */
export type AssignmentOutcome = {
  readonly label: string;
  readonly pid: string;
} & ({ readonly assignment: Assignment } | { readonly error: ServiceError });

/** Assignments of one transaction. */
const AT_ONCE = 100;

/** Assigns submissions, each on its own: a refused one changes nothing of the others. */
export async function assignAll(
  context: ReviewContext,
  sent: readonly SentAssignment[],
): Promise<AssignmentOutcome[]> {
  const { parts } = context;
  const named = new Set(sent.flatMap(({ assignee }) => assignee ?? []));
  const curators = new Set(named.size > 0 ? await parts.curators([...named]) : []);
  const outcomes: AssignmentOutcome[] = [];
  for (let from = 0; from < sent.length; from += AT_ONCE)
    outcomes.push(...(await assignTogether(context, curators, sent.slice(from, from + AT_ONCE))));
  return outcomes;
}

function assignTogether(
  context: ReviewContext,
  curators: ReadonlySet<string>,
  sent: readonly SentAssignment[],
): Promise<AssignmentOutcome[]> {
  return context.parts.transact(async (draft) => {
    const review = reviewDraft(draft, context, await context.queue());
    const outcomes: AssignmentOutcome[] = [];
    for (const one of sent) {
      const { label, pid } = one;
      try {
        outcomes.push({ label, pid, assignment: await assign(context, review, curators, one) });
      } catch (error) {
        if (!isServiceError(error) || isStorageFailure(error)) throw error;
        outcomes.push({ label, pid, error });
      }
    }
    review.flush();
    return outcomes;
  });
}

/** @throws ServiceError `payload_invalid`, `label_unknown`, `record_missing`, `prefix_unknown` */
async function assign(
  context: ReviewContext,
  review: ReviewDraft,
  curators: ReadonlySet<string>,
  { label, pid, assignee, due }: SentAssignment,
): Promise<Assignment> {
  const { parts } = context;
  if (assignee !== null && !curators.has(assignee))
    throw refused('assignee', `expected a curator of the collection, found '${assignee}'`);
  if (due && !(Date.parse(due) < NOT_DUE))
    throw refused('due', `expected a date and time (ISO 8601), found '${due}'`);
  const zone = await zoneOf(parts, label);
  const of = zone && { area: zone.store.area.id, label: parts.zones.first(label) };
  const row = await presentSubmission(review, context, of, { iri: resolvePid(parts.schema, pid), pid });
  const next = await assigned();
  review.put({ ...row, ...next });
  return { label: row.label, pid: row.pid, assignee, due: dueTime(next) };

  async function assigned(): Promise<Assigned> {
    if (assignee === null) return { assignee: '', due: NOT_DUE };
    if (due !== undefined) return { assignee, due: due === null ? NOT_DUE : Date.parse(due) };
    const own = row.due === NOT_DUE ? dueFrom(context, await review.settings()) : row.due;
    return { assignee, due: own };
  }
}

function refused(key: string, msg: string): ServiceError {
  return refusal('payload_invalid', [{ type: 'value_error', loc: ['body', key], msg }]);
}

/** The assignees in a queue who curate no more. */
export async function lostIn({ parts }: Pick<ReviewContext, 'parts'>, queue: number): Promise<Lost> {
  const rows = await parts.database.tuples<[string]>(
    "SELECT DISTINCT assignee FROM accession_submission_count WHERE queue = $1 AND assignee <> ''",
    [queue],
  );
  if (rows.length === 0) return NO_ONE_LOST;
  const assignees = rows.map(([one]) => one);
  const curators = new Set(await parts.curators(assignees));
  return new Set(assignees.filter((one) => !curators.has(one)));
}

const NO_ONE_LOST: Lost = new Set();
