/** A collection in the web of data: a page for each record and its other representations, under one URL, and a sitemap. */
import type { FastifyReply } from 'fastify';
import type { ReadRecord } from '../../core/collections/area.ts';
import { documentOf } from '../../core/collections/documents.ts';
import { ServiceError } from '../../core/errors.ts';
import { FORMATS, type FormatName } from '../../core/formats/formats.ts';
import { type Call, type Endpoint, inPath, row } from '../../core/http/endpoint.ts';
import { pid } from '../../core/http/endpoints/record-parameters.ts';
import { inAnyFormat, ref, UNCHANGED } from '../../core/http/endpoints/schemas.ts';
import { type EnteredArea, enterArea, enterThen, enterToRead, whileEntered } from '../../core/http/enter.ts';
import { sendTagged } from '../../core/http/etag.ts';
import { originOf } from '../../core/http/origin.ts';
import { integer } from '../../core/http/query.ts';
import { contentTypeOf } from '../../core/http/reply.ts';
import { replying } from '../../core/http/replying.ts';
import { inChunks, sendParts } from '../../core/http/stream-reply.ts';
import { textSchema } from '../../core/shapes.ts';
import { runIfLong } from '../../core/work/pool.ts';
import { citationsOf } from './citation-links.ts';
import { codes } from './codes.ts';
import type { PublishedRecord } from './landing-page.ts';
import { acceptedType } from './negotiate.ts';
import { messagePage, PAGE_POLICY } from './page.ts';
import {
  type ChangedRecord,
  changedRecords,
  metadataOf,
  type ReadContext,
  recordContextOf,
  resourceOf,
} from './publication.ts';
import { publication } from './rows.ts';
import { publicUrls, signposts } from './signposting.ts';
import { PAGES_OF_SITEMAP, type SitemapEntry, sitemap } from './sitemap.ts';
import { pageIn } from './tasks.ts';

/** The statuses of pages without a record. */
const STATUSES = { record_missing: 404, ...codes } as const;
const HTML = 'text/html';
const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[];
const TYPES = [HTML, ...FORMAT_NAMES.map((name) => FORMATS[name].mediaType)];

/** GET of a record in the representation that the client prefers. */
async function readResource(
  context: ReadContext,
  { pid }: { readonly pid: string },
  call: Call,
): Promise<FastifyReply> {
  const { reply } = call;
  const type = acceptedType(call, TYPES);
  const found = await resourceOf(context, pid);
  const urls = publicUrls(originOf(call), context.collection.name);
  switch (found.kind) {
    case 'record':
      return sendRecord(call, context, found, type);
    case 'moved':
      return reply.code(301).header('location', urls.ofRecord(found.record.pid)).send();
    case 'deleted':
      return sendMissing(
        call,
        type,
        'record_deleted',
        `The record '${pid}' was deleted on ${found.time.slice(0, 10)}.`,
      );
    case 'missing':
      return sendMissing(call, type, 'record_missing', `The record '${pid}' does not exist.`);
  }
}

/** The collection, and what the caller reads of it. */
const enterForPage = enterThen(enterArea, async ({ collection, area, grant }): Promise<ReadContext> => {
  const isRead = grant.permissions.readCurated;
  const curated = isRead ? await collection.seen(collection.curated, area.visibility()) : undefined;
  return { collection, area, curated };
});

async function sendRecord(
  call: Call,
  context: ReadContext,
  found: ReadRecord,
  type: string,
): Promise<FastifyReply> {
  const { service, reply } = call;
  const { schema, name } = context.collection;
  const { record } = found;
  const publishing = await metadataOf(context);
  const urls = publicUrls(originOf(call), name, publishing.base);
  const formats = FORMAT_NAMES.map((format) => {
    const { title, mediaType } = FORMATS[format];
    return { title, mediaType, url: urls.inFormat(record.pid, format) };
  });
  const { pid, iri, className, json } = record;
  const url = urls.ofRecord(pid, iri);
  const classUri = schema.classes.get(className)?.uri;
  const { license } = publishing;
  const signpost = signposts({ url, license, classUri, formats, list: urls.list });
  if (signpost !== undefined) reply.header('link', signpost);
  const format = FORMAT_NAMES.find((one) => FORMATS[one].mediaType === type);
  if (format)
    return sendTagged(call, contentTypeOf(type), await documentOf(service.pool, schema, record, format));
  const { modified, to, from, referrers } = await recordContextOf(context, found);
  const linked = (row: (typeof to)[number]) => ({
    pid: row.pid,
    title: row.title,
    url: urls.ofRecord(row.pid),
  });
  const published: PublishedRecord = {
    collection: name,
    publishing,
    pid,
    iri,
    className,
    json,
    url,
    modified,
    formats,
    citations: citationsOf(context.collection, pid).map(({ title, path }) => ({
      title,
      url: urls.below(path),
    })),
    targets: new Map(to.flatMap((row) => (row.in === null ? [] : [[row.path, linked(row)]]))),
    referrers: [...new Map(from.map((row) => [row.pid, linked(row)])).values()],
    referrerCount: referrers,
  };
  const page = await runIfLong(service.pool, pageIn, { schema, published }, json.length);
  reply.header('content-security-policy', PAGE_POLICY).header('referrer-policy', 'no-referrer');
  return sendTagged(call, contentTypeOf(HTML), page);
}

