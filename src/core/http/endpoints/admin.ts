/** Administration: collections, tokens, admin tokens (specification 4.3), one family of endpoints for each kind. */
import type { FastifyReply } from 'fastify';
import { isJsonObject, type JsonObject } from '#linkml/json.ts';
import {
  type KindName,
  listElements,
  putElement,
  readElement,
  removeElement,
  requirePrecondition,
  rotate,
  withName,
} from '../../config/administration.ts';
import { asWritten } from '../../config/as-written.ts';
import type { ConfigurationSchemas } from '../../config/config.ts';
import { MOST_GRACE_DAYS } from '../../config/edit-tokens.ts';
import { keepNewSchema } from '../../config/kept-schemas.ts';
import { entityTag } from '../../entity-tag.ts';
import { bodyOf, listOf, objectOf, textSchema } from '../../shapes.ts';
import { anyJsonBody } from '../body.ts';
import { type Call, type Endpoint, inPath, type Json, type Replacing, row } from '../endpoint.ts';
import { enterAsAdministrator } from '../enter.ts';
import { preconditionOf } from '../etag.ts';
import { isFoundInPath } from '../origin.ts';
import { flag, integer, parameterRefused, parametersOf } from '../query.ts';
import { sendJson } from '../reply.ts';
import { replying, replyingTo } from '../replying.ts';
import { jsonAnswer, jsonContent, NULL, nameOptional, ref, sharedSchemas } from './schemas.ts';

/** `POST` creates, `PUT` creates or replaces; the name is in the body, and with `PUT` it may be in the path. */
async function putElementOf(call: Call, replacing: Replacing | undefined): Promise<FastifyReply> {
  const { service, request, reply, endpoint } = call;
  const author = enterAsAdministrator(call);
  const body = withName(asWritten(await anyJsonBody(call)), (request.params as { name?: string }).name);
  const kind = elementKind(call);
  const placement = endpoint.method === 'POST' ? 'create' : 'create or replace';
  const precondition = preconditionOf(request.headers);
  requirePrecondition(service.administration, kind, body, precondition);
  const replaces = kind === 'collections' && placement === 'create or replace';
  const tried = replaces && isJsonObject(body) ? await dryRunOf(call, body, author, replacing) : undefined;
  if (tried !== undefined) return sendJson(reply, tried);
  const answer = await putElement(service.administration, kind, body, { placement, precondition }, author);
  if (kind !== 'admin_tokens' && isJsonObject(body)) {
    const [path] = request.routeOptions.url?.split('/:') ?? [];
    const name = String(body.name);
    // A token may have a name that no path leads to, such as `..`.
    if (isFoundInPath(name))
      reply.header('location', `${service.rootPath}${path}/${encodeURIComponent(name)}`);
  }
  return sendJson(reply.code(201), JSON.stringify(answer));
}

/** `DELETE` of one element. */
async function removeElementOf(call: Call): Promise<FastifyReply> {
  const authorId = enterAsAdministrator(call);
  const kind = elementKind(call);
  const name = inPath(call, 'name');
  const { revoke } = parametersOf(call, removeParameters);
  const tokens = await removeElement(call.service.administration, kind, name, { authorId, revoke });
  if (tokens.length > 0) {
    const message = revoke
      ? 'permissions in the deleted collection were revoked'
      : 'tokens have permissions in a deleted collection';
    call.request.log.warn({ collection: name, tokens }, message);
    call.reply.header(
      revoke ? 'accession-revoked-tokens' : 'accession-tokens',
      tokens.slice(0, MOST_TOKENS_NAMED).map(encodeURIComponent).join(', '),
    );
  }
  return sendJson(call.reply, 'null');
}

const replaceParameters = {
  dry_run: flag('Only report what the schema would mean for the records.', false),
  if_valid: flag('Refuse the change with 409 if stored records would not fit the schema.', false),
};

