/**
 * What has happened to submissions, for those whom it concerns: decisions and questions for their submitters, submissions and answers
 * for curators.
 */
import type { Value } from '../../core/storage/dialect.ts';
import { timeOf } from '../../core/storage/times.ts';
import type { QueueReading } from './parts.ts';

export const EVENT_KINDS = ['accepted', 'rejected', 'comment', 'submitted'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export type ReviewEvent = {
  readonly kind: EventKind;
  /** In the form of entries. */
  readonly time: string;
  /** The zone of the submission. */
  readonly label: string;
  readonly pid: string;
  readonly class: string;
  readonly title: string | null;
  /** Who submitted or commented. */
  readonly by: string | null;
  /** Of a comment, and what it asks for. */
  readonly text: string | null;
  readonly requests: string | null;
};

/** Whom events are for: they are not informed of what they have done themselves. */
export type Concerned = {
  readonly userId: string;
  /** The area of the zone whose submissions are their own. */
  readonly zone: number | undefined;
  readonly curates: boolean;
};

type Row = [
  kind: EventKind,
  time: number,
  label: string,
  pid: string,
  className: string,
  title: string | null,
  by: string | null,
  text: string | null,
  requests: string | null,
];

const OF_SUBMISSION = 's.label, s.pid, s.class_name, s.title';
const COMMENTED = `SELECT 'comment', c.time, ${OF_SUBMISSION}, c.author, c.text, c.requests FROM accession_comment c
  JOIN accession_submission s ON s.iri = c.iri AND s.queue = c.queue AND s.area = c.area WHERE c.queue = $1`;

/** The last events before a time in microseconds since 1970, newest first. */
export async function eventsFor(
  { reader, queue }: QueueReading,
  { userId, zone, curates }: Concerned,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<ReviewEvent[]> {
  const rows: Row[] = [];
  const read = async (sql: string, values: readonly Value[]) => {
    rows.push(...(await reader.tuples<Row>(`${sql} LIMIT ${limit}`, [queue, before, userId, ...values])));
  };
  if (zone !== undefined) {
    await read(
      `SELECT s.status, s.settled_at, ${OF_SUBMISSION}, NULL, NULL, NULL FROM accession_submission s
       WHERE s.queue = $1 AND s.area = $4 AND s.settled_at < $2 AND s.status IN ('accepted', 'rejected')
         AND (s.submitter IS NULL OR s.submitter = $3) ORDER BY s.settled_at DESC`,
      [zone],
    );
    await read(
      `${COMMENTED} AND c.role = 'curator' AND c.area = $4 AND c.time < $2 AND c.author <> $3 ORDER BY c.time DESC`,
      [zone],
    );
  }
  if (curates) {
    await read(
      `SELECT 'submitted', s.submitted_at, ${OF_SUBMISSION}, s.submitter, s.message, NULL FROM accession_submission s
       WHERE s.queue = $1 AND s.status = 'waiting' AND s.present = 1 AND s.submitted_at < $2
         AND (s.submitter IS NULL OR s.submitter <> $3) ORDER BY s.submitted_at DESC`,
      [],
    );
    await read(
      `${COMMENTED} AND c.role = 'submitter' AND c.time < $2 AND c.author <> $3 ORDER BY c.time DESC`,
      [],
    );
  }
  return rows
    .sort((a, b) => b[1] - a[1])
    .slice(0, limit)
    .map(([kind, time, label, pid, className, title, by, text, requests]) => ({
      ...{ kind, time: timeOf(time), label, pid, class: className, title, by, text, requests },
    }));
}
