/** The schemas of the configuration with the keys of all modules. */
import { configurationSchemasOf, MODULES } from '../../src/modules.ts';

export const SCHEMAS = configurationSchemasOf(MODULES);
