/** The modules of the service: the one list. */

import type { SettingKeys } from './core/collections/settings.ts';
import { type ConfigurationSchemas, configurationSchemasWith } from './core/config/config.ts';
import type { Endpoint } from './core/http/endpoint.ts';
import { coreEndpoints } from './core/http/endpoints.ts';
import { withExtensions } from './core/http/replying.ts';
import { type Module, provided } from './module.ts';
import { audit } from './modules/audit/module.ts';
import { cite } from './modules/cite/module.ts';
import { claims } from './modules/claims/module.ts';
import { curate } from './modules/curate/module.ts';
import { expand } from './modules/expand/module.ts';
import { invitations } from './modules/invitations/module.ts';
import { migrate } from './modules/migrate/module.ts';
import { notify } from './modules/notify/module.ts';
import { overview } from './modules/overview/module.ts';
import { peer } from './modules/peer/module.ts';
import { publish } from './modules/publish/module.ts';
import { releases } from './modules/releases/module.ts';
import { review } from './modules/review/module.ts';
import { share } from './modules/share/module.ts';
import { signIn } from './modules/sign-in/module.ts';
import { tables } from './modules/tables/module.ts';
import { views } from './modules/views/module.ts';
import { vocabularies } from './modules/vocabularies/module.ts';
import { webhooks } from './modules/webhooks/module.ts';

export const MODULES: readonly Module[] = [
  audit,
  cite,
  claims,
  curate,
  expand,
  invitations,
  migrate,
  notify,
  overview,
  peer,
  publish,
  releases,
  review,
  share,
  signIn,
  tables,
  views,
  vocabularies,
  webhooks,
];

/** The endpoints of the core and of modules, with the parameters that modules add to reads. */
export function endpointsWith(modules: readonly Module[]): readonly Endpoint[] {
  const replacing = provided(modules, 'replacing');
  const extensions = modules.flatMap(({ reads = [] }) => reads);
  const endpoints = [
    ...coreEndpoints(settingKeysOf(modules), configurationSchemasOf(modules), replacing),
    ...modules.flatMap(({ endpoints = [] }) => endpoints),
  ];
  return endpoints.map((endpoint) => withExtensions(endpoint, extensions));
}

/** The keys of the settings of a collection that modules have. */
export function settingKeysOf(modules: readonly Module[]): SettingKeys {
  return Object.assign({}, ...modules.map(({ settings }) => settings));
}

const schemas = new WeakMap<readonly Module[], ConfigurationSchemas>();

/**
 * The schemas of the configuration, with the keys and the token sources that modules have in that of a collection. The same ones for the same list: each
 * object is compiled for itself, which takes tens of milliseconds.
 */
export function configurationSchemasOf(modules: readonly Module[]): ConfigurationSchemas {
  const known = schemas.get(modules);
  if (known) return known;
  const made = configurationSchemasWith(
    Object.assign({}, ...modules.map(({ configuration }) => configuration)),
    provided(modules, 'sources')?.schemas,
  );
  schemas.set(modules, made);
  return made;
}
