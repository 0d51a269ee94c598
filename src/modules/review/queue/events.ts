/**
 * What has happened to submissions, for those whom it concerns: decisions, questions, and faults by another schema for their submitters,
 * submissions and answers for curators.
 */
import { refusal } from '../../../core/json-schema.ts';
import { timeOf } from '../../../core/storage/times.ts';
import type { Visibility } from '../../../core/storage/visibility.ts';
import type { QueueReading } from '../parts.ts';
import { textOfRow } from '../submissions/submissions.ts';
import { type Condition, statement } from './filter.ts';

export const EVENT_KINDS = ['accepted', 'rejected', 'comment', 'submitted', 'faulty'] as const;
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
type Concerned = {
  readonly userId: string;
  /** The area of the zone whose submissions are their own. */
  readonly zone: number | undefined;
  readonly curates: boolean;
};

/**
 * Of an event in the order of all: that of the changes of the queue, which clocks that are set do not disturb. Events of one change are
 * in the order of their times, those of one moment in that of the rest. `number` is that of a comment.
 */
export type EventPosition = readonly [
  /** 0 of an event that an earlier release has stored: it was before all others. */
  change: number,
  time: number,
  source: number,
  label: string,
  pid: string,
  number: number,
];

/** Behind it are all events. */
export const NEWEST: EventPosition = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, -1, '', '', 0];

type FoundEvent = {
  readonly event: ReviewEvent;
  readonly position: EventPosition;
  /** The submission. */
  readonly about: Parameters<typeof textOfRow>[1];
};

type Row = [
  kind: EventKind,
  change: number,
  time: number,
  label: string,
  pid: string,
  number: number,
  className: string,
  title: string | null,
  by: string | null,
  text: string | null,
  requests: string | null,
  area: number,
  iri: string,
  present: 0 | 1,
  revision: number,
];

/** One kind of row that events are made of. */
type Source = {
  readonly kind: string;
  readonly change: string;
  readonly time: string;
  /** Who did what: `by`, `text`, `requests`. */
  readonly what: string;
  readonly from: string;
  /** The column of the queue. */
  readonly queue: string;
  /** The order of rows of one moment, backwards. */
  readonly keys: readonly string[];
  /** The rows that concern somebody; undefined if none of this kind do. */
  concern(concerned: Concerned): Condition | undefined;
};

const OF_SUBMISSIONS = {
  from: 'accession_submission s',
  queue: 's.queue',
  keys: ['s.label', 's.pid'],
};
const OF_COMMENTS = {
  kind: "'comment'",
  change: 'c.change',
  time: 'c.time',
  what: 'c.author, c.text, c.requests',
  from: 'accession_comment c JOIN accession_submission s ON s.iri = c.iri AND s.queue = c.queue AND s.area = c.area',
  queue: 'c.queue',
  keys: ['s.label', 's.pid', 'c.number'],
};

/** In the order of their events of one moment. */
const SOURCES: readonly Source[] = [
  {
    ...OF_SUBMISSIONS,
    kind: 's.status',
    change: 's.settled_change',
    time: 's.settled_at',
    what: 'NULL, NULL, NULL',
    concern: ({ zone, userId }) =>
      zone === undefined
        ? undefined
        : (
            given,
          ) => `s.area = ${given(zone)} AND s.settled_at IS NOT NULL AND s.status IN ('accepted', 'rejected')
            AND (s.submitter IS NULL OR s.submitter = ${given(userId)})`,
  },
  {
    ...OF_COMMENTS,
    concern: ({ zone, userId }) =>
      zone === undefined
        ? undefined
        : (given) => `c.role = 'curator' AND c.area = ${given(zone)} AND c.author <> ${given(userId)}`,
  },
  {
    ...OF_SUBMISSIONS,
    kind: "'submitted'",
    change: 's.submitted_change',
    time: 's.submitted_at',
    what: 's.submitter, s.message, NULL',
    concern: ({ curates, userId }) =>
      curates
        ? (given) =>
            `s.status = 'waiting' AND s.present = 1 AND (s.submitter IS NULL OR s.submitter <> ${given(userId)})`
        : undefined,
  },
  {
    ...OF_COMMENTS,
    concern: ({ curates, userId }) =>
      curates ? (given) => `c.role = 'submitter' AND c.author <> ${given(userId)}` : undefined,
  },
  {
    ...OF_SUBMISSIONS,
    kind: "'faulty'",
    change: 's.faulty_change',
    time: 's.faulty_at',
    what: 'NULL, NULL, NULL',
    concern: ({ zone, userId }) =>
      zone === undefined
        ? undefined
        : (given) => `s.area = ${given(zone)} AND s.present = 1 AND s.faulty_at IS NOT NULL
            AND s.status IN ('waiting', 'deferred') AND (s.submitter IS NULL OR s.submitter = ${given(userId)})`,
  },
];

