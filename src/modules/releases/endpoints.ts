/** Releases of a collection: requested by curators and administrators, read by all who read the whole curated area. */
import { Readable } from 'node:stream';
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
import type { Parameter } from '../../core/http/parameter.ts';
import { required, shortText } from '../../core/http/query.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { sendParts } from '../../core/http/stream-reply.ts';
import { countSchema, listOf, objectOf, orNull, textOrNull, textSchema } from '../../core/shapes.ts';
import { publication } from '../publish/rows.ts';
import { archiveBytes, archivedContent } from './archive.ts';
import { ARCHIVE } from './archive-name.ts';
import { beginRange, partOf } from './byte-range.ts';
import { FILES } from './crate.ts';
import { seesReleases } from './datasets.ts';
import {
  listReleases,
  type Release,
  releaseNamed,
  requestRelease,
  requirePresent,
  unknownRelease,
  withdrawRelease,
} from './releases.ts';

const digest = { ...textSchema, description: 'SHA-256 in hexadecimal digits.' } as const;

export const releaseSchema = objectOf({
  name: textSchema,
  notes: textOrNull,
  state: { enum: ['making', 'done', 'failed', 'withdrawn'] },
  reason: {
    ...textOrNull,
    description: 'Why it has failed, and can be requested again, or why it was withdrawn.',
  },
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
    name,
    notes,
    state,
    reason: reason ?? null,
    progress: state === 'making' ? progress : null,
    revision,
    time,
    by: isSteward ? by : null,
    title: publish.title ?? null,
    publisher: publish.publisher ?? null,
    license: publish.license,
    schema,
    records: made?.records ?? null,
    changes: made?.changes ?? null,
    size: made?.size ?? null,
    digest: made?.digest ?? null,
    files: (state === 'done' && made ? made.files : []).map(({ path, mediaType, size, digest }) => ({
      path,
      media_type: mediaType,
      size,
      digest,
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
  return administratorOf(call) === undefined
    ? enterFiles(call)
    : { ...(await enterForAdministration(call)), isSteward: true, sees: true };
});

/** Enters for reading the records of a release: an admin token grants no access to records. @throws ServiceError `permission_missing` */
const enterFiles = needing('curated', async (call): Promise<ReleaseAccess> => {
  const { collection, grant } = await enterToRead(call);
  return { collection, isSteward: grant.permissions.curate, sees: seesReleases(collection, grant) };
});

/** Only stewards see releases that are not made yet, or could not be made. */
function isVisible({ isSteward }: ReleaseAccess, { state }: Release): boolean {
  return isSteward || state === 'done' || state === 'withdrawn';
}

async function visibleReleases(access: ReleaseAccess): Promise<Release[]> {
  const all = access.sees ? await listReleases(access.collection) : [];
  return all.filter((release) => isVisible(access, release));
}

/** @throws ServiceError `release_unknown` */
async function visibleRelease(access: ReleaseAccess, call: Call): Promise<Release> {
  const { collection, sees } = access;
  const name = inPath(call, 'name');
  const release = sees ? await releaseNamed(collection, name) : unknownRelease(collection, name);
  return isVisible(access, release) ? release : unknownRelease(collection, name);
}

/** GET of a file of a release, or of the archive with all of them: a part of it, if the request asks for one. */
async function readFile(access: ReleaseAccess, _: object, call: Call): Promise<FastifyReply> {
  const { collection } = access;
  const release = await visibleRelease(access, call);
  requirePresent(collection, release);
  const path = inPath(call, 'file');
  const { name, attempt, made } = release;
  const file = made?.files.find((one) => one.path === path);
  if (!made || (!file && path !== ARCHIVE)) return unknownRelease(collection, `${name}/${path}`);
  keepForADay(call);
  const { size, digest } = file ?? made;
  const etag = `"${digest.slice(0, TAG_LENGTH)}"`;
  if (clientHas(call, etag)) return call.reply.code(304).send();
  const range = beginRange(call, size, etag);
  call.reply.header('content-length', range.to - range.from);
  if (!file) {
    const title = `${collection.name.replace(/[^\w.-]/g, '-')}-${name}.zip`;
    call.reply.header('content-disposition', `attachment; filename="${title}"`);
  }
  const mediaType = file?.mediaType ?? 'application/zip';
  if (call.request.method === 'HEAD')
    return sendParts(call.reply, mediaType, Readable.from([]), async () => {});
  const { database } = collection;
  const bytes = file
    ? partOf(archivedContent(database, attempt, file), range)
    : archiveBytes(database, attempt, range);
  return sendParts(call.reply, mediaType, bytes, async () =>
    requirePresent(collection, await visibleRelease(await enterFiles(call), call)),
  );
}

const TAG_LENGTH = 40;

/**
 * A release never changes, but it can be withdrawn: then no cache has it for longer than a day. Releases that only a token shows
 * are for its bearer alone.
 */
function keepForADay({ request, reply }: Call): void {
  const isPublic = request.acceptedToken === undefined;
  reply.header('cache-control', `${isPublic ? 'public' : 'private'}, max-age=86400`);
}

const path = '/-/{collection}/releases';
const readers =
  'Requires permission to read the curated area. With policies in force, only curators read releases.';

const reasonText = required(shortText('Why it is withdrawn, for all who read releases.', 2000));
const withdrawalReason: Parameter<string> = {
  ...reasonText,
  read: (given) => reasonText.read(given)?.trim() || undefined,
};

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
      return reportOf(release, access.isSteward);
    }),
  }),
  row('GET', `${path}/{name}/{file}`, 'release.file', {
    ...publication,
    conditional: true,
    summary: 'Read a file of a release, or all of them as `crate.zip`',
    description: `${readers} \`Range\` asks for a part of it, \`If-Range\` for a part if it is the same file.`,
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
      206: { description: 'The range that the request asks for.' },
      ...UNCHANGED,
    },
    refusals: [410, 416],
    ...replying(enterFiles, {}, readFile),
  }),
  row('DELETE', `${path}/{name}`, 'release.withdraw', {
    tag: 'Publication',
    summary: 'Withdraw a release: its files are removed, its name, digest and the reason stay',
    description: 'One that is not done is removed, and its name is free again.',
    answers: {
      200: jsonAnswer('The withdrawn release; null if it was not done.', orNull(releaseSchema)),
    },
    refusals: [410],
    ...replying(
      enterForAdministration,
      { reason: withdrawalReason },
      async ({ collection }, { reason }, call) => {
        const withdrawn = await withdrawRelease(collection, inPath(call, 'name'), reason);
        return withdrawn ? reportOf(withdrawn, true) : null;
      },
    ),
  }),
];
