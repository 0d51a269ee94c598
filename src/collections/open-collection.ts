/** From the configuration of a collection to the collection: schema, stores, token sources and audit logs are opened. */
import { join } from 'node:path';
import type { TokenDirectory } from '../access/config-tokens.ts';
import type { Forges } from '../access/forge-client.ts';
import { openSource } from '../access/sources.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { LogOpener } from '../audit/logs.ts';
import type { CollectionConfig } from '../config/config.ts';
import { confineZone, locate, PRIVATE_FOLDER, zonesOnDisk } from '../config/paths.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { settleSwitches } from '../stewardship/switch.ts';
import { watchRecords } from '../stewardship/watch.ts';
import { type OpenOptions, openCollectionStorage } from '../storage/backends.ts';
import type { CollectionLocation } from '../storage/collection-storage.ts';
import type { StoreLog } from '../storage/log.ts';
import { namingOf, type StoreHandles } from '../storage/store-handles.ts';
import { Collection } from './collection.ts';
import { newDirectories } from './new-directories.ts';
import { pruneEntries } from './retention.ts';
import type { SchemaOpener } from './schemas.ts';
import { Zones } from './zones.ts';

/** What a process has of its own that reads a store of another one. */
export type Following = {
  /** The directory of the indexes of reviews. */
  readonly reviewPath: string;
};

/** What all collections of a service share. */
export type CollectionContext = {
  /** The store directory. */
  readonly storeRoot: string;
  readonly log: StoreLog;
  readonly handles: StoreHandles;
  readonly logs: LogOpener;
  readonly jobs: Jobs;
  /** The database of the service, if it has one. */
  readonly postgresql?: OpenOptions['postgresql'] | undefined;
  /** For how many days entries are kept; without it, forever. */
  readonly keepEntries?: number;
  /** Set if another process owns the store: it alone has the jobs that write, and settles what a crash has left. */
  readonly follow?: Following;
  readonly tokens: TokenDirectory;
  readonly forges: Forges;
  readonly openSchema: SchemaOpener;
};

/**
 * @throws ServiceError `schema_invalid`, `store_incompatible`, `path_outside_store` and what else is in the way; all
 *   that was opened until then is closed again, and what was made for it is gone
 */
export async function openCollection(
  name: string,
  config: CollectionConfig,
  context: CollectionContext,
): Promise<Collection> {
  const { storeRoot, log, handles, jobs, tokens, forges, follow } = context;
  const schema = await context.openSchema(config.schema);
  const directories = newDirectories();
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(part: T): T => {
    opened.push(part);
    return part;
  };
  try {
    const location = locationOf(name, config, storeRoot);
    const { postgresql } = context;
    const options = {
      schema: config.schema,
      ...namingOf(schema),
      handles,
      jobs,
      log,
      postgresql,
      background: jobs,
      follow: follow !== undefined,
    };
    const storage = openCollectionStorage(config.backend, location, options);
    directories.expect(location.locate(null));
    const curated = keep(await storage.open(null));
    const audits: AuditLog[] = [];
    for (const audit of config.audit_backends) {
      const auditPath = locate(storeRoot, audit.path, 'audit-path');
      directories.expect(auditPath);
      audits.push(keep(await context.logs.open(audit, auditPath, name, { store: curated })));
    }
    const source = { collection: name, directory: tokens, forges };
    const zones = new Zones({ collection: name, tokens, storage, exist: config.incoming !== null, curated });
    if (!follow) await settleSwitches({ name, schema, curated, zones });
    const { keepEntries } = context;
    const work = follow ? [] : [watchRecords(jobs, { name, schema, curated, zones })];
    if (!follow && keepEntries) work.push(pruneEntries(jobs, { name, curated, zones, audits }, keepEntries));
    const collection = new Collection({
      name,
      config,
      schema,
      curated,
      zones,
      sources: config.auth_sources.map((entry) => keep(openSource(entry, source))),
      audits,
      jobs: work,
      tokens,
      log,
      reviewPath: follow?.reviewPath ?? join(storeRoot, PRIVATE_FOLDER, 'review'),
      follows: follow !== undefined,
      memory: handles.memory,
    });
    if (!follow) await collection.recover();
    return collection;
  } catch (error) {
    for (const part of opened.reverse()) await part.close();
    directories.remove();
    throw error;
  }
}

/** The locations of the areas of a configured collection. */
export function locationOf(
  collection: string,
  config: CollectionConfig,
  storeRoot: string,
): CollectionLocation {
  const { curated, incoming } = config;
  const zones = () => locate(storeRoot, incoming ?? '', 'incoming-path');
  return {
    collection,
    curated,
    incoming,
    labelsOnDisk: () => (incoming === null ? [] : zonesOnDisk(storeRoot, zones())),
    locate: (label) =>
      label === null ? locate(storeRoot, curated, 'curated-path') : confineZone(storeRoot, zones(), label),
  };
}
