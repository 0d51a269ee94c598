/**
 * The records of an area: store, validate, read, delete (specification 4.1 and 4.2). Every handler works on any area;
 * `server.ts` mounts them three times.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Area, Purpose, Sink, Source } from '../collections/area.ts';
import { requireZoneAccess } from '../collections/areas.ts';
import type { Collection } from '../collections/collection.ts';
import type { FormatName } from '../formats/format.ts';
import { FORMATS } from '../formats/formats.ts';
import { DEFAULT_SIZE, FIRST_PAGE, LIST_LIMITS, MAX_SIZE, readAll, readPage } from '../records/page.ts';
import { type RecordText, resolvePid } from '../records/record.ts';
import { bodyText, checkContentType } from './body.ts';
import { conditionOf, etagOf, knownTag } from './etag.ts';
import { rememberedPage } from './page-cache.ts';
import { choice, flag, integer, type Query, readParameters, requiredText, text } from './query.ts';
import { type Handler, sendJson } from './reply.ts';
import type { OpenGrant, OpenTarget } from './targets.ts';
import { turtleOf } from './turtle-cache.ts';

const format = choice<FormatName>(['json', 'ttl'], 'json');
const pid = requiredText('the pid of a record');
const storeParameters = { format, add_submission_tag: flag(false) };
const recordParameters = { pid, format };
const listParameters = { format, matching: text() };
const pageParameters = {
  ...listParameters,
  page: integer(FIRST_PAGE, FIRST_PAGE),
  size: integer(DEFAULT_SIZE, 1, MAX_SIZE),
};

/** POST of one object of a class. Answers with all stored records, or with `null` (specification 4.1 and 4.2). */
export function storeRecord(open: OpenTarget, answer: 'records' | 'null'): Handler {
  return async (request, reply) => {
    const { collection, sink, format, texts } = await receive(open, 'submit to', request);
    const [version] = await sink.write(texts, conditionOf(request.headers));
    if (version) reply.header('etag', etagOf(version, format));
    if (answer === 'null') return sendJson(reply, 'null');
    if (format === 'ttl')
      return sendTurtle(reply, texts.map((one) => turtleOf(collection.schema, one)).join('\n'));
    return sendJson(reply, `[${texts.map((one) => collection.typed(one)).join(',')}]`);
  };
}

/** The same without storing anything. */
export function validateRecord(open: OpenTarget): Handler {
  return async (request, reply) => {
    await receive(open, 'validate records for', request);
    return sendJson(reply, 'true');
  };
}

/** GET of one record by its pid: the record, or `null` where there is none. */
export function readRecord(open: OpenTarget): Handler {
  return async (request, reply) => {
    const { collection, area } = await open(request);
    const source = await area.source();
    const { pid, format } = readParameters(request.query as Query, recordParameters);
    const found = await source.find(resolvePid(collection.schema, pid));
    if (!found) return sendJson(reply, 'null');
    const etag = etagOf(found.version, format);
    const known = knownTag(request.headers['if-none-match'], etag);
    reply.header('etag', known ?? etag);
    if (known !== undefined) return reply.code(304).send();
    if (format === 'ttl') return sendTurtle(reply, turtleOf(collection.schema, found.record));
    return sendJson(reply, found.record.json);
  };
}

/** DELETE of one record by its pid. */
export function deleteRecord(open: OpenTarget): Handler {
  return async (request, reply) => {
    const { area } = await open(request);
    const sink = await area.sink('delete records from');
    const { pid: given } = readParameters(request.query as Query, { pid });
    await sink.remove(given, conditionOf(request.headers));
    return sendJson(reply, 'true');
  };
}

/** GET of all records, or of all of a class, as one array. */
export function listRecords(open: OpenTarget): Handler {
  return async (request, reply) => {
    const { collection, area } = await open(request);
    const { view } = await area.source();
    const { format, matching } = readParameters(request.query as Query, listParameters);
    const className = classIn(request);
    const paged = `/${collection.name}${area.path}/records/p/${className ?? ''}`;
    const records = await readAll(view, selection(area, className, matching), LIST_LIMITS[format], paged);
    return sendJson(reply, `[${items(collection, records, format)}]`);
  };
}

/** The same in pages (specification 2.2). */
export function pageRecords(open: OpenTarget): Handler {
  return async (request, reply) => {
    const { collection, area } = await open(request);
    const source = await area.source();
    const parameters = readParameters(request.query as Query, pageParameters);
    const className = classIn(request);
    const make = () => pageBody(collection, area, source, className, parameters);
    // What a zone that is being emptied answers depends on the time as well.
    if (source.emptying) return sendJson(reply, await make());
    const { format, matching, page, size } = parameters;
    const settings = [area.path, className, format, matching, page, size];
    return sendJson(reply, await rememberedPage(collection, source, settings, make));
  };
}

async function pageBody(
  collection: Collection,
  area: Area,
  { view, emptying }: Source,
  className: string | undefined,
  parameters: { format: FormatName; matching: string | undefined; page: number; size: number },
): Promise<string> {
  const selected = selection(area, className, parameters.matching);
  const { page, size } = parameters;
  const { records, total, pages } = await readPage(view, selected, page, size, emptying);
  const array = items(collection, records, parameters.format);
  return `{"items":[${array}],"total":${total},"page":${page},"size":${size},"pages":${pages}}`;
}

type Received = {
  readonly collection: Collection;
  readonly sink: Sink;
  readonly format: FormatName;
  readonly texts: RecordText[];
};

/** What store and validate share, in this order: authenticate, authorise, parse, validate. */
async function receive(open: OpenTarget, purpose: Purpose, request: FastifyRequest): Promise<Received> {
  const { collection, area } = await open(request);
  const sink = await area.sink(purpose);
  const { format, add_submission_tag: addSubmissionTag } = readParameters(
    request.query as Query,
    storeParameters,
  );
  const body = bodyText(request.body);
  checkContentType(request.headers['content-type'], format);
  const className = classIn(request) ?? '';
  const value = FORMATS[format].parse(body, className, collection.schema);
  return { collection, sink, format, texts: sink.prepare(className, value, { addSubmissionTag }) };
}

function classIn(request: FastifyRequest): string | undefined {
  return (request.params as { class?: string }).class;
}

function selection(area: Area, className: string | undefined, matching: string | undefined) {
  return { classes: className === undefined ? undefined : area.classesOf(className), matching };
}

/** The items of an array, from texts that are not parsed: records as they are, Turtle documents as strings. */
function items(collection: Collection, records: readonly RecordText[], format: FormatName): string {
  if (format === 'json') return records.map(({ json }) => json).join(',');
  return records.map((record) => JSON.stringify(turtleOf(collection.schema, record))).join(',');
}

function sendTurtle(reply: FastifyReply, document: string): FastifyReply {
  return reply.header('content-type', 'text/turtle; charset=utf-8').send(document);
}

/** GET of the labels of all incoming zones of a collection (specification 4.2). */
export function listLabels(open: OpenGrant): Handler {
  return async (request, reply) => {
    const { collection, grant } = await open(request);
    requireZoneAccess(collection, grant);
    return sendJson(reply, JSON.stringify(await collection.zones.labels()));
  };
}
