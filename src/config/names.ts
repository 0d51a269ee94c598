/** The names that clients give to collections and tokens. */
import { ServiceError } from '../errors.ts';
import { PRIVATE_FOLDER } from './paths.ts';

/** First path segments that the service itself answers, or that clients of the peer expect it to. */
const RESERVED_COLLECTION_NAMES: ReadonlySet<string> = new Set([
  'collections',
  'tokens',
  'admin_tokens',
  'api',
  'server',
  'maintenance',
  'docs',
  'redoc',
  'openapi.json',
  '-',
  PRIVATE_FOLDER,
]);

/** The name under which the admin token of the command line is listed. */
export const BOOTSTRAP_NAME = '__bootstrap__';

const LONGEST_NAME = 255;

/** The characters of a Python identifier, and hyphens: the peer forms identifiers from the names of collections. */
const COLLECTION_NAME = /^[\p{XID_Continue}-]+$/u;

/**
 * Collection names are part of the path of every request. With a name of another form in its configuration, the peer could
 * not open the store again.
 *
 * @throws ServiceError `payload_invalid`, `name_reserved`
 */
export function checkCollectionName(name: string): void {
  if (RESERVED_COLLECTION_NAMES.has(name)) {
    throw new ServiceError('name_reserved', `The name '${name}' is reserved for the service.`);
  }
  checkName(name);
  if (!COLLECTION_NAME.test(name))
    throw nameRefused(name, 'may have only letters, digits, hyphens and underscores');
}

/** @throws ServiceError `payload_invalid` */
export function checkName(name: string): void {
  if (/\p{Cc}/u.test(name) || !name.isWellFormed())
    throw nameRefused(name, 'must be text without control characters');
  if (Buffer.byteLength(name) > LONGEST_NAME)
    throw nameRefused(name, `must not be longer than ${LONGEST_NAME} bytes`);
}

function nameRefused(input: string, why: string): ServiceError {
  const msg = `a name ${why}`;
  const problem = { type: 'name_invalid', loc: ['body', 'name'], msg, input };
  return new ServiceError('payload_invalid', `body.name: ${msg}`, [problem]);
}
