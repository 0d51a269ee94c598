/** OAI-PMH 2.0: the curated records for harvesters. A refusal by the protocol is a document with status 200. */
import type { FastifyReply } from 'fastify';
import { decodeBody } from '../../../core/formats/body-text.ts';
import { element, type Html } from '../../../core/formats/html.ts';
import { bodyBytes } from '../../../core/http/body.ts';
import { type Call, type Endpoint, row } from '../../../core/http/endpoint.ts';
import { enterToRead } from '../../../core/http/enter.ts';
import { originOf } from '../../../core/http/origin.ts';
import { sendText } from '../../../core/http/reply.ts';
import { textSchema } from '../../../core/shapes.ts';
import { presentTime } from '../../../core/storage/times.ts';
import { metadataOf, timesOfChanges } from '../publication.ts';
import { publication } from '../rows.ts';
import { publicUrls } from '../signposting.ts';
import {
  argumentsOf,
  badToken,
  type ListRequest,
  listRequest,
  type OaiRequest,
  tokenOf,
} from './arguments.ts';
import {
  boundsBy,
  type HarvestedRecord,
  type HarvestSource,
  harvest,
  harvestedRecords,
  isKept,
  lastChange,
  lineOf,
} from './harvest.ts';
import { METADATA_FORMATS, type MetadataPrefix } from './metadata-formats.ts';
import {
  dateOf,
  errorElement,
  formatElements,
  headerElement,
  OaiError,
  type OaiHeader,
  oaiDocument,
  recordElement,
} from './oai.ts';

/** Records of a page, and headers. */
const PAGE = { ListRecords: 100, ListIdentifiers: 500 } as const;
/** In place of an address that is not set: the protocol requires one. */
const NO_CONTACT = 'contact-not-set@example.invalid';

const VERBS: Readonly<
  Record<string, (from: HarvestSource, args: OaiRequest, base: string) => Promise<Html>>
> = {
  Identify: identify,
  ListMetadataFormats: listFormats,
  ListSets: listSets,
  GetRecord: getRecord,
  ListRecords: (from, args) => list(from, args, 'ListRecords'),
  ListIdentifiers: (from, args) => list(from, args, 'ListIdentifiers'),
};

async function answer(call: Call, readQuery: () => Promise<string>): Promise<FastifyReply> {
  const time = new Date();
  const { collection, area } = await enterToRead(call);
  const curated = await collection.seen(collection.curated, area.visibility());
  const { base } = await metadataOf({ collection });
  const urls = publicUrls(originOf(call), collection.name, base);
  const from = { collection, curated, urlOf: urls.ofRecord, pool: call.service.pool };
  const send = (request: Readonly<Record<string, string>>, content: Html) =>
    sendText(call.reply, 'text/xml', oaiDocument(urls.oai, time, request, content));
  let args: OaiRequest | undefined;
  try {
    args = argumentsOf(await readQuery());
    return send(args, await VERBS[args.verb]!(from, args, urls.oai));
  } catch (error) {
    if (!(error instanceof OaiError)) throw error;
    const isUnread = error.code === 'badArgument' || error.code === 'badVerb';
    return send(isUnread ? {} : (args ?? {}), errorElement(error));
  }
}

async function identify(from: HarvestSource, _: OaiRequest, base: string): Promise<Html> {
  const { collection, curated } = from;
  const { title, contact } = await metadataOf(from);
  const { issued = presentTime() } = await timesOfChanges(curated);
  return element('Identify', [
    element('repositoryName', title ?? collection.schema.title ?? collection.name),
    element('baseURL', base),
    element('protocolVersion', '2.0'),
    element('adminEmail', contact ?? NO_CONTACT),
    element('earliestDatestamp', dateOf(issued)),
    element('deletedRecord', 'persistent'),
    element('granularity', 'YYYY-MM-DDThh:mm:ssZ'),
  ]);
}

async function listFormats(from: HarvestSource, { identifier }: OaiRequest): Promise<Html> {
  if (identifier === undefined) return formatElements();
  const last = await recordOf(from, identifier);
  if (last.kind === 'deleted') return formatElements();
  const at = await from.curated.revision();
  const prefixes: MetadataPrefix[] = [];
  for (const prefix of Object.keys(METADATA_FORMATS) as MetadataPrefix[]) {
    const [record] = await harvestedRecords(from, prefix, [last], at);
    if (record?.metadata !== undefined) prefixes.push(prefix);
  }
  return formatElements(prefixes);
}

async function recordOf(from: HarvestSource, identifier: string) {
  const last = await lastChange(from, identifier);
  if (!last) throw new OaiError('idDoesNotExist', `The record '${identifier}' does not exist.`);
  return last;
}

