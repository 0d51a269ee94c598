/** The schemas of the configuration that commands read, with the keys of modules. */
import { type ConfigurationSchemas, configurationSchemasWith } from '../core/config/config.ts';
import { MODULES } from './modules.ts';

let made: Promise<ConfigurationSchemas> | undefined;

export function configurationSchemas(): Promise<ConfigurationSchemas> {
  made ??= Promise.all(MODULES.map(({ configuration }) => configuration?.())).then((keys) =>
    configurationSchemasWith(Object.assign({}, ...keys)),
  );
  return made;
}
