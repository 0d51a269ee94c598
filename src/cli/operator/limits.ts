/** The limits of `accession serve --limit`, with their ranges; docs/limits.md explains them. */
import { InvalidArgumentError } from 'commander';
import { subnetOf } from '../../core/http/client.ts';
import type { LimitOptions } from '../../core/http/limits.ts';
import { type Command, wholeNumber } from '../command.ts';

type Limit = { readonly option: keyof LimitOptions; readonly least: number; readonly most: number };

const MOST = 1_000_000;

export const LIMITS: Readonly<Record<string, Limit>> = {
  requests: { option: 'requests', least: 1, most: MOST },
  connections: { option: 'connections', least: 16, most: MOST },
  waiting: { option: 'waiting', least: 1, most: MOST },
  'requests-per-token': { option: 'requestsOfToken', least: 1, most: MOST },
  'refused-tokens': { option: 'refusedTokens', least: 0, most: MOST },
  'body-mib': { option: 'bodyMebibytes', least: 1, most: 100 },
  'header-seconds': { option: 'headerSeconds', least: 1, most: 3600 },
  'request-seconds': { option: 'requestSeconds', least: 1, most: 3600 },
};

/**
 * Reads one `NAME=NUMBER`, and adds it to those before.
 *
 * @throws InvalidArgumentError
 */
export function readLimit(text: string, before: Partial<LimitOptions> = {}): Partial<LimitOptions> {
  const [name = '', value = ''] = text.split('=', 2);
  const limit = Object.hasOwn(LIMITS, name) ? LIMITS[name] : undefined;
  if (!limit) throw new InvalidArgumentError(`Expected NAME=NUMBER with ${Object.keys(LIMITS).join(', ')}.`);
  // Zero switches a limit off.
  return { ...before, [limit.option]: wholeNumber(limit.least, limit.most)(value) || undefined };
}

/** The flags of earlier releases for limits, which unit files have. They work, and help does not show them. */
const FORMER: Readonly<Record<string, string>> = {
  '--max-requests': 'requests',
  '--max-requests-per-token': 'requests-per-token',
  '--max-refused-tokens': 'refused-tokens',
  '--max-body-mib': 'body-mib',
  '--header-timeout': 'header-seconds',
  '--request-timeout': 'request-seconds',
};

/** Adds the flags of earlier releases: each sets its limit as `--limit` does. */
export function addFormerLimits(row: Command): void {
  for (const [flag, name] of Object.entries(FORMER)) {
    const set = (value: string) => {
      row.setOptionValue(
        'limit',
        readLimit(`${name}=${value}`, row.getOptionValue('limit') as Partial<LimitOptions>),
      );
      return value;
    };
    row.addOption(row.createOption(`${flag} <number>`).hideHelp().argParser(set));
  }
}

/**
 * Reads one address or subnet of proxies, and adds it to those before.
 *
 * @throws InvalidArgumentError
 */
export function readSubnet(text: string, before: readonly string[] = []): readonly string[] {
  if (!subnetOf(text)) throw new InvalidArgumentError('Expected an address or a subnet such as 10.0.0.0/8.');
  return [...before, text];
}