async function getRecord(
  from: HarvestSource,
  { identifier = '', metadataPrefix = '' }: OaiRequest,
): Promise<Html> {
  const prefix = prefixIn(metadataPrefix);
  const last = await recordOf(from, identifier);
  const [record] = await harvestedRecords(from, prefix, [last], await from.curated.revision());
  const isGone = last.kind === 'deleted';
  if (!record || (record.metadata === undefined && !isGone))
    throw new OaiError(
      'cannotDisseminateFormat',
      `The record '${identifier}' cannot be expressed as '${prefix}'.`,
    );
  return element('GetRecord', recordElement(headerOf(from, record), record.metadata));
}

function prefixIn(prefix: string): MetadataPrefix {
  if (Object.hasOwn(METADATA_FORMATS, prefix)) return prefix as MetadataPrefix;
  const known = Object.keys(METADATA_FORMATS).join(', ');
  throw new OaiError(
    'cannotDisseminateFormat',
    `The format '${prefix}' is unknown, expected one of ${known}.`,
  );
}

/** ListRecords and ListIdentifiers. A resumption token says of which moment the list is, and where it goes on. */
async function list(from: HarvestSource, args: OaiRequest, verb: keyof typeof PAGE): Promise<Html> {
  const line = await lineOf(from);
  const bounds = listRequest(args, line, presentTime());
  const isResumed = args.resumptionToken !== undefined;
  const request: ListRequest = isResumed ? bounds : { ...bounds, ...(await boundsBy(from, bounds)) };
  const prefix = prefixIn(request.prefix);
  const classes = request.set === undefined ? undefined : classesIn(from, request.set);
  const { after, until, at } = request;
  if (args.resumptionToken !== undefined && !(await isKept(from, at)))
    throw new OaiError('badResumptionToken', 'The state of the list is not kept any more. Begin again.');
  const page = { prefix, classes, after, until, at, limit: PAGE[verb] };
  const { records, next } = await harvest(from, page);
  if (records.length === 0 && args.resumptionToken === undefined)
    throw new OaiError('noRecordsMatch', 'No record matches the request.');
  const isRecords = verb === 'ListRecords';
  const items = records.map((record) => {
    const header = headerOf(from, record);
    return isRecords ? recordElement(header, record.metadata) : headerElement(header);
  });
  const token = next === undefined ? '' : tokenOf({ ...request, after: next }, line);
  // The last page of several has an empty one.
  const isWhole = next === undefined && args.resumptionToken === undefined;
  return element(verb, isWhole ? items : [...items, element('resumptionToken', token)]);
}

/** The names that a set may have (2.6). */
const SET_NAME = /^[\w.!~*'()-]+$/;

function setsOf({ schema }: HarvestSource['collection']) {
  return schema.recordClasses.filter((name) => SET_NAME.test(name)).map((name) => schema.classes.get(name)!);
}

async function listSets({ collection }: HarvestSource, { resumptionToken }: OaiRequest): Promise<Html> {
  // The list is one page.
  if (resumptionToken !== undefined) throw badToken();
  return element('ListSets', setsOf(collection).map(setElement));
}

function setElement({ name, title }: ReturnType<typeof setsOf>[number]): Html {
  return element('set', [element('setSpec', name), element('setName', title ?? name)]);
}

function classesIn({ collection }: HarvestSource, set: string): readonly string[] {
  const found = setsOf(collection).find(({ name }) => name === set);
  if (found) return collection.schema.descendants(found.name);
  throw new OaiError('noRecordsMatch', `The set '${set}' does not exist.`);
}

function headerOf({ collection }: HarvestSource, record: HarvestedRecord): OaiHeader {
  const { iri, className, date, metadata } = record;
  const { classes, recordClasses } = collection.schema;
  const ancestors = classes.get(className)?.ancestors ?? [];
  return {
    identifier: iri,
    datestamp: dateOf(date),
    sets: ancestors.filter((name) => SET_NAME.test(name) && recordClasses.includes(name)),
    isDeleted: metadata === undefined,
  };
}

const path = '/-/{collection}/oai';
const shared = {
  ...publication,
  need: enterToRead.need,
  description:
    'The arguments are those of the protocol. What it refuses is a document with an element `error` and status 200.',
  answers: { 200: { description: 'The document.', content: { 'text/xml': { schema: textSchema } } } },
} as const;

export const oaiEndpoints: readonly Endpoint[] = [
  row('GET', path, 'oai', {
    ...shared,
    summary: 'The curated records for harvesters, by OAI-PMH 2.0',
    handle: (call) => answer(call, async () => /\?(.*)$/s.exec(call.request.originalUrl)?.[1] ?? ''),
  }),
  row('POST', path, 'oai.post', {
    ...shared,
    changesNothing: true,
    summary: 'The same, with the arguments in the body',
    body: {
      content: {
        'application/x-www-form-urlencoded': {
          schema: { type: 'object', properties: { verb: textSchema } },
          example: { verb: 'Identify' },
        },
      },
      limit: 16 * 1024,
    },
    handle: (call) => answer(call, async () => decodeBody(await bodyBytes(call))),
  }),
];
