/** Citations, and the page of a release. */
import type { FastifyReply } from 'fastify';
import type { Grant } from '../../core/access/grant.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { readSettings } from '../../core/collections/settings.ts';
import { ServiceError } from '../../core/errors.ts';
import { type Call, type Endpoint, inPath, row } from '../../core/http/endpoint.ts';
import { UNCHANGED } from '../../core/http/endpoints/schemas.ts';
import { enterArea, enterThen, enterToRead } from '../../core/http/enter.ts';
import { sendTagged } from '../../core/http/etag.ts';
import { originOf } from '../../core/http/origin.ts';
import { choice, parameterRefused, textParameter } from '../../core/http/query.ts';
import { contentTypeOf, sendText } from '../../core/http/reply.ts';
import { replying } from '../../core/http/replying.ts';
import { textSchema } from '../../core/shapes.ts';
import { PAGE_POLICY } from '../publish/page.ts';
import type { ReadContext } from '../publish/publication.ts';
import { publication } from '../publish/rows.ts';
import { publicUrls } from '../publish/signposting.ts';
import { seesReleases } from '../releases/datasets.ts';
import { type Release, releaseNamed, requirePresent, unknownRelease } from '../releases/releases.ts';
import { citationOfRecord, citationOfRelease } from './citation.ts';
import { CITATION_FORMATS, FORMAT_NAMES, type FormatName } from './formats.ts';
import { releasePage } from './release-page.ts';

type Reading = ReadContext & { readonly grant: Grant };

const enterForCitation = enterThen(enterArea, async ({ collection, area, grant }): Promise<Reading> => {
  const isRead = grant.permissions.readCurated;
  const curated = isRead ? await collection.seen(collection.curated, area.visibility()) : undefined;
  return { collection, area, curated, grant };
});

const parameters = {
  pid: textParameter('The record that is cited.'),
  release: textParameter('The release that is cited, in place of a record.'),
  format: choice('The format of the citation.', FORMAT_NAMES, 'text'),
};

type Asked = {
  readonly pid?: string | undefined;
  readonly release?: string | undefined;
  readonly format: FormatName;
};

async function sendCitation(
  reading: Reading,
  { pid, release, format }: Asked,
  call: Call,
): Promise<FastifyReply> {
  const { collection, area, grant } = reading;
  const origin = originOf(call);
  const { mediaType, suffix, write } = CITATION_FORMATS[format];
  if ((pid === undefined) === (release === undefined))
    throw parameterRefused('pid', pid ?? '', "either 'pid' or 'release'");
  if (release !== undefined) {
    const named = await presentRelease(collection, grant, release);
    requirePresent(collection, named);
    return sendText(call.reply, mediaType, write(await citationOfRelease(reading, named, origin)));
  }
  const found = await area.read(pid!);
  if (!found) throw new ServiceError('record_missing', `The record '${pid}' does not exist.`);
  const citation = await citationOfRecord(reading, found, origin);
  call.reply.header('content-disposition', `inline; filename="${citation.key}.${suffix}"`);
  return sendText(call.reply, mediaType, write(citation));
}

/** A release that is done, or was withdrawn. @throws ServiceError `release_unknown` */
async function presentRelease(collection: Collection, grant: Grant, name: string): Promise<Release> {
  const isSeen = grant.permissions.readCurated && seesReleases(collection, grant);
  const release = isSeen ? await releaseNamed(collection, name) : unknownRelease(collection, name);
  return release.state === 'done' || release.state === 'withdrawn'
    ? release
    : unknownRelease(collection, name);
}

async function sendReleasePage(collection: Collection, grant: Grant, call: Call): Promise<FastifyReply> {
  const release = await presentRelease(collection, grant, inPath(call, 'name'));
  const origin = originOf(call);
  const { cite: { funders = [] } = {} } = await readSettings(collection);
  const urls = publicUrls(origin, collection.name);
  const citation = await citationOfRelease({ collection }, release, origin);
  const page = releasePage({ release, citation, funders, urlOf: urls.below });
  call.reply.header('content-security-policy', PAGE_POLICY).header('referrer-policy', 'no-referrer');
  return sendTagged(call, contentTypeOf('text/html'), page);
}

export const citeEndpoints: readonly Endpoint[] = [
  row('GET', '/-/{collection}/cite', 'cite', {
    ...publication,
    summary: 'Cite a record or a release',
    description: 'Creators, DOIs and funders of the collection are the key `cite` of its settings.',
    answers: {
      200: {
        description: 'The citation.',
        content: Object.fromEntries(
          Object.values(CITATION_FORMATS).map(({ mediaType }) => [mediaType, { schema: textSchema }]),
        ),
      },
    },
    refusals: [404, 410],
    ...replying(enterForCitation, parameters, sendCitation),
  }),
  row('GET', '/-/{collection}/release/{name}', 'release.page', {
    ...publication,
    conditional: true,
    summary: 'A release as a page for people',
    answers: {
      200: { description: 'The page.', content: { 'text/html': { schema: textSchema } } },
      ...UNCHANGED,
    },
    refusals: [404],
    ...replying(enterToRead, {}, ({ collection, grant }, _, call) =>
      sendReleasePage(collection, grant, call),
    ),
  }),
];
