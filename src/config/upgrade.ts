/**
 * Version 1 of the configuration file (the peer's 5.x) → version 2.
 *
 * In version 1 `tokens` was keyed by the secrets, `default_token` was a secret too, and a collection had its schema in
 * its `sqlite` backend, or in the `.dumpthings.yaml` of its record directory. A hashed token was written
 * `<id>-<sha256>`, and presented as `<id>-<secret>`.
 */
import { ServiceError } from '../errors.ts';

/** What the `.dumpthings.yaml` of a curated area says. */
export type DescribeArea = (curated: string) => { schema: string; mapping_method: string };

export function isVersion1(value: unknown): value is { version: 1 } {
  return typeof value === 'object' && value !== null && 'version' in value && value.version === 1;
}

/** @throws ServiceError `config_invalid` for what does not have the outline of version 1 */
export function upgrade(_old: object, _describeArea: DescribeArea): object {
  throw new ServiceError('config_invalid', 'version: 1 is not supported yet');
}
