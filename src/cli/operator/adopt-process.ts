/** The process in which a service adopts a store: `bin/adopt-store.js`, started by `core/collections/adoption-process.ts`. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import type { AdoptOptions } from '../../core/collections/adoption.ts';
import type { AdoptionMessage, AdoptionRequest } from '../../core/collections/adoption-process.ts';
import { Schemas } from '../../core/collections/schemas.ts';
import { projectionsOf } from '../../core/collections/watch.ts';
import { initialConfiguration } from '../../core/config/startup.ts';
import { DELAY } from '../../core/durations.ts';
import { sentError } from '../../core/errors.ts';
import type { Database } from '../../core/storage/database.ts';
import { pathsIn } from '../../core/storage/read/areas.ts';
import { TEXT_INDEX } from '../../core/storage/search/text-index.ts';
import { VALUE_INDEX } from '../../core/storage/search/value-index.ts';
import { openSqliteDatabase } from '../../core/storage/sqlite/sqlite.ts';
import { advance, type Projection } from '../../core/work/projections.ts';
import { configurationSchemasOf } from '../configuration-schemas.ts';
import { MODULES } from '../modules.ts';
import { version } from '../version.ts';

type Begin = Exclude<AdoptionRequest, { readonly follow: true }>;

/** Carries out the requests of the service, and ends, at once if the service does. */
export async function adoptStore(): Promise<void> {
  process.once('disconnect', () => process.exit());
  const [begin] = (await once(process, 'message')) as [Begin];
  const isToFollow = once(process, 'message');
  const result = await adopt(begin).catch((error) => ({ failed: sentError(error) }));
  await send(result);
  if (!('failed' in result)) {
    await isToFollow;
    await followRecords(begin);
  }
  process.exit();
}

async function adopt(begin: Begin): Promise<AdoptionMessage> {
  const modules = modulesOf(begin);
  const adoption = await modules.find((one) => one.adoption)!.adoption!();
  return { adopted: await adoption.intoSqlite(begin.file, await optionsOf(begin, modules)) };
}

function modulesOf({ modules }: Begin) {
  return MODULES.filter(({ name }) => modules.includes(name));
}

async function optionsOf(
  { root, configFile, ignoreDefaultConfigFile = false, ...sources }: Begin,
  modules: typeof MODULES,
): Promise<AdoptOptions> {
  const schemas = await configurationSchemasOf(modules);
  const log = (level: 'info' | 'warn') => (details: object, message: string) =>
    void send({ log: [level, details, message] });
  const service = { info: log('info'), warn: log('warn') };
  const initial = { root, schemas, ignoreDefaultConfigFile, ...(configFile !== undefined && { configFile }) };
  return {
    root,
    log: service,
    initial: () => initialConfiguration(initial),
    configurationSchemas: schemas,
    logs: await modules.find(({ logs }) => logs)?.logs?.(),
    schemas: new Schemas(root, service, sources.schemaMap, {
      ...(sources.schemaHosts && { hosts: sources.schemaHosts }),
      keep: sources.isOwner,
    }),
    progress: (progress) => void send({ progress }),
  };
}

/** Opens the store as a process that only reads, and writes what follows from its records. */
async function followRecords({ root, file, schemaMap, schemaHosts, ...begin }: Begin): Promise<void> {
  const [{ openApp }, { MODULES: all }] = [await import('../../app.ts'), await import('../../modules.ts')];
  const modules = all.filter(({ name }) => begin.modules.includes(name));
  const app = await openApp({
    store: root,
    readOnly: true,
    version: version(),
    logger: pino({ level: 'silent' }),
    modules,
    ...(schemaMap && { schemaMap }),
    ...(schemaHosts && { schemaHosts }),
  });
  const database = await openSqliteDatabase(file, { beside: true });
  const collections = [...app.registry.current().collections.values()];
  const ofCollections = collections.flatMap((collection): Projection[] => [
    ...projectionsOf(collection, collection.pool),
    ...[...collection.attached.values()].flatMap(({ projections = [] }) => projections),
  ]);
  // The others are of single changes, which reach webhooks and audit logs from the service alone.
  const ofRecords = ofCollections.filter(({ reads }) => reads !== 'entries');
  for (const projection of [TEXT_INDEX, VALUE_INDEX, ...ofRecords])
    for (const path of await pathsIn(database, projection.places)) await follow(database, projection, path);
}

async function follow(database: Database, projection: Projection, path: string): Promise<void> {
  const store = await database.existingArea(path);
  while (store && (await advance(database, projection, store, { steps: 1, settle: true })) > 0)
    await pause(DELAY.besideWrites);
}

/** Waits until the message is on its way. */
function send(message: AdoptionMessage): Promise<void> {
  return new Promise((sent) => process.send!(message, undefined, {}, () => sent()));
}
