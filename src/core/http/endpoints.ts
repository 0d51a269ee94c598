/**
 * The table of endpoints of the core; modules add theirs. A row has method, path, parameters, body, statuses, handler and words; routes, 405s and the
 * description of the API are made from it. A new endpoint is a row in one of these families.
 */

import type { SettingKeys } from '../collections/settings.ts';
import type { ConfigurationSchemas } from '../config/config.ts';
import type { Endpoint, Replacing } from './endpoint.ts';
import { adminEndpoints } from './endpoints/admin.ts';
import { bulkEndpoints } from './endpoints/bulk.ts';
import { changeEndpoints } from './endpoints/changes.ts';
import { classEndpoints } from './endpoints/classes.ts';
import { exportEndpoints } from './endpoints/export.ts';
import { historyEndpoints } from './endpoints/history.ts';
import { linkEndpoints } from './endpoints/links.ts';
import { meEndpoints } from './endpoints/me.ts';
import { policyEndpoints } from './endpoints/policies.ts';
import { publicAccessEndpoints } from './endpoints/public-access.ts';
import { recordEndpoints } from './endpoints/records.ts';
import { searchEndpoints } from './endpoints/search.ts';
import { serviceEndpoints } from './endpoints/service.ts';
import { settingsEndpoints } from './endpoints/settings.ts';
import { metricsEndpoints, statusEndpoints } from './endpoints/status.ts';

const ENDPOINTS: readonly Endpoint[] = [
  ...recordEndpoints,
  ...bulkEndpoints,
  ...exportEndpoints,
  ...searchEndpoints,
  ...serviceEndpoints,
  ...statusEndpoints,
  ...metricsEndpoints,
  ...meEndpoints,
  ...classEndpoints,
  ...historyEndpoints,
  ...changeEndpoints,
  ...linkEndpoints,
  ...policyEndpoints,
  ...publicAccessEndpoints,
];

/**
 * The endpoints of the core.
 *
 * @param keys of the settings of a collection that modules have
 * @param replacing rehearses other schemas in `PUT /collections`
 */
export const coreEndpoints = (
  keys: SettingKeys,
  schemas: ConfigurationSchemas,
  replacing: Replacing | undefined,
): readonly Endpoint[] => [...ENDPOINTS, ...adminEndpoints(schemas, replacing), ...settingsEndpoints(keys)];
