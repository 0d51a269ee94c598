/** The process in which a service adopts a store: `bin/adopt-store.js`, started by `core/collections/adoption-process.ts`. */
import { once } from 'node:events';
import type { AdoptOptions } from '../../core/collections/adoption.ts';
import type { AdoptionMessage, AdoptionRequest } from '../../core/collections/adoption-process.ts';
import { Schemas } from '../../core/collections/schemas.ts';
import { configurationSchemasWith } from '../../core/config/config.ts';
import { initialConfiguration } from '../../core/config/startup.ts';
import { sentError } from '../../core/errors.ts';
import { MODULES } from '../modules.ts';

/** Carries out the request of the service, and ends, at once if the service does. */
export async function adoptStore(): Promise<void> {
  process.once('disconnect', () => process.exit());
  const [request] = (await once(process, 'message')) as [AdoptionRequest];
  await send(await adopt(request).catch((error) => ({ failed: sentError(error) })));
  process.exit();
}

async function adopt(request: AdoptionRequest): Promise<AdoptionMessage> {
  const { file, ...sources } = request;
  const modules = MODULES.filter(({ name }) => request.modules.includes(name));
  const adoption = await modules.find((one) => one.adoption)!.adoption!();
  return { adopted: await adoption.intoSqlite(file, await optionsOf(sources, modules)) };
}

async function optionsOf(
  { root, configFile, ignoreDefaultConfigFile = false, ...sources }: Omit<AdoptionRequest, 'file'>,
  modules: typeof MODULES,
): Promise<AdoptOptions> {
  const keys = await Promise.all(modules.map(({ configuration }) => configuration?.()));
  const schemas = configurationSchemasWith(Object.assign({}, ...keys));
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
      keep: sources.keepSchemas,
    }),
    progress: (progress) => void send({ progress }),
  };
}

/** Waits until the message is on its way. */
function send(message: AdoptionMessage): Promise<void> {
  return new Promise((sent) => process.send!(message, undefined, {}, () => sent()));
}