/** Responds that a record is missing or deleted: to people with a page. */
function sendMissing(
  { reply }: Call,
  type: string,
  code: 'record_missing' | 'record_deleted',
  message: string,
): FastifyReply {
  if (type !== HTML) throw new ServiceError(code, message);
  const title = code === 'record_deleted' ? 'Deleted record' : 'No such record';
  return reply
    .code(STATUSES[code])
    .header('accession-error', code)
    .header('content-security-policy', PAGE_POLICY)
    .header('content-type', contentTypeOf(HTML))
    .send(messagePage(title, message));
}

const sitemapParameters = {
  after: integer(
    'The records that have changed behind this number: from the index of sitemaps.',
    undefined,
    0,
  ),
};

/** GET of the URLs of all curated records, or of sitemaps if there are too many for one. */
async function readSitemap(
  entered: EnteredArea,
  { after }: { readonly after: number | undefined },
  call: Call,
): Promise<FastifyReply> {
  const { collection, area } = entered;
  const curated = await collection.seen(collection.curated, area.visibility());
  const origin = originOf(call);
  const isIndex = after === undefined && (await curated.count({})) > PAGES_OF_SITEMAP;
  const records = changedRecords(curated, after ?? 0);
  const urls = publicUrls(origin, collection.name);
  const lines = isIndex
    ? sitemap('sitemapindex', sitemapsOf(records, urls.sitemap))
    : sitemap('urlset', pagesOf(records, urls.ofRecord));
  const stillAllowed = whileEntered(call, enterToRead, entered);
  return sendParts(call.reply, 'application/xml; charset=utf-8', inChunks(lines), stillAllowed);
}

async function* pagesOf(
  records: AsyncIterable<ChangedRecord>,
  urlOf: (pid: string) => string,
): AsyncGenerator<SitemapEntry> {
  let pages = 0;
  for await (const { pid, time } of records) {
    yield { url: urlOf(pid), modified: time };
    if (++pages === PAGES_OF_SITEMAP) return;
  }
}

/** One sitemap for each run of records, named by the number of the last record before it. */
async function* sitemapsOf(records: AsyncIterable<ChangedRecord>, url: string): AsyncGenerator<SitemapEntry> {
  let pages = 0;
  let last = 0;
  for await (const { number } of records) {
    if (pages++ % PAGES_OF_SITEMAP === 0) yield { url: `${url}?after=${last}` };
    last = number;
  }
}

const page = { [HTML]: { schema: textSchema } };
const published = inAnyFormat('The record.', ref('Record'));
/** People get a page, too, if the record is missing. */
const noRecord = (description: string) => ({
  description,
  content: { ...page, 'application/json': { schema: ref('Error') } },
});

const resource = {
  ...publication,
  conditional: true,
  summary: 'A record as a page or as data, whichever `Accept` prefers',
  answers: {
    200: { ...published, content: { ...page, ...(published.content as object) } },
    301: { description: 'The record was renamed or merged: `Location` is where it is now.' },
    404: noRecord('There is no such record or collection.'),
    410: noRecord('The curated record was deleted; the message has the date.'),
    ...UNCHANGED,
  },
  refusals: [406],
} as const;

export const resourceEndpoints: readonly Endpoint[] = [
  row('GET', '/-/{collection}/resource/{+pid}', 'resource', {
    ...resource,
    description:
      'Its headers `Link` name the other representations, the license and the list that it is part of.',
    ...replying(enterForPage, {}, (context, _, call) =>
      readResource(context, { pid: inPath(call, '*') }, call),
    ),
  }),
  row('GET', '/-/{collection}/resource', 'resource-by-pid', {
    ...resource,
    description: 'The same with the pid in the query, which proxies leave as it is.',
    ...replying(enterForPage, { pid }, readResource),
  }),
  row('GET', '/-/{collection}/sitemap.xml', 'sitemap', {
    ...publication,
    summary: 'The URLs of all curated records, for crawlers',
    description: 'More than 50,000 records are in several sitemaps, of which this is the index.',
    answers: {
      200: { description: 'The sitemap.', content: { 'application/xml': { schema: textSchema } } },
    },
    ...replying(enterToRead, sitemapParameters, readSitemap),
  }),
];
