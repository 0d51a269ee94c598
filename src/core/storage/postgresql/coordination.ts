/**
 * Coordinates the instances on one database: which areas have changed, and which instance leads.
 *
 * A separate connection listens for changes and holds the lock of the leader. The server releases the lock when
 * the connection ends, however it ends, so another instance leads soon after. Notifications only make things faster:
 * while the connection is lost, and in case a message gets lost, followers of an area poll it.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { DELAY, EVERY, RETRY, TIMEOUT } from '../../durations.ts';
import type { Leadership } from '../database.ts';
import type { StoreLog } from '../log.ts';
import { KEEPALIVE, KEEPALIVES, type Pool } from './pool.ts';
import { IS_READ_ONLY, IS_STANDBY } from './primary.ts';

type Coordination = {
  /** Informs the other instances that an area has changed. Returns at once; several calls become one message. */
  announce(area: string): void;
  /** Calls back when another instance has changed areas, and when changes may have been missed. */
  onChange(callback: (areas: ReadonlySet<string> | 'unknown') => void): void;
  readonly leadership: Leadership;
  close(): Promise<void>;
};

const CHANNEL = 'accession_changed';
/** The advisory lock of the leader; any constant will do. */
const LEADER = 4_237_002;

/** The server ends the connection, and with it the lead, of an instance that does not ask any more. */
const SILENCE = `SET idle_session_timeout = ${TIMEOUT.silentLeader}`;

/** Other engines may refuse a setting. */
function requireAnswer(error: unknown): void {
  if (!(error instanceof pg.DatabaseError)) throw error;
}

/** A payload holds 8,000 bytes; longer ones say only that something has changed. */
const LONGEST_PAYLOAD = 7000;

/**
 * @param leads whether this instance may lead
 * @param readOnly whether a server that refuses writes is used
 */
export function coordinate(
  pool: Pool,
  { leads, readOnly, log }: { readonly leads: boolean; readonly readOnly: boolean; readonly log: StoreLog },
): Coordination {
  const instance = randomUUID();
  const announcer = announcerOf(pool, instance);
  const changeCallbacks: ((areas: ReadonlySet<string> | 'unknown') => void)[] = [];
  const lead = leadOf(log);
  let client: pg.Client | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  /** When the connection was in use last, or this process began to connect. */
  let answered = performance.now();
  let reported = Number.NEGATIVE_INFINITY;

  const lost = (lostClient: pg.Client, error: unknown) => {
    if (client !== lostClient) return;
    client = undefined;
    if (!closed && performance.now() - reported > EVERY.loggedProgress) {
      reported = performance.now();
      const message = 'could not listen to the database, will retry; this instance does not lead meanwhile';
      log.warn({ err: error }, message);
    }
    lead.set(false);
    void lostClient.end().catch(() => {});
    if (!closed) later(RETRY.listening);
  };

  const later = (milliseconds: number) => {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(() => void (client ? run(client) : connect()), milliseconds).unref();
  };

  const connect = async () => {
    const next = clientOf(pool);
    client = next;
    next.on('error', (error) => lost(next, error));
    next.on('end', () => lost(next, new Error('The database has closed the connection.')));
    next.on('notification', ({ payload }) => receive(payload ?? ''));
    try {
      await listen(next, pool);
      if (reported > Number.NEGATIVE_INFINITY) log.info({}, 'listens to the database again');
      reported = Number.NEGATIVE_INFINITY;
      for (const callback of changeCallbacks) callback('unknown');
      await run(next);
    } catch (error) {
      lost(next, error);
    }
  };

  /** Runs for leader until elected; later on a broken connection, or a server that was demoted, is noticed by the same question. */
  const run = async (current: pg.Client) => {
    try {
      const mine = leads && !lead.held ? `pg_try_advisory_lock(${LEADER})` : `${lead.held}`;
      const { rows } = await current.query<{ mine: boolean; refuses: boolean }>(
        `SELECT ${mine} AS mine, ${readOnly ? IS_STANDBY : IS_READ_ONLY} AS refuses`,
      );
      if (client !== current || closed) return;
      if (rows[0]?.refuses) {
        pool.primary.retire();
        throw new Error('The server does not accept writes any more.');
      }
      if (!pool.primary.isCurrent(current)) throw new Error('The database has moved to another server.');
      answered = performance.now();
      lead.set(rows[0]?.mine === true);
      later(EVERY.candidacy);
    } catch (error) {
      lost(current, error);
    }
  };

  const receive = (payload: string) => {
    const { from, areas } = JSON.parse(payload) as { from: string; areas: string[] | null };
    if (from === instance) return;
    for (const callback of changeCallbacks) callback(areas ? new Set(areas) : 'unknown');
  };

  void connect();
  return {
    announce: announcer.announce,
    onChange: (callback) => void changeCallbacks.push(callback),
    leadership: {
      get held() {
        return lead.held;
      },
      watch: lead.watch,
      problem() {
        if (performance.now() - answered < TIMEOUT.coordination) return undefined;
        return 'the connection that listens to the database is lost, so this instance cannot lead';
      },
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      announcer.stop();
      const last = client;
      client = undefined;
      lead.set(false);
      await last?.end().catch(() => {});
    },
  };
}

/** Whether this instance leads, and who is called back when that changes. */
function leadOf(log: StoreLog) {
  const callbacks = new Set<() => void>();
  let held = false;
  return {
    get held() {
      return held;
    },
    set(now: boolean): void {
      if (held === now) return;
      held = now;
      log.info({ leads: held }, held ? 'this instance leads' : 'this instance does not lead any more');
      for (const callback of callbacks) callback();
    },
    watch(callback: () => void) {
      callbacks.add(callback);
      return () => void callbacks.delete(callback);
    },
  };
}

function clientOf(pool: Pool): pg.Client {
  return new pg.Client({
    connectionString: pool.url,
    application_name: 'accession coordination',
    ...KEEPALIVE,
    connectionTimeoutMillis: TIMEOUT.coordination,
    // A proxy may keep a connection open that leads nowhere.
    query_timeout: TIMEOUT.coordination,
  });
}

async function listen(client: pg.Client, pool: Pool): Promise<void> {
  await client.connect();
  await pool.primary.admit(client);
  for (const setting of [...KEEPALIVES, SILENCE]) await client.query(setting).catch(requireAnswer);
  await client.query(`LISTEN ${CHANNEL}`);
}

/** Notifies other instances of the areas that have changed, gathered for a moment. @returns `stop` discards what is not sent yet */
function announcerOf(pool: Pool, instance: string): Pick<Coordination, 'announce'> & { stop(): void } {
  let gathered = new Set<string>();
  let sending: NodeJS.Timeout | undefined;
  const send = async () => {
    sending = undefined;
    const areas = [...gathered];
    gathered = new Set();
    const message = JSON.stringify({ from: instance, areas });
    const payload =
      Buffer.byteLength(message) > LONGEST_PAYLOAD
        ? JSON.stringify({ from: instance, areas: null })
        : message;
    // Others poll, so a lost message only delays them.
    await pool.run('SELECT pg_notify($1, $2)', [CHANNEL, payload]).catch(() => {});
  };
  return {
    announce(area) {
      gathered.add(area);
      sending ??= setTimeout(() => void send(), DELAY.announcement).unref();
    },
    stop: () => clearTimeout(sending),
  };
}
