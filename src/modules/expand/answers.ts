/** Reads that include what records refer to: everything of one revision, with an entity tag, so that an unchanged one is a 304. */
import { deserialize } from 'node:v8';
import type { FastifyReply } from 'fastify';
import { nearest } from '#linkml/suggestions.ts';
import type { AreaReads, Moment } from '../../core/collections/area.ts';
import { documentOrNoteOf } from '../../core/collections/documents.ts';
import { FORMATS, type FormatName } from '../../core/formats/formats.ts';
import type { Call, ReadExtension } from '../../core/http/endpoint.ts';
import { exportParameters, type StreamReads, sendStream } from '../../core/http/endpoints/export.ts';
import {
  filterOf,
  listParameters,
  markIgnored,
  pageParameters,
  recordParameters,
} from '../../core/http/endpoints/record-parameters.ts';
import { inAnyFormat, jsonAnswer, NULL, ref } from '../../core/http/endpoints/schemas.ts';
import type { EnteredArea } from '../../core/http/enter.ts';
import { clientHas, tagOf } from '../../core/http/etag.ts';
import type { ValuesOf } from '../../core/http/parameter.ts';
import { choice, listParameter, parameterRefused, textParameter } from '../../core/http/query.ts';
import { noteRevision, refuseMatching, requireMatching } from '../../core/http/reads.ts';
import { sendJson, sendText } from '../../core/http/reply.ts';
import { extendedRead } from '../../core/http/replying.ts';
import type { RecordText, ReferenceSource } from '../../core/records/record.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { SCHEMA_TYPE } from '../../core/schema-type.ts';
import { listOf, objectOf, textSchema } from '../../core/shapes.ts';
import { LONG_BODY, type Pool } from '../../core/work/pool.ts';
import { yielder } from '../../core/yield.ts';
import { Expansion, type ExpansionInput } from './expansion.ts';
import { EXPANSION_LIMITS, IN_EXPORT, parsePaths } from './paths.ts';
import { expandedIn, referencesIn, referralsIn } from './tasks.ts';
import { type ExpansionTexts, expansionTexts, type ReferenceRun } from './texts.ts';

const expansionParameters = {
  expand: {
    ...textParameter(
      'Includes what records refer to: paths of slots with dots, separated by commas; `+` repeats the last step, ' +
        '`^slot` or `^slot(Class)` leads to what refers to a record.',
    ),
    schema: { type: 'string', minLength: 1 },
  },
  fields: listParameter(
    `Only these slots of each record, beside \`pid\`, \`${SCHEMA_TYPE}\` and those of \`expand\`.`,
  ),
  shape: choice(
    'Where included records are: `inline` in place of the references to them, or in a `graph` once, under `included`.',
    ['inline', 'graph'],
    'inline',
  ),
};

type ExpansionQuery = ValuesOf<typeof expansionParameters> & {
  readonly format: FormatName;
  readonly at: Moment | undefined;
  readonly matching?: string | undefined;
};

/** What a response is made with. */
type ExpansionRequest = {
  readonly reads: AreaReads & ReferenceSource;
  readonly input: ExpansionInput;
  readonly query: ExpansionQuery;
  /** Where long documents are written. */
  readonly pool: Pool;
  /** Identifies the state that is read. */
  readonly state: string;
  /** Whether the area is one that curators see all of: then its state stands for the response. */
  readonly isComplete: boolean;
  /** Whether the client has the response already. */
  readonly isUnchanged: boolean;
};

/** Fixes the moment that everything is read at, and compares entity tags. */
async function begin(
  call: Call,
  { collection, area }: EnteredArea,
  query: ExpansionQuery,
): Promise<ExpansionRequest> {
  const { expand, fields, at, matching } = query;
  const { schema } = collection;
  const paths = expand === undefined ? [] : parsePaths(schema, expand);
  if ('problem' in paths) throw parameterRefused('expand', expand ?? '', paths.problem);
  for (const name of fields ?? []) requireSlot(schema, name);
  refuseMatching(collection, matching, expand === undefined ? 'fields' : 'expand');
  const present = { revisions: (await area.state()).revision.split('.').map(Number) };
  const reads = await area.at(at ?? present);
  const { cacheKey = '', revision } = await reads.state();
  noteRevision(call, area, revision);
  const isComplete = call.endpoint.area !== 'user';
  const { pool } = call.service;
  const input = { schema, paths, fields, texts: textsIn(pool, schema) };
  const isUnchanged = isComplete && clientHas(call, tagOf(JSON.stringify([cacheKey, call.request.url])));
  return { reads, input, query, pool, state: cacheKey, isComplete, isUnchanged };
}

/** Reads and writes long records in threads. */
function textsIn(pool: Pool, schema: Schema): ExpansionTexts {
  const here = expansionTexts(schema);
  const isShort = ({ json }: RecordText) => json.length < LONG_BODY;
  const longOf = ({ className, json }: RecordText) => ({ schema, className, json });
  return {
    references: (record) => (isShort(record) ? here.references(record) : referencesOf(pool, longOf(record))),
    write: (record, edits) =>
      isShort(record) ? here.write(record, edits) : pool.run(expandedIn, { ...longOf(record), edits }),
    referrals: (record, iris) =>
      isShort(record) ? here.referrals(record, iris) : pool.run(referralsIn, { ...longOf(record), iris }),
  };
}

