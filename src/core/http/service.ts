/** The parts that handlers work with: those that `app.ts` opened, and those that are the server's own. Built once. */
import type { Logger } from 'pino';
import type { Collection } from '../collections/collection.ts';
import type { PageCache } from '../collections/page-cache.ts';
import type { Registry, Snapshot } from '../collections/registry.ts';
import type { Administration } from '../config/administration.ts';
import type { ConfigurationState } from '../config/state.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Database } from '../storage/database.ts';
import type { Disk, SizeProbe } from '../storage/store-size.ts';
import type { Jobs } from '../work/jobs.ts';
import type { Pool } from '../work/pool.ts';
import type { Projector } from '../work/projector.ts';
import type { Bodies } from './bodies.ts';
import type { LimitOptions, Limits } from './limits.ts';
import type { Responses } from './responses.ts';
import type { Wakeups } from './wakeups.ts';

export type ServiceParts = {
  readonly registry: Registry;
  readonly state: ConfigurationState;
  readonly administration: Administration;
  /** The store directory. */
  readonly root: string;
  readonly database: Database;
  readonly jobs: Pick<Jobs, 'list'>;
  readonly pool: Pool;
  readonly projector: Pick<Projector, 'list' | 'noteRequest'>;
  readonly cache: PageCache;
  /** Why the store accepts no writes; undefined if it does. */
  readonly canWrite: () => Promise<string | undefined>;
  /** For how many milliseconds a state of health is used. */
  readonly healthInterval?: number;
  readonly storeSize: SizeProbe;
  /** The disk of the store directory; undefined for a service that has everything in its database. */
  readonly disk: () => Promise<Disk | undefined>;
  /** The hosts on this machine or in a private network that may be asked for schemas and sent webhooks; undefined lets all. */
  readonly schemaHosts?: readonly string[];
  /** The release of this program. */
  readonly version: string;
  /** The SHA-256 of the token that may read the metrics, besides admin tokens. */
  readonly metricsToken?: string;
  /** The path below which a proxy makes the service available; empty for none. */
  readonly rootPath: string;
  readonly logger: Logger;
};

/** The parts, and how the server is set up. */
export type ServerParts = ServiceParts & {
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<LimitOptions>;
  /** Proxies on other machines, as addresses and subnets. */
  readonly proxies?: readonly string[];
  /** Where browser clients may come from. */
  readonly origins: readonly string[];
};

export type HealthState = {
  /** Whether the store accepts writes, or can be read by a process that only reads. */
  readonly accepts: boolean;
  /** The body of the response. */
  readonly text: string;
};

export type Service = ServiceParts & {
  readonly bodies: Bodies;
  readonly limits: Limits;
  readonly responses: Responses;
  readonly metrics: Metrics;
  /** Wakes the requests that wait for changes. */
  readonly wakeups: Wakeups;
  /** The state of the service, as `/-/health` reports it. */
  readonly health: () => Promise<HealthState>;
  /** The description of the API: that of the service, and those of its collections. */
  readonly api: {
    document(snapshot: Snapshot): Promise<Description>;
    documentOf(collection: Collection): Promise<Description>;
  };
};

type Description = { readonly bytes: Buffer; readonly etag: string };
