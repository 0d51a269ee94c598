/** The schemas of the configuration that commands read, with the keys of modules. */
import { configurationSchemasWith } from '../config/config.ts';
import { MODULES } from './modules.ts';

export const CONFIGURATION_SCHEMAS = configurationSchemasWith(
  Object.assign({}, ...MODULES.map(({ configuration }) => configuration)),
);
