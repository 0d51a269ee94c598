/** One submission with all that a curator needs to decide on it. */
import { compareCodePoints, JsonText } from '#linkml/json.ts';
import type { Shape } from '../../../core/shapes.ts';
import { linksIn } from '../../../core/storage/store.ts';
import { yielder } from '../../../core/yield.ts';
import { type Content, contentOf } from '../decisions/content.ts';
import { decisionOf, decisionsOn, jsonOf, keptBy, MOST_EARLIER } from '../decisions/decisions.ts';
import type { QueueReading } from '../parts.ts';
import type { itemSchema } from '../schemas.ts';
import type { Standing } from '../states.ts';
import { commentsOn } from '../submissions/comments.ts';
import { baseOfRow, LISTED, type ListedSubmission, type Submission } from '../submissions/submission.ts';
import { contentOfRow } from '../submissions/submissions.ts';
import type { HintProvider, Reference, Row, WithTexts } from '../types.ts';
import { type CuratorReading, rowsOf } from './queue.ts';

/** `problems`: why the schema refuses `merged`, or `submitted` if there are conflicts. */
export type ReadItem = WithTexts<
  Shape<typeof itemSchema>,
  'submitted' | 'curated' | 'base' | 'differences' | 'merged' | 'approved' | 'problems'
>;

const MOST_REFERENCES = 1000;

/** Reads a submission that is in its zone. */
export async function readItem(
  reading: CuratorReading,
  row: Submission,
  findHints: HintProvider | undefined,
): Promise<ReadItem> {
  const { reader, context, queue } = reading;
  const { parts } = context;
  const curated = await parts.curated.get(row.iri);
  const base = baseOfRow(row);
  const submitted = await contentOfRow(reading, row);
  const { listed, merged, problems } = await parts.work.shown({
    submitted,
    curated: curated && contentOf(curated),
    base,
  });
  // Selected and sorted here: SQLite would rather walk the whole queue in the order of an index.
  const onRecord = await reader.read<ListedSubmission>(
    `SELECT ${LISTED} FROM accession_submission s WHERE s.iri = $1 AND s.queue = $2`,
    [row.iri, queue],
  );
  const competing = onRecord
    .filter(({ area, present }) => area !== row.area && present === 1)
    .sort((a, b) => compareCodePoints(a.label, b.label));
  const [own, ...others] = await rowsOf(reading, [row, ...competing], findHints);
  const decisions = (await decisionsOn(reader, context, [row.iri])).slice(0, MOST_EARLIER);
  return {
    ...own!,
    submitted: jsonOf(submitted),
    curated: jsonOf(curated),
    base: jsonOf(base),
    differences: new JsonText(listed.differences),
    more_differences: listed.more,
    merged: new JsonText(merged),
    approved: jsonOf(await approvedResult(reading, own!.approvals)),
    problems: new JsonText(problems),
    references: await referencesFrom(reading, row, submitted),
    competing: others,
    decisions: decisions.map((decision) => decisionOf(context, decision)),
    comments: await commentsOn(reading, row),
  };
}

/** The record that the last approval is for. */
async function approvedResult(
  { reader, context }: QueueReading,
  [last]: Row['approvals'],
): Promise<Content | undefined> {
  return (last && (await keptBy(reader, context, last.id))?.after) ?? undefined;
}

/** The references of a submission; those to other submissions of its zone are followed. */
async function referencesFrom(
  reading: QueueReading,
  row: Submission,
  submitted: Content,
): Promise<Reference[]> {
  const { parts } = reading.context;
  const found = new Map<string, Reference>();
  const seen = new Set([row.iri]);
  const waiting: Content[] = [submitted];
  const yieldIfDue = yielder();
  for (let content = waiting.shift(); content; content = waiting.shift()) {
    for (const { iri } of linksIn((await parts.work.identified(content)).links)) {
      await yieldIfDue();
      if (found.size === MOST_REFERENCES) return [...found.values()];
      if (seen.has(iri)) continue;
      seen.add(iri);
      const own = await submissionAt(reading, row.area, iri);
      if (own?.present) {
        const { pid, digest, state, status } = own;
        found.set(iri, { pid, in: 'zone', digest, state, standing: status as Standing });
        waiting.push(await contentOfRow(reading, own));
      } else {
        const [key] = await parts.curated.present([iri]);
        const pid = key?.pid ?? parts.schema.compact(iri);
        found.set(iri, { pid, in: key ? 'curated' : 'nowhere', digest: null, state: null, standing: null });
      }
    }
  }
  return [...found.values()];
}

/** The row of a submission. */
export async function submissionAt(
  { reader, queue }: QueueReading,
  area: number,
  iri: string,
): Promise<Submission | undefined> {
  const sql = `SELECT s.* FROM accession_submission s WHERE s.iri = $1 AND s.queue = $2 AND s.area = $3`;
  return (await reader.read<Submission>(sql, [iri, queue, area]))[0];
}
