/** The flags of `accession serve` for limits (docs/limits.md) and metrics, as options of the service. */
import type { AppOptions } from '../app.ts';
import { metricsHash } from '../config/admin-token.ts';
import { ServiceError } from '../errors.ts';
import type { LimitOptions } from '../http/limits.ts';

type Limit = { readonly option: keyof LimitOptions; readonly least: number; readonly most?: number };

const LIMIT_FLAGS: Readonly<Record<string, Limit>> = {
  'max-requests': { option: 'requests', least: 1 },
  'max-requests-per-token': { option: 'requestsOfToken', least: 1 },
  'max-requests-per-address': { option: 'requestsOfAddress', least: 1 },
  'max-refused-tokens': { option: 'refusedTokens', least: 0 },
  'max-body-mib': { option: 'bodyMebibytes', least: 1, most: 100 },
  'header-timeout': { option: 'headerSeconds', least: 1, most: 3600 },
  'request-timeout': { option: 'requestSeconds', least: 1, most: 3600 },
};

const MOST = 1_000_000;

/**
 * @param text the value of a flag
 * @throws ServiceError `config_invalid`, `hash_malformed`
 */
export function limitOptions(
  text: (flag: string) => string | undefined,
  environment: NodeJS.ProcessEnv,
): Pick<AppOptions, 'limits' | 'memory' | 'metricsToken'> {
  const limits: Partial<Record<keyof LimitOptions, number | undefined>> = {};
  for (const [flag, { option, least, most = MOST }] of Object.entries(LIMIT_FLAGS)) {
    const value = text(flag);
    // Zero switches a limit off.
    if (value !== undefined) limits[option] = limitNumber(flag, value, least, most) || undefined;
  }
  const metricsToken = metricsHash(text('metrics-token-hash'), environment);
  const megabytes = text('memory');
  return {
    limits: limits as Partial<LimitOptions>,
    ...(megabytes !== undefined && { memory: limitNumber('memory', megabytes, 1, MOST) * 1024 * 1024 }),
    ...(metricsToken !== undefined && { metricsToken }),
  };
}

function limitNumber(flag: string, text: string, least: number, most: number): number {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new ServiceError(
    'config_invalid',
    `--${flag} is '${text}', expected a number from ${least} to ${most}.`,
  );
}
