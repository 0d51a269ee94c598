/** The names of collections and tokens, which clients choose. */
import { ServiceError } from '../errors.ts';
import type { Configuration } from './config.ts';
import { PRIVATE_FOLDER } from './paths.ts';

/** Names that the service itself answers, or that clients of the peer expect it to answer. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'tokens',
  'admin_tokens',
  'api',
  'server',
  'maintenance',
  'management',
  'docs',
  'redoc',
  'openapi.json',
  'v1',
  // `/-/desk/…` has the pages of the desk, and no endpoint of a collection.
  'desk',
]);
/** First segments that no name may have: the service has further paths below them. */
const RESERVED_BEGINNINGS: ReadonlySet<string> = new Set(['-', 'collections', PRIVATE_FOLDER]);
/** The areas of a collection, which would hide a collection below it. */
const RESERVED_LATER: ReadonlySet<string> = new Set(['curated', 'incoming', 'validate']);

/** The name under which the admin token of the command line is listed. */
export const BOOTSTRAP_NAME = '__bootstrap__';

const LONGEST_NAME = 255;

/**
 * Collection names are part of the path of every request, and may have slashes.
 *
 * @throws ServiceError `payload_invalid`, `name_reserved`
 */
export function checkCollectionName(name: string): void {
  const segments = name.split('/');
  const reserved = reservedIn(name, segments);
  if (reserved !== undefined)
    throw new ServiceError('name_reserved', `The name '${name}' cannot be used: ${reserved}.`);
  checkName(name);
  if (segments.includes(''))
    throw nameRefused(name, 'must not be empty, begin or end with a slash, or have two in a row');
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw nameRefused(name, 'must not have `.` or `..` between slashes');
}

function reservedIn(name: string, [first = '', ...later]: readonly string[]): string | undefined {
  if (RESERVED_NAMES.has(name)) return 'it is reserved for the service';
  if (RESERVED_BEGINNINGS.has(first)) return `what begins with '${first}' is reserved for the service`;
  const area = later.find((segment) => RESERVED_LATER.has(segment));
  return area === undefined ? undefined : `'${area}' after a slash is an area of another collection`;
}

/** The names of a stored configuration that none may have that is made now, one sentence each, for the operator. */
export function refusedNames({ collections }: Pick<Configuration, 'collections'>): string[] {
  return Object.keys(collections).flatMap((name) => {
    try {
      checkCollectionName(name);
      return [];
    } catch (error) {
      const why = 'it is served where no other path hides it';
      return `collection ${JSON.stringify(name)}: ${(error as Error).message.replace(/\.$/, '')}; ${why}`;
    }
  });
}

/** Whether release 6.3.3 of the peer opens a configuration with a collection of this name. */
export function isPlainName(name: string): boolean {
  return /^[\p{XID_Continue}-]+$/u.test(name);
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
