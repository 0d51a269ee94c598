/**
 * Many records in one request, below `/-/`: batches, of which each object is stored or refused on its own and all that
 * are accepted are written together, and exports, with memory that does not grow with the area.
 */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Area } from '../../collections/area.ts';
import type { Collection } from '../../collections/collection.ts';
import { ServiceError } from '../../errors.ts';
import type { FormatName } from '../../formats/format.ts';
import { FORMATS } from '../../formats/formats.ts';
import { parseJsonBody } from '../../formats/json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { type RecordText, SCHEMA_TYPE } from '../../records/record.ts';
import { bodyText } from '../body.ts';
import type { Call, Endpoint, Json } from '../endpoint.ts';
import { enterArea } from '../enter.ts';
import { parameterInvalid } from '../query.ts';
import { detailOf, parametersOf, STATUS_OF_CODE, sendJson } from '../reply.ts';
import { MOUNTS, type Mount } from './mounts.ts';
import {
  addSubmissionTag,
  authorId,
  format,
  matching,
  saidOf,
  saidParameters,
  turtleNote,
} from './records.ts';
import { json } from './schemas.ts';

/** The result of an item: the pids of its records, the item's own first, or what is wrong with it. */
type ItemResult = { readonly status: 200; readonly pids: readonly string[] } | ItemRefusal;
type ItemRefusal = { readonly status: number; readonly detail: ReturnType<typeof detailOf> };

/** Other requests get their turn after this many items. */
const ITEMS_AT_ONCE = 50;

const batchParameters = { add_submission_tag: addSubmissionTag };
const zoneBatchParameters = { ...batchParameters, ...saidParameters };
const curatedBatchParameters = { ...batchParameters, author_id: authorId };

/**
 * POST of a JSON array, or of NDJSON: one object a line. Returns one result per item, in order.
 *
 * Without a class in the path, the `schema_type` of each item names its class, so that an export can be stored again.
 */
async function batch(call: Call): Promise<FastifyReply> {
  const { collection, area } = await enterArea(call);
  const { add_submission_tag, ...said } = parametersOf(call, parametersFor(call.endpoint));
  const { class: className } = call.request.params as { class?: string };
  const results: ItemResult[] = [];
  const texts: RecordText[] = [];
  for (const read of itemsOf(await bodyText(call))) {
    if (results.length % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) await nextTurn();
    const result = await validated(collection, area, read, className, add_submission_tag);
    if ('texts' in result) {
      texts.push(...result.texts);
      results.push({ status: 200, pids: result.texts.map(({ pid }) => pid) });
    } else results.push(result);
  }
  if (call.endpoint.action === 'store' && texts.length > 0) await area.store(texts, undefined, saidOf(said));
  return sendJson(call.reply, JSON.stringify(results));
}

function parametersFor({ area, action }: Endpoint): typeof batchParameters & Partial<typeof saidParameters> {
  if (area === 'curated') return curatedBatchParameters;
  return action === 'store' ? zoneBatchParameters : batchParameters;
}

/** The records that an item becomes, or why it is refused. */
async function validated(
  collection: Collection,
  area: Area,
  read: () => JsonObject,
  className: string | undefined,
  addSubmissionTag: boolean,
): Promise<{ readonly texts: RecordText[] } | ItemRefusal> {
  try {
    const item = read();
    const texts = await area.validate(className ?? classOf(collection, item), item, { addSubmissionTag });
    return { texts };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { status: STATUS_OF_CODE[error.code], detail: detailOf(error) };
  }
}

/** The items, each to be read when its turn comes. A JSON text that is not an array is read as NDJSON. */
function itemsOf(text: string): (() => JsonObject)[] {
  if (/^\s*\[/.test(text)) return (parseJsonBody(text) as JsonValue[]).map((value) => () => asObject(value));
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => () => asObject(parseJsonBody(line)));
}

function asObject(value: JsonValue): JsonObject {
  if (isJsonObject(value)) return value;
  throw new ServiceError('body_malformed', 'The item is not a JSON object.');
}

/** The class that an item names itself. */
function classOf(collection: Collection, item: JsonObject): string {
  const named = item[SCHEMA_TYPE];
  const className = typeof named === 'string' ? collection.schema.classOfSchemaType(named) : undefined;
  if (className !== undefined && collection.hasClass(className)) return className;
  const expected = `expected that of a class of the collection '${collection.name}'.`;
  if (named === undefined)
    throw new ServiceError('record_invalid', `The item has no schema_type, ${expected}`);
  throw new ServiceError(
    'class_unknown',
    `The item has the schema_type ${JSON.stringify(named)}, ${expected}`,
  );
}

