/**
 * Admits connections that lead to the primary server, all of them to the same one.
 *
 * A name or a proxy may lead to a standby, whose reads lag behind, and after a failover to another server than the
 * connections that are open already. As soon as one connection is known to lead to the successor, none of the others is used.
 */
import type pg from 'pg';
import { TIMEOUT } from '../../durations.ts';
import type { StoreLog } from '../log.ts';

/** The connection leads to a server that must not be used. */
export class NotPrimary extends Error {}

/** The timeline is raised by each promotion of a standby of the same system. */
type Server = { readonly system: string; readonly timeline: string; readonly started: string };

/** A standby reports this setting as on. */
export const IS_READ_ONLY = "current_setting('transaction_read_only') = 'on'";
export const IS_STANDBY = 'pg_is_in_recovery()';

const ROLE = `SELECT CAST(${IS_STANDBY} AS text) AS standby, CAST(${IS_READ_ONLY} AS text) AS closed`;
/** The name of a file of the log begins with the timeline, in eight digits. */
const IDENTITY = `SELECT CAST(system_identifier AS text) AS system, CAST(pg_postmaster_start_time() AS text) AS started,
  CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline
  FROM pg_control_system()`;
/** Managed servers may refuse these functions: then all connections lead to one server, as far as this process knows. */
const UNKNOWN_SERVER: Server = { system: '', timeline: '', started: '' };

export class Primary {
  readonly #readOnly: boolean;
  readonly #log: StoreLog;
  readonly #moves: (() => void)[] = [];
  #server: Server | undefined;
  /** Raised when the connections so far must not be used any more. */
  #epoch = 0;
  readonly #epochs = new WeakMap<pg.ClientBase, number>();
  #refusal = '';

  /** @param readOnly whether a server that refuses writes is used */
  constructor(readOnly: boolean, log: StoreLog) {
    this.#readOnly = readOnly;
    this.#log = log;
  }

  /** Examines a new connection. @throws NotPrimary, and the errors of the driver */
  async admit(client: pg.ClientBase): Promise<void> {
    const epoch = this.#epoch;
    const ask = <Row extends object>(text: string) =>
      client.query<Row>({ text, query_timeout: TIMEOUT.coordination } as pg.QueryConfig);
    const [role, identity] = await Promise.all([
      ask<{ standby: string; closed: string }>(ROLE),
      ask<Server>(IDENTITY).catch(() => undefined),
    ]);
    const { standby, closed } = role.rows[0]!;
    const server = identity?.rows[0] ?? UNKNOWN_SERVER;
    if (standby === 'true') throw this.#refused('found a standby, whose records lag behind');
    if (closed === 'true' && !this.#readOnly) throw this.#refused('found one that is read-only');
    if (this.#server && isReplaced(server, this.#server))
      throw this.#refused('found one that a failover has replaced');
    if (this.#refusal !== '') this.#log.info({}, 'the database connection leads to the primary server again');
    this.#refusal = '';
    const isMoved = this.#server !== undefined && !isSame(server, this.#server);
    this.#server = server;
    if (isMoved) this.#moved(server);
    this.#epochs.set(client, isMoved ? this.#epoch : epoch);
  }

  isCurrent(client: pg.ClientBase): boolean {
    return this.#epochs.get(client) === this.#epoch;
  }

  /** Has all connections made again. */
  retire(): void {
    this.#epoch += 1;
  }

  /** Calls back when connections lead to another server than before. */
  onMove(callback: () => void): void {
    this.#moves.push(callback);
  }

  #moved({ timeline, started }: Server): void {
    this.retire();
    this.#log.warn({ timeline, started }, 'the database has moved to another server, or was restarted');
    for (const callback of this.#moves) callback();
  }

  /** Logs a refusal once, not for each connection. */
  #refused(found: string): NotPrimary {
    const message = `the database URL: expected the primary server, ${found}`;
    if (message !== this.#refusal)
      this.#log.warn({ reason: message }, 'refused a database connection, will retry');
    this.#refusal = message;
    return new NotPrimary(message);
  }
}

const isSame = (one: Server, other: Server) =>
  one.system === other.system && one.timeline === other.timeline && one.started === other.started;

/** A timeline that ended with the promotion of a standby lacks what the standby has committed since. */
const isReplaced = (server: Server, by: Server) =>
  server.system === by.system && server.timeline < by.timeline;
