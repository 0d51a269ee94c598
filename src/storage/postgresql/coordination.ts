/**
 * Coordinates the instances on one database: which areas have changed, and which instance leads.
 *
 * A separate connection listens for changes and holds the lock of the leader. The server releases the lock when
 * the connection ends, however it ends, so another instance leads soon after. Notifications only make things faster:
 * while the connection is lost, and in case a message gets lost, followers of an area poll it.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { DELAY, EVERY, RETRY } from '../../durations.ts';
import type { Leadership } from '../database.ts';
import type { StoreLog } from '../log.ts';
import type { Pool } from './pool.ts';

export type Coordination = {
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

/**
 * When a machine is lost without a word, the server notices it by these: after 20 seconds, not after the 2 hours that are
 * usual. Other engines lack them.
 */
const KEEPALIVES = [
  'SET tcp_keepalives_idle = 5',
  'SET tcp_keepalives_interval = 5',
  'SET tcp_keepalives_count = 3',
];

/** A payload holds 8,000 bytes; longer ones say only that something has changed. */
const LONGEST_PAYLOAD = 7000;

/** @param leads whether this instance may lead */
export function coordinate(pool: Pool, leads: boolean, log: StoreLog): Coordination {
  const instance = randomUUID();
  const changeCallbacks: ((areas: ReadonlySet<string> | 'unknown') => void)[] = [];
  const leaderCallbacks = new Set<() => void>();
  let client: pg.Client | undefined;
  let held = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const lead = (now: boolean) => {
    if (held === now) return;
    held = now;
    log.info({ leads: held }, held ? 'this instance leads' : 'this instance does not lead any more');
    for (const callback of leaderCallbacks) callback();
  };

  const lost = (lostClient: pg.Client) => {
    if (client !== lostClient) return;
    client = undefined;
    lead(false);
    void lostClient.end().catch(() => {});
    if (!closed) later(RETRY.listening);
  };

  const later = (milliseconds: number) => {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(() => void (client ? run(client) : connect()), milliseconds).unref();
  };

  const connect = async () => {
    const next = new pg.Client({
      connectionString: pool.url,
      application_name: 'accession coordination',
      keepAlive: true,
      connectionTimeoutMillis: 5000,
    });
    client = next;
    next.on('error', () => lost(next));
    next.on('end', () => lost(next));
    next.on('notification', ({ payload }) => receive(payload ?? ''));
    try {
      await next.connect();
      for (const setting of KEEPALIVES) await next.query(setting).catch(() => {});
      await next.query(`LISTEN ${CHANNEL}`);
      for (const callback of changeCallbacks) callback('unknown');
      await run(next);
    } catch (error) {
      log.warn({ err: error }, 'could not listen to the database, will retry');
      lost(next);
    }
  };

  /** Runs for leader until elected; later on a broken connection is noticed by the same question. */
  const run = async (current: pg.Client) => {
    try {
      const asks = leads && !held;
      const sql = asks ? `SELECT pg_try_advisory_lock(${LEADER}) AS mine` : `SELECT ${held} AS mine`;
      const { rows } = await current.query<{ mine: boolean }>({
        text: sql,
        query_timeout: 5000,
      } as pg.QueryConfig);
      if (client !== current || closed) return;
      lead(rows[0]?.mine === true);
      later(EVERY.candidacy);
    } catch {
      lost(current);
    }
  };

  const receive = (payload: string) => {
    const { from, areas } = JSON.parse(payload) as { from: string; areas: string[] | null };
    if (from === instance) return;
    for (const callback of changeCallbacks) callback(areas ? new Set(areas) : 'unknown');
  };

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

  void connect();
  return {
    announce(area) {
      gathered.add(area);
      sending ??= setTimeout(() => void send(), DELAY.announcement).unref();
    },
    onChange: (callback) => void changeCallbacks.push(callback),
    leadership: {
      get held() {
        return held;
      },
      watch(callback) {
        leaderCallbacks.add(callback);
        return () => void leaderCallbacks.delete(callback);
      },
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      clearTimeout(sending);
      const last = client;
      client = undefined;
      lead(false);
      await last?.end().catch(() => {});
    },
  };
}