async function* referencesOf(pool: Pool, record: Parameters<typeof referencesIn.here>[0]) {
  const yieldIfDue = yielder();
  for (const part of await pool.run(referencesIn, record)) {
    yield* deserialize(part) as ReferenceRun[];
    await yieldIfDue();
  }
}

/** @throws ServiceError `parameter_invalid` */
function requireSlot(schema: Schema, name: string): void {
  const classes = [...schema.classes.values()];
  if (name === SCHEMA_TYPE || classes.some(({ slots }) => slots.has(name))) return;
  const meant = nearest(
    name,
    classes.flatMap(({ slots }) => [...slots.keys()]),
  );
  const such = meant === undefined ? '' : `, such as '${meant}'`;
  throw parameterRefused('fields', name, `slots of the schema${such}`);
}

/** Sends a body. If its entity tag does not stand for what was read, it stands for the body. */
function send(
  call: Call,
  { isComplete }: ExpansionRequest,
  body: string | Buffer,
  mediaType?: string,
): FastifyReply {
  if (!isComplete && clientHas(call, tagOf(body))) return call.reply.code(304).send();
  return mediaType === undefined ? sendJson(call.reply, body) : sendText(call.reply, mediaType, String(body));
}

/** GET of one record with what it includes. */
async function sendRecord(
  call: Call,
  entered: EnteredArea,
  query: ExpansionQuery & { readonly pid: string },
): Promise<FastifyReply> {
  const request = await begin(call, entered, query);
  if (request.isUnchanged) return call.reply.code(304).send();
  const found = await request.reads.read(query.pid);
  if (!found) return send(call, request, 'null');
  const expansion = await Expansion.of(request.input, request.reads, [found.record]);
  const text = await textOf(request, expansion, found.record);
  const { isJson, mediaType } = FORMATS[query.format];
  return send(call, request, text, isJson ? undefined : mediaType);
}

/** GET of a list of records with what they include. */
async function sendList(call: Call, entered: EnteredArea, query: ExpansionQuery): Promise<FastifyReply> {
  markIgnored(call, entered.collection, query.matching);
  const request = await begin(call, entered, query);
  if (request.isUnchanged) return call.reply.code(304).send();
  const records = await request.reads.list(filterOf(call, query.matching), FORMATS[query.format].mostListed);
  const { items, graph } = await itemsOf(request, records);
  const body =
    query.shape === 'inline' ? bytesOf('[', items, ']') : bytesOf('{"items":[', items, `]${graph}}`);
  return send(call, request, body);
}

/** GET of a page of records with what they include. */
async function sendPage(
  call: Call,
  entered: EnteredArea,
  query: ExpansionQuery & { readonly page: number; readonly size: number },
): Promise<FastifyReply> {
  markIgnored(call, entered.collection, query.matching);
  const request = await begin(call, entered, query);
  if (request.isUnchanged) return call.reply.code(304).send();
  const cache = entered.collection.pages;
  const key = JSON.stringify(['expanded', call.request.url]);
  const known = cache.get(key, request.state);
  if (known) return send(call, request, known);
  const selection = filterOf(call, query.matching);
  const { records, total, page, size, pages } = await request.reads.page(selection, query.page, query.size);
  const { items, graph } = await itemsOf(request, records);
  const numbers = `"total":${total},"page":${page},"size":${size},"pages":${pages}`;
  const body = bytesOf('{"items":[', items, `]${graph},${numbers}}`);
  cache.set(key, request.state, body);
  return send(call, request, body);
}

/** The reads of an export, and the line or document of each of its records with what it includes; none if the client has it. */
async function streamReads(call: Call, entered: EnteredArea, query: ExpansionQuery): Promise<StreamReads> {
  const request = await begin(call, entered, query);
  const { reads, isUnchanged } = request;
  let left = IN_EXPORT.characters;
  const lineOf = async (record: RecordText) => {
    left += IN_EXPORT.times * record.json.length;
    const characters = Math.min(EXPANSION_LIMITS.characters, left);
    const limits = { ...EXPANSION_LIMITS, characters };
    const expansion = await Expansion.of(request.input, reads, [record], limits);
    const text = await textOf(request, expansion, record);
    left = Math.max(0, left - expansion.characters);
    return text;
  };
  return { reads, ...(!isUnchanged && { lineOf }) };
}

/** One record with what it includes. */
async function textOf(request: ExpansionRequest, expansion: Expansion, record: RecordText): Promise<string> {
  const { query } = request;
  if (!FORMATS[query.format].isJson) return documentsOf(request, expansion, record);
  if (query.shape === 'inline') return (await expansion.inlined(record)).json;
  return `{"record":${await expansion.flat(record)},${await graphOf(request, expansion)}}`;
}