/** The source in positions of events that are not of submissions: of one moment, they are behind all others. */
export const OTHER_SOURCE = SOURCES.length;

/** The events behind a position, newest first. */
export async function eventsFor(
  { reader, queue }: QueueReading,
  concerned: Concerned,
  { after = NEWEST, limit }: { readonly after?: EventPosition | undefined; readonly limit: number },
): Promise<FoundEvent[]> {
  const found: FoundEvent[] = [];
  for (const [at, source] of SOURCES.entries()) {
    const { kind, change, time, what, from, keys } = source;
    const concern = source.concern(concerned);
    if (!concern) continue;
    const rows = await reader.tuples<Row>(
      ...statement(
        (
          given,
        ) => `SELECT ${kind}, ${change}, ${time}, s.label, s.pid, ${keys[2] ?? 0}, s.class_name, s.title, ${what}, s.area, s.iri, s.present, s.revision
          FROM ${from} WHERE ${source.queue} = ${given(queue)} AND ${concern(given)} AND ${behind(source, at, after)(given)}
          ORDER BY ${[change, time, ...keys].map((key) => `${key} DESC`).join(', ')} LIMIT ${given(limit)}`,
      ),
    );
    found.push(...rows.map((row) => foundIn(row, at)));
  }
  // Those of one moment stay in the order in which they were read.
  const inOrder = ({ position: [change, time] }: FoundEvent, { position: [other, moment] }: FoundEvent) =>
    other - change || moment - time;
  return found.sort(inOrder).slice(0, limit);
}

/** The rows behind a position. */
function behind(
  { change, time, keys }: Source,
  at: number,
  [number, moment, source, ...others]: EventPosition,
): Condition {
  return (given) => {
    const ofSource = at === source ? others.slice(0, keys.length) : [];
    const values = [number, moment, ...ofSource].map(given);
    const columns = [change, time, ...(at === source ? keys : [])];
    return `(${columns.join(', ')}) ${at > source ? '<=' : '<'} (${values.join(', ')})`;
  };
}

function foundIn(row: Row, source: number): FoundEvent {
  const [
    kind,
    change,
    time,
    label,
    pid,
    number,
    className,
    title,
    by,
    text,
    requests,
    area,
    iri,
    present,
    revision,
  ] = row;
  return {
    event: { kind, time: timeOf(time), label, pid, class: className, title, by, text, requests },
    position: [change, time, source, label, pid, number],
    about: { area, iri, present, revision },
  };
}

/** Whether a caller sees the record of an event, by its text: the column of policies may not be known in each zone. */
export async function seesEvent(
  reading: QueueReading,
  { about }: FoundEvent,
  visibility: Visibility,
): Promise<boolean> {
  const text = await textOfRow(reading, about);
  return text !== undefined && visibility.seesText(text);
}

/** @throws ServiceError `payload_invalid` for a position behind which no page continues */
export function refuseAfter(): never {
  const msg = 'expected the value of next on a former page';
  throw refusal('payload_invalid', [{ type: 'value_error', loc: ['after'], msg }]);
}