/**
 * Rehearses the schema of a collection that is to be replaced.
 *
 * @returns the response of a dry run; undefined if the collection is to be replaced
 * @throws ServiceError `parameter_invalid` without the module that rehearses schemas: a dry run that is ignored would replace it
 */
async function dryRunOf(
  call: Call,
  body: JsonObject,
  author: string,
  replacing: Replacing | undefined,
): Promise<string | undefined> {
  const { dry_run: dryRun, if_valid: ifValid } = parametersOf(call, replaceParameters);
  if (!replacing && (dryRun || ifValid))
    throw parameterRefused(
      dryRun ? 'dry_run' : 'if_valid',
      'true',
      'false: this service has no module that rehearses schemas',
    );
  const rehearsal = await replacing?.rehearse(call, body, author, { dryRun, ifValid });
  return dryRun ? (rehearsal?.text ?? 'null') : undefined;
}

const removeParameters = {
  revoke: flag('Of a collection: whether all tokens lose their permissions in it.', false),
};
/** Tokens that a header names. */
const MOST_TOKENS_NAMED = 100;

function elementKind({ endpoint }: Call): KindName {
  return endpoint.path.split('/')[1] as KindName;
}

type ElementFamily = {
  readonly kind: KindName;
  readonly one: string;
  readonly schema: 'Collection' | 'Token' | 'AdminToken';
  /** The response of a create or replace. */
  readonly answer: Json;
  readonly refusals: readonly number[];
  readonly keptWith: readonly number[];
  readonly example: Json;
};

const ELEMENTS: readonly ElementFamily[] = [
  {
    kind: 'collections',
    one: 'collection',
    schema: 'Collection',
    answer: NULL,
    refusals: [406, 409],
    keptWith: [],
    example: {
      name: 'lab',
      schema: 'https://example.org/lab.yaml',
      default_token: 'anonymous',
      curated: 'lab/curated',
      incoming: 'lab/incoming',
      backend: { type: 'record_dir+stl' },
    },
  },
  {
    kind: 'tokens',
    one: 'token',
    schema: 'Token',
    answer: ref('Token'),
    refusals: [404, 406, 409],
    keptWith: [406],
    example: {
      name: 'alice',
      user_id: 'alice@example.org',
      collections: { lab: { mode: 'WRITE_COLLECTION', incoming_label: 'alice' } },
    },
  },
  {
    kind: 'admin_tokens',
    one: 'admin token',
    schema: 'AdminToken',
    answer: NULL,
    refusals: [406, 409],
    keptWith: [409],
    example: {
      name: 'root',
      representation: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    },
  },
];

/** Of a body, in bytes. */
const LONGEST_ELEMENT = 1024 * 1024;

