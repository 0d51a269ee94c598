/** The schemas of the configuration that commands read, with the keys and the token sources of modules. */
import { type ConfigurationSchemas, configurationSchemasWith } from '../core/config/config.ts';
import type { CommandModule } from './module.ts';
import { MODULES } from './modules.ts';

let made: Promise<ConfigurationSchemas> | undefined;

export function configurationSchemas(): Promise<ConfigurationSchemas> {
  made ??= configurationSchemasOf(MODULES);
  return made;
}

/** The schemas of the configuration with the keys of these modules. */
export async function configurationSchemasOf(
  modules: readonly CommandModule[],
): Promise<ConfigurationSchemas> {
  const keys = await Promise.all(modules.map(({ configuration }) => configuration?.()));
  const sources = await modules.find((one) => one.sources)?.sources?.();
  return configurationSchemasWith(Object.assign({}, ...keys), sources);
}
