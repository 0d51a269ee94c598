/** Releases of a collection: requested by curators and administrators, read by all who read the whole curated area. */
import type { FastifyReply } from 'fastify';
import type { Collection } from '../../core/collections/collection.ts';
import { type Call, type Endpoint, inPath, row } from '../../core/http/endpoint.ts';
import { jsonAnswer, UNCHANGED } from '../../core/http/endpoints/schemas.ts';
import {
  administratorOf,
  enterAsSteward,
  enterForAdministration,
  enterToRead,
  needing,
} from '../../core/http/enter.ts';
import { clientHas } from '../../core/http/etag.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { sendParts } from '../../core/http/stream-reply.ts';
import { countSchema, listOf, objectOf, orNull, textOrNull, textSchema } from '../../core/shapes.ts';
import { publication } from '../publish/rows.ts';
import { archiveBytes, archivedContent } from './archive.ts';
import { ARCHIVE } from './archive-name.ts';
import { FILES } from './crate.ts';
import { seesReleases } from './datasets.ts';
import { listReleases, type Release, releaseNamed, requestRelease, unknownRelease } from './releases.ts';

const digest = { ...textSchema, description: 'SHA-256 in hexadecimal digits.' } as const;

export const releaseSchema = objectOf({
  name: textSchema,
  notes: textOrNull,
  state: { enum: ['making', 'done', 'failed'] },
  reason: { ...textOrNull, description: 'Why it has failed. It can be requested again.' },
  progress: {
    ...orNull(objectOf({ done: countSchema, total: countSchema })),
    description: 'While it is made: steps that are done, of all.',
  },
  revision: {
    ...countSchema,
    description: 'Of the curated area: `at` with this revision reads the same records.',
  },
  time: { ...textSchema, format: 'date-time' },
  by: { ...textOrNull, description: 'Who has requested it; null for callers who are not curators.' },
  title: textOrNull,
  publisher: textOrNull,
  license: textSchema,
  schema: { ...textSchema, description: 'The digest of the schema.' },
  records: orNull(countSchema),
  changes: {
    ...orNull(
      objectOf({ since: textSchema, created: countSchema, replaced: countSchema, deleted: countSchema }),
    ),
    description: 'Since the release before; null for the first one. `changes.jsonl` lists them.',
  },
  size: { ...orNull(countSchema), description: 'The bytes of `crate.zip`.' },
  digest: { ...orNull(digest), description: 'Of `crate.zip`: SHA-256 in hexadecimal digits.' },
  files: listOf(objectOf({ path: textSchema, media_type: textSchema, size: countSchema, digest })),
});
const releasesSchema = objectOf({ items: listOf(releaseSchema) });

function reportOf(release: Release, isSteward: boolean) {
  const { name, notes, state, reason, progress, revision, time, by, publish, schema, made } = release;
  return {
    ...{ name, notes, state, reason: reason ?? null, progress: state === 'making' ? progress : null },
    ...{ revision, time, by: isSteward ? by : null },
    ...{
      title: publish.title ?? null,
      publisher: publish.publisher ?? null,
      license: publish.license,
      schema,
    },
    ...{ records: made?.records ?? null, changes: made?.changes ?? null },
    ...{ size: made?.size ?? null, digest: made?.digest ?? null },
    files: (made?.files ?? []).map(({ path, mediaType, size, digest }) => ({
      ...{ path, media_type: mediaType, size, digest },
    })),
  };
}

type ReleaseAccess = {
  readonly collection: Collection;
  readonly isSteward: boolean;
  readonly sees: boolean;
};

/** Enters for reading releases. @throws ServiceError `permission_missing` */
const enterReleases = needing('curatedOrAdmin', async (call): Promise<ReleaseAccess> => {
  if (administratorOf(call) !== undefined)
    return { ...(await enterForAdministration(call)), isSteward: true, sees: true };
  const { collection, grant } = await enterToRead(call);
  return { collection, isSteward: grant.permissions.curate, sees: seesReleases(collection, grant) };
});

/** The releases that a caller sees: only stewards see those that are not done. */
async function visibleReleases({ collection, isSteward, sees }: ReleaseAccess): Promise<Release[]> {
  const all = sees ? await listReleases(collection) : [];
  return all.filter(({ state }) => isSteward || state === 'done');
}