function family(
  { kind, one, schema, answer, refusals, keptWith, example }: ElementFamily,
  schemas: ConfigurationSchemas,
  replacing: Replacing | undefined,
): Endpoint[] {
  const tag = 'Administration';
  const written = {
    tag,
    body: { content: jsonContent(ref(schema), example), limit: LONGEST_ELEMENT },
    answers: { 201: jsonAnswer(`The ${one} is stored and in effect.`, answer) },
    refusals,
    need: enterAsAdministrator.need,
    handle: (call: Call) => putElementOf(call, replacing),
  } as const;
  const conditional = { ...written, conditional: true } as const;
  const replaced =
    kind === 'collections' && replacing
      ? {
          ...conditional,
          query: replaceParameters,
          answers: {
            ...written.answers,
            200: jsonAnswer('The rehearsal of a dry run; null for a collection that does not run.', {
              oneOf: [replacing.response, { type: 'null' }],
            }),
          },
        }
      : conditional;
  const create = `Create ${one === 'admin token' ? 'an' : 'a'} ${one}`;
  const replace = create.replace('Create', 'Create or replace');
  return [
    row('GET', `/${kind}`, `${kind}.list`, {
      tag,
      summary: `List all ${one}s`,
      answers: { 200: jsonAnswer(`All ${one}s.`, listOf(ref(schema))) },
      ...replying(enterAsAdministrator, {}, (_, __, { service }) =>
        listElements(service.administration, kind),
      ),
    }),
    row('POST', `/${kind}`, `${kind}.create`, { ...conditional, summary: create }),
    row('PUT', `/${kind}`, `${kind}.put`, { ...replaced, summary: replace }),
    row('PUT', `/${kind}/{name}`, `${kind}.put_named`, {
      ...replaced,
      body: {
        content: jsonContent(nameOptional(sharedSchemas(schemas)[schema]), example),
        limit: LONGEST_ELEMENT,
      },
      summary: `${replace} of this name`,
    }),
    row('GET', `/${kind}/{name}`, `${kind}.read`, {
      tag,
      summary: `Read one ${one}`,
      answers: { 200: jsonAnswer(`The ${one}.`, { type: 'object' }) },
      ...replying(enterAsAdministrator, {}, (_, __, call) => {
        const element = readElement(call.service.administration, kind, inPath(call, 'name'));
        call.reply.header('etag', entityTag(element));
        return element;
      }),
    }),
    row('DELETE', `/${kind}/{name}`, `${kind}.delete`, {
      tag,
      summary: `Delete one ${one}`,
      answers: { 200: jsonAnswer('The element is deleted.', NULL) },
      refusals: keptWith,
      ...(kind === 'collections' && {
        description:
          'Tokens keep their permissions in the collection, and so reach a later one of the same name. The header ' +
          '`Accession-Tokens` names them, `Accession-Revoked-Tokens` those that lost them.',
        query: removeParameters,
      }),
      need: enterAsAdministrator.need,
      handle: removeElementOf,
    }),
  ];
}

const KEEP_DAYS = 'For how many days the former secret is accepted as well.';
const DEFAULT_GRACE_DAYS = 7;

const textBody = objectOf({ schema: { ...textSchema, description: 'A YAML document.' } });
const keptSchema = objectOf({
  address: { ...textSchema, description: 'For the key `schema` of a collection.' },
});

export const adminEndpoints = (
  schemas: ConfigurationSchemas,
  replacing: Replacing | undefined,
): readonly Endpoint[] => [
  ...ELEMENTS.flatMap((element) => family(element, schemas, replacing)),
  row('POST', '/-/schemas', 'keep-schema', {
    tag: 'Administration',
    summary: 'Keep the text of a schema in the store, for a collection that is created with it',
    answers: { 200: jsonAnswer('Where the schema is.', keptSchema) },
    refusals: [412],
    ...replyingTo(
      enterAsAdministrator,
      {},
      { schema: textBody, example: { schema: 'id: https://example.org/notes' }, limit: 1024 * 1024 },
      async (_, { schema }, __, { service }) => ({
        address: await keepNewSchema(service, schema),
      }),
    ),
  }),
  row('POST', '/tokens/{name}/rotate', 'tokens.rotate', {
    tag: 'Administration',
    summary: 'Replace the secret of a token',
    description: 'The response has the generated secret, which is not shown again if the token is hashed.',
    answers: { 200: jsonAnswer('The token, with its secret.', ref('Token')) },
    ours: true,
    ...replyingTo(
      enterAsAdministrator,
      { keep_days: integer(KEEP_DAYS, DEFAULT_GRACE_DAYS, 0, MOST_GRACE_DAYS) },
      {
        schema: bodyOf(
          {},
          { keep_days: { type: 'integer', minimum: 0, maximum: MOST_GRACE_DAYS, description: KEEP_DAYS } },
        ),
        example: { keep_days: 0 },
        optional: true,
      },
      (author, body, { keep_days }, call) =>
        rotate(call.service.administration, inPath(call, 'name'), body.keep_days ?? keep_days, author),
    ),
  }),
];
