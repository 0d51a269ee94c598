/**
 * The durations of the service, in milliseconds, in one table. Those that operators set are options with a default
 * (`http/limits.ts`, `docs/limits.md`).
 */

const SECOND = 1000;
export const MINUTE = 60 * SECOND;
const HOUR = 3600 * SECOND;
export const DAY = 24 * HOUR;

/** Waiting ends after these, whether or not what is waited for has come. */
export const TIMEOUT = {
  /** A host with a schema or policy information. */
  host: 10 * SECOND,
  /** The status of the receiver of a webhook. */
  webhook: 15 * SECOND,
  /** A connection to a mail server, and each of its answers. */
  mail: 15 * SECOND,
  /** The body behind that status, which is discarded. */
  webhookBody: SECOND,
  /** The source of a vocabulary, until all of it is read. */
  vocabulary: 240 * SECOND,
  /** All files of a schema. */
  schema: 60 * SECOND,
  /** A request for its turn, when too many are answered. */
  turn: 5 * SECOND,
  /** A body before its request leaves its place. */
  promptBody: 100,
  /** A connection beyond the share of its client. */
  briefConnection: 5 * SECOND,
  /** A body that is too large, and is read only for its client to see the response. */
  droppedBody: 10 * SECOND,
  /** A request for a newer state of the service. */
  health: 50,
  /** The first request for the size of a store: to count a million files takes longer. */
  storeSize: 2 * SECOND,
  /** A request for zones that the review has not read. */
  zones: SECOND,
  /** A plain replacement of a collection for the number of records that will not fit. */
  replacement: SECOND,
  /** A request for a dry run. */
  dryRun: 2 * SECOND,
  /** A reader for the policies of the records of an area. */
  policies: 2 * SECOND,
  /** The start for files that have changed meanwhile. */
  files: 2 * SECOND,
  /** A task in a thread. */
  task: 60 * SECOND,
  /** A step of a projection, before it is reported as hanging. */
  step: 60 * SECOND,
  /** A step in progress, when the service stops. */
  lastStep: 5 * SECOND,
  /** Requests in flight, when the service stops. */
  lastRequests: 8 * SECOND,
  /** The driver of PostgreSQL waits this much longer than the server for a statement to end. */
  statementReserve: 5 * SECOND,
  /** The outcome of a commit whose connection broke: longer than the server keeps the transaction of a lost writer. */
  outcome: 10 * SECOND,
  /** The next statement of a writer that all others wait for, before the server ends its transaction. */
  idleWriter: 5 * SECOND,
  /** A question on the connection by which instances are coordinated, or on a new connection. */
  coordination: 5 * SECOND,
  /** A sign of life of the instance that leads, behind a proxy that keeps its connection open. */
  silentLeader: 15 * SECOND,
  /** The commit by which the database shows that it accepts writes. */
  writeProbe: 5 * SECOND,
} as const;

/** Repetitions come at these intervals. */
export const EVERY = {
  /** Turns of other clients during long work. */
  turn: 10,
  /** … during work of any length. */
  longestTurn: 40,
  /** Signs of life in a stream of events. So a connection that is gone ends, and so does one whose token is. */
  heartbeat: 15 * SECOND,
  /** Abandoned plans. */
  plans: 30 * SECOND,
  /** Areas that projections have to follow, in case a notification was lost. */
  projections: 30 * SECOND,
  /** The configuration, in case a notification was lost. */
  configuration: 500,
  /** Policy information that another instance has read. */
  policies: 2 * SECOND,
  /** Uses of tokens that are not stored. */
  tokenUses: 60 * SECOND,
  /** Directories of new zones. */
  zoneDirectories: SECOND,
  /** Changes of another process, in one that reads its database. */
  otherProcess: 250,
  /** Whether the file of the database is still the one that was opened. */
  damage: SECOND,
  /** Whether the leading instance has adopted the store. */
  adoption: 500,
  /** Vocabularies that are to be refreshed. */
  vocabularies: 10 * 60 * SECOND,
  /** Lines of the log about work that goes on. */
  loggedProgress: 10 * SECOND,
  /** Deliveries of webhooks that are due. */
  webhooks: 500,
  /** Mail that is due. */
  mail: SECOND,
  /** A digest. */
  digest: DAY,
  /** Candidacy for the lead of several instances. */
  candidacy: 500,
  /** Responses that their clients may not read. */
  responses: SECOND,
  /** Connections with requests that take too long, at least. */
  connections: 5 * SECOND,
  /** The bar of progress. */
  progress: 250,
} as const;