type Entry = (collection: Collection, record: RecordText) => string;

/** How a record is written to a stream, and the media type of the stream. */
const STREAMS: Readonly<Record<FormatName, { mediaType: string; entry: Entry }>> = {
  json: { mediaType: 'application/x-ndjson', entry: (_collection, { json }) => `${json}\n` },
  ttl: {
    mediaType: 'text/turtle; charset=utf-8',
    entry: ({ schema }, record) => {
      try {
        return `${FORMATS.ttl.serialize(record.json, record.className, schema)}\n`;
      } catch (error) {
        return turtleNote(record, error);
      }
    },
  },
};
/** Streams are sent in chunks of about this many characters. */
const CHUNK = 64 * 1024;

const exportParameters = { format, matching };

/** GET of an area, in pid order: NDJSON, one record a line, or one Turtle document after the other. */
async function exportArea(call: Call): Promise<FastifyReply> {
  const { collection, area } = await enterArea(call);
  const { format, matching } = parametersOf(call, exportParameters);
  if (matching !== undefined && !collection.honorsMatching) throw matchingUnknown(collection, matching);
  const { mediaType, entry } = STREAMS[format];
  const records = await area.scan({ matching });
  return call.reply
    .header('content-type', mediaType)
    .send(Readable.from(chunks(collection, records, entry), { objectMode: false }));
}

function matchingUnknown(collection: Collection, input: string): ServiceError {
  const msg = `The query parameter 'matching' is not supported by the backend '${collection.config.backend.type}' of the collection '${collection.name}', expected none.`;
  return parameterInvalid([{ type: 'parameter_unsupported', loc: ['query', 'matching'], msg, input }]);
}

async function* chunks(collection: Collection, records: AsyncIterable<RecordText>, entry: Entry) {
  let chunk = '';
  for await (const record of records) {
    chunk += entry(collection, record);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

const OBJECTS: Json = {
  'application/json': { schema: { type: 'array', items: { type: 'object' } } },
  'application/x-ndjson': { schema: { type: 'string' } },
};
const ITEM_RESULT: Json = {
  title: 'The result of one object of a batch',
  oneOf: [
    {
      type: 'object',
      properties: {
        status: { const: 200 },
        pids: { type: 'array', items: { type: 'string' }, description: 'The records that it became.' },
      },
      required: ['status', 'pids'],
    },
    {
      type: 'object',
      properties: {
        status: { type: 'integer', minimum: 400 },
        detail: { $ref: '#/components/schemas/Error/properties/detail' },
      },
      required: ['status', 'detail'],
    },
  ],
};
const RESULTS = {
  200: json('One result for each object, in order.', { type: 'array', items: ITEM_RESULT }),
};
const STREAM = {
  200: {
    description:
      'All records in pid order: NDJSON, one record a line, or one Turtle document after the other.',
    content: {
      'application/x-ndjson': { schema: { type: 'string' } },
      'text/turtle': { schema: { type: 'string' } },
    },
  },
};

function mounted({ kind, path, token, title }: Mount): Endpoint[] {
  const shared = { area: kind, tag: kind, token };
  const query = kind === 'curated' ? curatedBatchParameters : batchParameters;
  const description = 'A JSON array of objects, or NDJSON: one object a line.';
  const post = {
    ...shared,
    method: 'POST',
    description,
    query,
    body: { content: OBJECTS },
    answers: RESULTS,
    handle: batch,
  } as const;
  const storeQuery = kind === 'curated' ? query : zoneBatchParameters;
  const store = { ...post, action: 'store', query: storeQuery } as const;
  const check = { ...post, action: 'validate' } as const;
  const classWords = 'The class of all objects.';
  const own = '; schema_type names their classes';
  return [
    { ...store, path: `/-${path}/records/`, id: 'batch', summary: `Store many objects${own}` },
    {
      ...store,
      path: `/-${path}/records/{class}`,
      id: 'batch_class',
      summary: 'Store many objects of a class',
      classWords,
    },
    { ...check, path: `/-${path}/validate/records/`, id: 'batch_check', summary: `Check many objects${own}` },
    {
      ...check,
      path: `/-${path}/validate/records/{class}`,
      id: 'batch_check_class',
      summary: 'Check many objects of a class',
      classWords,
    },
    {
      ...shared,
      method: 'GET',
      path: `/-${path}/export`,
      id: 'export',
      summary: `Read all records ${title} as one stream`,
      action: 'read',
      query: exportParameters,
      answers: STREAM,
      handle: exportArea,
    },
  ];
}

/** The endpoints that move many records at once. */
export const bulkEndpoints: readonly Endpoint[] = MOUNTS.flatMap(mounted);
