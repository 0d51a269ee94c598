/**
 * Many objects in one request, below `/-/<collection>/`: each is stored or refused on its own, and all that are
 * accepted are written together.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { Purpose } from '../collections/area.ts';
import type { Collection } from '../collections/collection.ts';
import { ServiceError } from '../errors.ts';
import { parseJsonBody } from '../formats/json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { type RecordText, SCHEMA_TYPE } from '../records/record.ts';
import { bodyText } from './body.ts';
import { flag, type Query, readParameters } from './query.ts';
import { detailOf, type Handler, STATUS_OF_CODE, sendJson } from './reply.ts';
import type { OpenTarget } from './targets.ts';

/** What became of an item: the pids of its records, the item's own first, or what is wrong with it. */
type ItemResult =
  | { readonly status: 200; readonly pids: readonly string[] }
  | { readonly status: number; readonly detail: ReturnType<typeof detailOf> };

/** Other requests get their turn after this many items. */
const ITEMS_AT_ONCE = 50;

/**
 * POST of a JSON array, or of NDJSON: one object a line. Answers with one result an item, in order.
 *
 * Without a class in the path, the `schema_type` of each item tells its class, so that an export can be stored again.
 */
export function batch(open: OpenTarget, purpose: Purpose): Handler {
  return async (request, reply) => {
    const { collection, area } = await open(request);
    const sink = await area.sink(purpose);
    const { add_submission_tag: addSubmissionTag } = readParameters(request.query as Query, {
      add_submission_tag: flag(false),
    });
    const { class: className } = request.params as { class?: string };
    const results: ItemResult[] = [];
    const texts: RecordText[] = [];
    for (const read of itemsOf(request)) {
      if (results.length % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) await nextTurn();
      results.push(
        resultOf(() => {
          const item = read();
          const records = sink.prepare(className ?? classOf(collection, item), item, { addSubmissionTag });
          texts.push(...records);
          return records;
        }),
      );
    }
    if (purpose === 'submit to' && texts.length > 0) await sink.write(texts);
    return sendJson(reply, JSON.stringify(results));
  };
}

/** The items, each to be read when its turn comes. A JSON text that is no array counts as NDJSON. */
function itemsOf(request: FastifyRequest): (() => JsonObject)[] {
  const text = bodyText(request.body);
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

function resultOf(work: () => RecordText[]): ItemResult {
  try {
    return { status: 200, pids: work().map(({ pid }) => pid) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { status: STATUS_OF_CODE[error.code], detail: detailOf(error) };
  }
}