/** Work begins so long after what causes it, so that more of it is done together. */
export const DELAY = {
  /** The next mail to a person, so that it has more of what happens in a row. */
  mail: 2 * SECOND,
  /** A step of a projection in another process than the service, so that writes of the service come between. */
  besideWrites: 5,
  /** A step of a projection after a change. */
  step: 250,
  /** A step of a projection after another one, while there are requests: it has more changes then, and each costs a commit. */
  nextStep: 300,
  /** The same of one whose rows are derived by the connection that writes: its steps are shorter then, and writes come between. */
  nextSpan: 50,
  /** Requests count as present for so long. */
  requests: 200,
  /** The announcement of changes to other instances. */
  announcement: 20,
  /** The flush of record files: the system has written most of them by then. */
  flush: 5 * SECOND,
  /** The file of a change that was not staged. */
  file: 200,
  /** The bar of progress of work that may be short. */
  progress: SECOND,
} as const;

/** A failure is followed by a pause; where it doubles, this is the first one. */
export const RETRY = {
  job: SECOND,
  projection: SECOND,
  collection: 5 * SECOND,
  /** A collection whose database was away. */
  awayCollection: 500,
  files: 5 * SECOND,
  /** The source of a vocabulary. */
  vocabulary: 5 * SECOND,
  /** The receiver of a webhook. */
  webhook: SECOND,
  /** The longest pause of a webhook, and of mail. */
  deliveryAtMost: HOUR,
  /** Mail to a person. */
  mail: MINUTE,
  /** Mail to a user who may not read anything at the moment. */
  unknownReader: HOUR,
  /** The longest pause that the receiver of a webhook can ask for. */
  askedAtMost: DAY,
  /** Listening for the changes of other instances. */
  listening: 250,
  /** A command that waits for its database. */
  database: SECOND,
} as const;

/** The pause after a failure: it doubles with each failure before it, up to 32 times the first one. */
export const growingPause = (first: number, failures: number) => first * 2 ** Math.min(failures, 5);

/** The source of a vocabulary is taken again after these, as its configuration names them. */
export const REFRESH = {
  daily: DAY,
  weekly: 7 * DAY,
  monthly: 30 * DAY,
} as const;

/** Something is kept, remembered or trusted for so long. */
export const KEEP = {
  health: SECOND,
  /** A connection to the database. */
  connection: MINUTE,
  storeSize: 60 * SECOND,
  /** Clients with an accepted token. */
  acceptedClient: HOUR,
  /** A delete, by which a walk through pages that empties a zone is recognized. */
  deletes: 60 * SECOND,
  /** A snapshot of a vocabulary that another one has replaced: the change can be undone. */
  snapshot: 30 * DAY,
  /** A webhook, or an address, to which deliveries fail, before it is disabled. */
  failingDelivery: 5 * DAY,
  /** A link that confirms an address. */
  confirmation: 7 * DAY,
  /** An address for which a link was asked, before another one can be. */
  asked: MINUTE,
  /** A plan that was not carried out. */
  plan: 6 * HOUR,
  /** An idle thread with its memory. */
  idleThread: 5 * SECOND,
} as const;

/** How far the clocks of two machines may differ, for what was dated by one of them. */
const AHEAD = MINUTE;

/**
 * Whether something happened within the last milliseconds, in milliseconds since 1970. A time of the future is of a clock that was ahead,
 * and is not within them: it would be for as long as the clock was ahead.
 */
export function isWithin(time: number, milliseconds: number, now = Date.now()): boolean {
  return now - time >= -AHEAD && now - time < milliseconds;
}

/**
 * Whole milliseconds until the next attempt to deliver something: about twice as long with each failure, and never at the same moment
 * as others.
 *
 * @param asked what the receiver asks for: it is not sent to before
 */
export function deliveryPause(first: number, failures: number, asked = 0): number {
  const longest = Math.min(first * 2 ** failures, RETRY.deliveryAtMost);
  return Math.round(
    Math.max(longest / 2, Math.min(asked, RETRY.askedAtMost)) + Math.random() * (longest / 2),
  );
}
