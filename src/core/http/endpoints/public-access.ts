/** What everybody reads of a collection without a token, or would read, and the switch between both. */
import type { Grant } from '../../access/grant.ts';
import { permissionsOfMode } from '../../access/modes.ts';
import { userArea } from '../../collections/areas.ts';
import type { Collection } from '../../collections/collection.ts';
import { openToPublic } from '../../config/administration.ts';
import { type Configuration, entryOf } from '../../config/config.ts';
import { defaultTokenOf } from '../../config/edit-tokens.ts';
import { bodyOf, flagSchema, listOf, objectOf, textOrNull, textSchema } from '../../shapes.ts';
import { type Endpoint, row } from '../endpoint.ts';
import { enterForAdministration } from '../enter.ts';
import { replying, replyingTo } from '../replying.ts';
import { classSummarySchema, listClasses } from './classes.ts';
import { jsonAnswer } from './schemas.ts';

const count = { type: 'integer' } as const;

export const publicAccessSchema = objectOf({
  public: { ...flagSchema, description: 'Whether requests without a token read curated records.' },
  default_token: { ...textSchema, description: 'The name of the token that decides about them.' },
  mode: { ...textOrNull, description: 'Its mode in the collection; null if it names none.' },
  records: { ...count, description: 'The curated records.' },
  visible: {
    ...count,
    description: 'Those that policies show to requests without a token, if these read curated records.',
  },
  classes: { description: 'The classes, with the number of visible records.', ...listOf(classSummarySchema) },
});

/** @throws ServiceError `policies_unavailable` */
async function publicAccessTo(collection: Collection, configuration: Configuration) {
  const { name, config, curated } = collection;
  const { default_token } = config;
  const { user_id, collections } = defaultTokenOf(configuration, default_token);
  const visitor: Grant = {
    source: 'config',
    userId: user_id,
    label: undefined,
    permissions: permissionsOfMode.READ_CURATED,
    isDefault: true,
  };
  const area = userArea(collection, visitor);
  const [records, visible, classes] = await Promise.all([
    curated.count({}),
    area.count({}),
    listClasses({ collection, area }),
  ]);
  return {
    public: collection.defaultCaller()?.permissions.readCurated ?? false,
    default_token,
    mode: entryOf(collections, name)?.mode ?? null,
    records,
    visible,
    classes,
  };
}

const path = '/-/{collection}/public';
const tag = 'Administration';

export const publicAccessEndpoints: readonly Endpoint[] = [
  row('GET', path, 'public', {
    tag,
    summary: 'What everybody reads without a token, or would read',
    description: 'Policies apply. Zones stay closed, and are not counted.',
    answers: {
      200: jsonAnswer('The present state, and what is visible in a public collection.', publicAccessSchema),
    },
    ...replying(enterForAdministration, {}, ({ collection }, _, { service }) =>
      publicAccessTo(collection, service.administration.state.configuration),
    ),
  }),
  row('PUT', path, 'public.put', {
    tag,
    summary: 'Let everybody read the curated records without a token, or no longer',
    description:
      'Sets the mode of the default token, which is made if it is not defined, to `READ_CURATED` or `NOTHING`, and is an entry in the history of the configuration.',
    answers: { 200: jsonAnswer('The state from now on.', publicAccessSchema) },
    refusals: [409],
    ...replyingTo(
      enterForAdministration,
      {},
      { schema: bodyOf({ public: flagSchema }), example: { public: true }, limit: 1024 },
      async ({ collection, by }, given, _, { service }) => {
        await openToPublic(service.administration, collection.name, given.public, by.committer);
        return publicAccessTo(collection, service.administration.state.configuration);
      },
    ),
  }),
];