/** The items of a list, and what a graph has beside them. */
async function itemsOf(
  request: ExpansionRequest,
  records: readonly RecordText[],
): Promise<{ readonly items: readonly string[]; readonly graph: string }> {
  const { input, reads, query } = request;
  const expansion = await Expansion.of(input, reads, records);
  const isInline = query.shape === 'inline';
  const items: string[] = [];
  const yieldIfDue = yielder();
  for (const record of records) {
    if (!isInline) items.push(await flatItem(request, expansion, record));
    else if (FORMATS[query.format].isJson) items.push((await expansion.inlined(record)).json);
    else items.push(JSON.stringify(await documentsOf(request, expansion, record)));
    await yieldIfDue();
  }
  return { items, graph: isInline ? '' : `,${await graphOf(request, expansion)}` };
}

/** A list of texts as bytes. Joined, they would be several long strings, which fill the memory of long-lived objects. */
function bytesOf(open: string, items: readonly string[], close: string): Buffer {
  const parts = [open, ...items.flatMap((item, at) => (at === 0 ? [item] : [',', item])), close];
  const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
  let length = 0;
  for (const part of parts) length += bytes.write(part, length);
  return bytes;
}

/** The members `included` and `truncated`. */
async function graphOf(request: ExpansionRequest, expansion: Expansion): Promise<string> {
  const included: string[] = [];
  const yieldIfDue = yielder();
  for (const record of expansion.included) {
    included.push(await flatItem(request, expansion, record));
    await yieldIfDue();
  }
  return `"included":[${included}],"truncated":${JSON.stringify(expansion.truncated)}`;
}

/** A record of a graph as JSON: itself, or its document as a string. */
async function flatItem(
  request: ExpansionRequest,
  expansion: Expansion,
  record: RecordText,
): Promise<string> {
  if (FORMATS[request.query.format].isJson) return expansion.flat(record);
  return JSON.stringify(await documentOf(request, expansion, record));
}

/** A record and what it includes in another format than JSON: the documents of all. */
async function documentsOf(
  request: ExpansionRequest,
  expansion: Expansion,
  record: RecordText,
): Promise<string> {
  const { included, truncated } = await expansion.inlined(record);
  const documents: string[] = [];
  for (const one of [record, ...included()]) documents.push(await documentOf(request, expansion, one));
  const { note } = FORMATS[request.query.format];
  for (const { pid, expand } of truncated)
    documents.push(note(`Truncated: read ${pid} with expand=${expand} for the rest.`));
  return documents.join('\n');
}

async function documentOf(
  { pool, input, query }: ExpansionRequest,
  expansion: Expansion,
  record: RecordText,
): Promise<string> {
  const { pid, className } = record;
  return documentOrNoteOf(
    pool,
    input.schema,
    { pid, className, json: await expansion.plain(record) },
    query.format,
  );
}

const recordList = listOf({ type: 'object' });

const graphSchema = {
  title: 'Records with what they refer to',
  ...objectOf(
    {
      included: { ...recordList, description: 'The records that are included, each once, in pid order.' },
      truncated: {
        description: 'What exceeds a limit: the records and paths to ask for next.',
        ...listOf(objectOf({ pid: textSchema, expand: textSchema })),
      },
    },
    {
      record: { type: 'object', description: 'Of a read of one record.' },
      items: { ...recordList, description: 'Of a list.' },
    },
  ),
} as const;

/** Whether a read asks for more, or less, than records as they are. */
function isExpanded({ expand, fields }: Pick<ExpansionQuery, 'expand' | 'fields'>): boolean {
  return expand !== undefined || fields !== undefined;
}

/** The parameters of expansions, for each form of reads. */
export const expandedReads: ReadExtension = {
  record: {
    answers: {
      200: inAnyFormat(
        'The record, or null if it does not exist; with `shape=graph`, with what it includes.',
        {
          anyOf: [ref('Record'), NULL, graphSchema],
        },
      ),
    },
    ...extendedRead({ ...recordParameters, ...expansionParameters }, (entered, query, call) =>
      isExpanded(query) ? sendRecord(call, entered, query) : undefined,
    ),
  },
  list: {
    answers: {
      200: jsonAnswer('The records, sorted by pid.', { anyOf: [ref('Records'), graphSchema] }),
    },
    ...extendedRead({ ...listParameters, ...expansionParameters }, (entered, query, call) =>
      isExpanded(query) ? sendList(call, entered, query) : undefined,
    ),
  },
  page: extendedRead({ ...pageParameters, ...expansionParameters }, (entered, query, call) =>
    isExpanded(query) ? sendPage(call, entered, query) : undefined,
  ),
  export: extendedRead({ ...exportParameters, ...expansionParameters }, (entered, query, call) => {
    if (!isExpanded(query)) return undefined;
    requireMatching(entered.collection, query.matching);
    return sendStream(call, entered, query, () => streamReads(call, entered, query));
  }),
};
