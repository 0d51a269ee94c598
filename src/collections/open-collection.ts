/** From the configuration of a collection to the collection: schema, stores, token sources and audit logs are opened. */
import type { TokenDirectory } from '../access/config-tokens.ts';
import type { Forges } from '../access/forge-client.ts';
import { openSource } from '../access/sources.ts';
import { settleUnresolved } from '../audit/audit-log.ts';
import { auditedStore } from '../audit/audited-store.ts';
import { openAuditLog } from '../audit/backends.ts';
import type { CollectionConfig } from '../config/config.ts';
import { locate } from '../config/paths.ts';
import { SCHEMA_TYPE } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import { openStore } from '../storage/backends.ts';
import type { StoreLog } from '../storage/log.ts';
import { withoutSchemaType, withSchemaType } from '../storage/schema-type-layer.ts';
import type { Naming } from '../storage/shared-handles.ts';
import type { RecordStore } from '../storage/store.ts';
import { Collection } from './collection.ts';
import { newDirectories } from './new-directories.ts';
import type { SchemaOpener } from './schemas.ts';
import { Zones } from './zones.ts';

/** What all collections of a service share. */
export type CollectionContext = {
  /** The store directory. */
  readonly storeRoot: string;
  readonly log: StoreLog;
  readonly tokens: TokenDirectory;
  readonly forges: Forges;
  readonly openSchema: SchemaOpener;
  /** The labels that the configured tokens of a collection name now. */
  tokenLabels(collection: string): Iterable<string>;
  inMaintenance(collection: string): boolean;
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
  const { storeRoot, log, tokens, forges } = context;
  const schema = await context.openSchema(config.schema);
  const directories = newDirectories();
  const openArea = (directory: string) =>
    openStore(config.backend, directory, {
      schema: config.schema,
      ...namingOf(schema),
      log,
    });
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(part: T): T => {
    opened.push(part);
    return part;
  };
  try {
    const curatedPath = locate(storeRoot, config.curated, 'curated-path');
    const incomingPath =
      config.incoming === null ? undefined : locate(storeRoot, config.incoming, 'incoming-path');
    directories.expect(curatedPath);
    const area = keep(await openArea(curatedPath));
    const audits = [];
    for (const audit of config.audit_backends) {
      const auditPath = locate(storeRoot, audit.path, 'audit-path');
      directories.expect(auditPath);
      const auditLog = keep(await openAuditLog(audit, auditPath, name, context.log));
      await settleUnresolved(auditLog, contentOf(area, schema));
      audits.push(auditLog);
    }
    const curated = auditedStore(area, audits, ({ className, json }) =>
      withSchemaType(json, schema.schemaType(className)),
    );
    const tokenLabels = () => context.tokenLabels(name);
    const source = { collection: name, directory: tokens, forges };
    return new Collection({
      name,
      config,
      schema,
      curated,
      zones: new Zones({ storeRoot, incomingPath, curatedPath, curated, openStore: openArea, tokenLabels }),
      sources: config.auth_sources.map((entry) => keep(openSource(entry, source))),
      audits,
      defaultGrant: () => tokens.grantOfName(config.default_token, name),
      inMaintenance: () => context.inMaintenance(name),
      log,
    });
  } catch (error) {
    for (const part of opened) await part.close();
    directories.remove();
    throw error;
  }
}

const namings = new WeakMap<Schema, Naming>();

/** One for each schema, so that stores can tell a schema that has changed. */
function namingOf(schema: Schema): Naming {
  let naming = namings.get(schema);
  if (naming === undefined) {
    naming = {
      expand: (pid) => schema.expand(pid),
      schemaTypeOf: (name) => (schema.classes.has(name) ? schema.schemaType(name) : undefined),
    };
    namings.set(schema, naming);
  }
  return naming;
}

/** What a store holds now, as it was written: `schema_type` is added on reading where a class has no such slot. */
function contentOf(store: RecordStore, schema: Schema) {
  return async (iri: string): Promise<string | undefined> => {
    const record = await store.get(iri);
    if (!record || schema.classes.get(record.className)?.slots.has(SCHEMA_TYPE)) return record?.json;
    return withoutSchemaType(record.json);
  };
}
