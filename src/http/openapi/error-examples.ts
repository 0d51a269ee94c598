/** The refusals in the API description. Their examples are made by the functions that refuse requests. */
import { permissionsOfMode } from '../../access/modes.ts';
import { notKept } from '../../collections/feed.ts';
import { userRefused } from '../../collections/refusals.ts';
import { authenticateAdmin } from '../../config/admin-token.ts';
import { type CollectionConfig, EMPTY_CONFIGURATION, type TokenConfig } from '../../config/config.ts';
import { collectionOf } from '../../config/edit-collections.ts';
import { putToken, removeToken } from '../../config/edit-tokens.ts';
import { ServiceError } from '../../errors.ts';
import { FORMATS } from '../../formats/formats.ts';
import { preconditionFailed } from '../../records/condition.ts';
import { tooManyRecords } from '../../records/page.ts';
import { tooSlow } from '../bodies.ts';
import { presentedToken } from '../client.ts';
import type { Json } from '../endpoint.ts';
import { pageParameters } from '../endpoints/records.ts';
import { ref } from '../endpoints/schemas.ts';
import { maintenance } from '../enter.ts';
import { tooManyRequests } from '../limits.ts';
import { readParameters } from '../query.ts';
import { changeRefused } from '../read-only.ts';
import { detailOf, failure, STATUS_OF_CODE } from '../reply.ts';

const token = {
  user_id: 'alice@example.org',
  collections: {},
  hashed: false,
  representation: '…',
} as TokenConfig;
const configuration = {
  ...EMPTY_CONFIGURATION,
  collections: { lab: { default_token: 'alice' } as CollectionConfig },
  tokens: { alice: token },
};

/** The meanings of the statuses, each with a request that is refused with it. */
const REFUSALS: readonly (readonly [description: string, refuse: () => unknown])[] = [
  [
    'The record is invalid, the body is malformed, a CURIE has an unknown prefix, or a conversion failed.',
    () => presentedToken({ 'x-service-token': 'a', 'x-dumpthings-token': 'b' }),
  ],
  [
    'The request has no token, or one that is not accepted here.',
    () => authenticateAdmin(configuration, undefined, undefined),
  ],
  [
    'The token is known, but does not permit this.',
    () =>
      userRefused('store', 'lab', {
        source: 'config',
        userId: 'alice',
        label: undefined,
        permissions: permissionsOfMode.NOTHING,
      }),
  ],
  [
    'The collection, class, label or element is unknown, or the record to delete does not exist.',
    () => collectionOf(EMPTY_CONFIGURATION, 'lab'),
  ],
  ['The process that answers only reads the store.', () => changeRefused('POST')],
  ['A path, label or token cannot be accepted.', () => removeToken(configuration, 'alice')],
  ['The request arrives too slowly.', tooSlow],
  [
    'The name or the representation is taken or reserved, or the element is needed.',
    () => putToken(configuration, { name: 'alice', ...token }, 'create'),
  ],
  ['What was asked for is not kept any more, or is of another generation.', () => notKept(57)],
  [
    'The record is not in the state that `If-Match` or `If-None-Match` requires.',
    () => preconditionFailed('ex:ada'),
  ],
  [
    'A list is too long for one response, or the body is too large.',
    () => tooManyRecords(4711, FORMATS.json.mostListed, '/lab/records/p/'),
  ],
  [
    'A query parameter or a key of the body is unknown or has a wrong value.',
    () => readParameters({ page: '0' }, pageParameters),
  ],
  [
    'There were too many requests. The header `Retry-After` has the seconds to wait.',
    () => tooManyRequests('Too many requests with this token', 3),
  ],
  [
    'The collection is in maintenance or not available, or the service is busy or stopping.',
    () => maintenance('lab'),
  ],
];

/** The responses by name, `status404` and the like. */
export function problemResponses(): Json {
  const made = REFUSALS.map(([description, refuse]) => {
    const error = errorOf(refuse);
    return [STATUS_OF_CODE[error.code], description, detailOf(error)] as const;
  });
  const failed = [
    500,
    'The service failed. The operator finds the request by its id.',
    failure('5f0c…'),
  ] as const;
  const full = [
    507,
    'The disk of the store is full. Nothing was changed.',
    'Writing failed, and nothing was changed: the disk of the store is full.',
  ] as const;
  return Object.fromEntries(
    [...made, failed, full].map(([status, description, detail]) => [
      `status${status}`,
      { description, content: { 'application/json': { schema: ref('Error'), example: { detail } } } },
    ]),
  );
}

function errorOf(refuse: () => unknown): ServiceError {
  try {
    const refused = refuse();
    if (refused instanceof ServiceError) return refused;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('this request is expected to be refused');
}