/** @throws ServiceError `release_unknown` */
async function visibleRelease({ collection, isSteward, sees }: ReleaseAccess, call: Call): Promise<Release> {
  const name = inPath(call, 'name');
  const release = sees ? await releaseNamed(collection, name) : unknownRelease(collection, name);
  return isSteward || release.state === 'done' ? release : unknownRelease(collection, name);
}

/** GET of a file of a release, or of the archive with all of them. */
async function readFile(access: ReleaseAccess, _: object, call: Call): Promise<FastifyReply> {
  const release = await visibleRelease(access, call);
  const path = inPath(call, 'file');
  const { name, attempt, made } = release;
  const file = made?.files.find((one) => one.path === path);
  if (!made || (!file && path !== ARCHIVE)) return unknownRelease(access.collection, `${name}/${path}`);
  keepForever(call);
  if (clientHas(call, `"${(file ?? made).digest.slice(0, TAG_LENGTH)}"`)) return call.reply.code(304).send();
  const { database } = access.collection;
  const stillAllowed = async () => void (await visibleRelease(await enterReleases(call), call));
  if (file)
    return sendParts(call.reply, file.mediaType, archivedContent(database, attempt, file), stillAllowed);
  const download = `attachment; filename="${access.collection.name.replace(/[^\w.-]/g, '-')}-${name}.zip"`;
  const bytes = archiveBytes(database, attempt, { from: 0, to: made.size });
  call.reply.header('content-disposition', download).header('content-length', made.size);
  return sendParts(call.reply, 'application/zip', bytes, stillAllowed);
}

const TAG_LENGTH = 40;

/** A release never changes. Releases that only a token shows are for its bearer alone. */
function keepForever({ request, reply }: Call): void {
  const isPublic = request.acceptedToken === undefined;
  reply.header('cache-control', `${isPublic ? 'public' : 'private'}, max-age=31536000, immutable`);
}

const path = '/-/{collection}/releases';
const readers =
  'Requires permission to read the curated area. With policies in force, only curators read releases.';

const requestSchema = objectOf(
  {
    name: {
      type: 'string',
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
      description: 'Part of its URL: letters, digits, dots, hyphens and underscores.',
    },
  },
  { notes: { type: 'string', maxLength: 10_000, description: 'What is new, for people.' } },
);

export const releaseEndpoints: readonly Endpoint[] = [
  row('GET', path, 'releases', {
    ...publication,
    summary: 'List the releases of a collection, newest first',
    description: readers,
    answers: { 200: jsonAnswer('The releases. Curators see those that are not done, too.', releasesSchema) },
    ...replying(enterReleases, {}, async (access) => ({
      items: (await visibleReleases(access)).map((one) => reportOf(one, access.isSteward)),
    })),
  }),
  row('POST', path, 'release.request', {
    tag: 'Publication',
    summary: 'Release the curated area as it is now',
    description: 'The release is made in the background: poll the `Location`.',
    answers: { 202: jsonAnswer('The release is being made.', releaseSchema) },
    refusals: [409],
    ...replyingTo(
      enterAsSteward,
      {},
      {
        schema: requestSchema,
        example: { name: '2026-11', notes: 'With the new laboratories.' },
        limit: 64 * 1024,
      },
      async ({ collection, by }, request, _, call) => {
        const release = await requestRelease(collection, request, by.committer);
        const own = `/-/${encodeURIComponent(collection.name)}/releases/${release.name}`;
        call.reply.code(202).header('location', `${call.service.rootPath}${own}`);
        return reportOf(release, true);
      },
    ),
  }),
  row('GET', `${path}/{name}`, 'release', {
    ...publication,
    summary: 'Read a release',
    description: readers,
    answers: { 200: jsonAnswer('The release.', releaseSchema) },
    ...replying(enterReleases, {}, async (access, _, call) => {
      const release = await visibleRelease(access, call);
      if (release.state === 'done') keepForever(call);
      return reportOf(release, access.isSteward);
    }),
  }),
  row('GET', `${path}/{name}/{file}`, 'release.file', {
    ...publication,
    conditional: true,
    summary: 'Read a file of a release, or all of them as `crate.zip`',
    description: readers,
    answers: {
      200: {
        description: 'The file. It never changes.',
        content: Object.fromEntries(
          [...Object.values(FILES).map(({ mediaType }) => mediaType), 'application/zip'].map((type) => [
            type,
            { schema: textSchema },
          ]),
        ),
      },
      ...UNCHANGED,
    },
    ...replying(enterReleases, {}, readFile),
  }),
];
