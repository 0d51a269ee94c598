/**
 * Many records in one request, below `/-/`: objects that are stored, validated or deleted. Each is accepted or refused on
 * its own, unless the request is atomic.
 */
import type { FastifyReply } from 'fastify';
import { type JsonObject, JsonText, jsonWith, parseJson } from '#linkml/json.ts';
import { type SuggestionBudget, spendSuggestion, suggestionBudget } from '#linkml/suggestions.ts';
import { batches, fewAtOnce } from '../../batches.ts';
import type { Area } from '../../collections/area.ts';
import type { Collection } from '../../collections/collection.ts';
import { recordMissing } from '../../collections/delete-records.ts';
import { afterChange, isServiceError, orRefusal, ServiceError } from '../../errors.ts';
import { parseJsonBody } from '../../formats/json.ts';
import { type ItemText, MOST_ITEMS, tooManyItems } from '../../formats/json-items.ts';
import { type Condition, etagOf } from '../../records/condition.ts';
import { MOST_RECORDS, tooManyRecords } from '../../records/inlined.ts';
import { asObject, conditionalItem, type ItemHead, itemHead } from '../../records/item-head.ts';
import type { RecordText } from '../../records/record.ts';
import { SCHEMA_TYPE } from '../../schema-type.ts';
import { bodyOf, listOf, textSchema } from '../../shapes.ts';
import { tooLongTogether } from '../../storage/read/records.ts';
import { LONG_BODY } from '../../work/pool.ts';
import { conditionalItemIn, itemHeadIn } from '../../work/tasks.ts';
import { nextTurn, yielder } from '../../yield.ts';
import { type Call, type Endpoint, type Json, row } from '../endpoint.ts';
import { type EnteredArea, enterArea } from '../enter.ts';
import { conditionOf } from '../etag.ts';
import {
  batchRefused,
  checkBatchType,
  Details,
  type ItemResult,
  itemResultSchema,
  itemsOf,
  NOT_WRITTEN,
  PresentRecords,
  resultsText,
} from '../item-results.ts';
import { judgePosted } from '../judge-bodies.ts';
import type { ValuesOf } from '../parameter.ts';
import { authorId, flag } from '../query.ts';
import { noteWritten } from '../reads.ts';
import { refusalOf, sendError } from '../reply.ts';
import { replying, replyingTo } from '../replying.ts';
import type { FromSchema } from '../schema-types.ts';
import { MOUNTS, type Mount } from './mounts.ts';
import { addSubmissionTag, hints, submissionMetadataOf, submissionParameters } from './record-parameters.ts';
import { jsonAnswer } from './schemas.ts';

const atomic = flag('Write all items or none: if one is refused, the response is 400.', false);
const conditional = flag(
  'Each item is an object with `record`, and `if_match` or `if_none_match`: its condition, as in the headers of a single store.',
  false,
);
const validateParameters = { add_submission_tag: addSubmissionTag, hints };
const batchParameters = { ...validateParameters, atomic, conditional };
const zoneStoreParameters = { ...batchParameters, ...submissionParameters };
const removeParameters = {
  atomic,
  if_unreferenced: flag('Refuse to delete a record to which other records of the area refer.', false),
};
const curatedRemoveParameters = { ...removeParameters, author_id: authorId };
const curatedStoreParameters = { ...batchParameters, author_id: authorId };

/** Records are written in groups of about this many records or characters, unless the request is atomic. */
const GROUP_RECORDS = 500;
const GROUP_CHARACTERS = 2_000_000;

/** An item that is valid, and may be written. */
type AcceptedItem = {
  readonly index: number;
  readonly texts: readonly RecordText[];
  readonly condition: Condition | undefined;
};

type Refusal = Pick<ItemResult, 'status' | 'detail'>;

/** The results so far, by the index of their items. */
type Results = ItemResult[];

/**
 * POST of a JSON array, or of NDJSON: one object a line. Returns one result per item, in order.
 *
 * Without a class in the path, the `schema_type` of each item names its class, so that an export can be stored again.
 */
async function batch(
  entered: EnteredArea,
  {
    add_submission_tag,
    atomic: allOrNothing,
    conditional: isConditional,
    hints: wantsHints,
    ...submission
  }: ValuesOf<typeof zoneStoreParameters>,
  call: Call,
): Promise<unknown> {
  const { collection, area } = entered;
  checkBatchType(call.request.headers['content-type']);
  const yieldIfDue = yielder();
  const items = await itemsOf(call);
  const results: Results = [];
  const accepted: AcceptedItem[] = [];
  const details = new Details(call.reply.server.statuses);
  const indexOf = new Map<string, number>();
  const suggestions = suggestionBudget();
  let records = 0;
  for (const [index, item] of items.entries()) {
    await yieldIfDue();
    const place = { index, ...(item.line !== undefined && { line: item.line }) };
    let named: string | undefined;
    try {
      const read = await readItem(call, collection, item, isConditional);
      named = read.head.pid;
      const texts = await validated(call, collection, area, read, add_submission_tag, suggestions);
      records += texts.length;
      const { pid = '', iri = '' } = texts[0] ?? {};
      const earlier = indexOf.get(iri);
      indexOf.set(iri, earlier ?? index);
      const pids = texts.map((text) => text.pid);
      const duplicate = earlier === undefined ? {} : { duplicate_of: earlier };
      results.push({ ...place, pid, status: 200, pids, ...duplicate });
      accepted.push({ index, texts, condition: read.condition });
    } catch (error) {
      if (!isServiceError(error)) throw error;
      results.push({ ...place, ...(named !== undefined && { pid: named }), ...details.of(error, index) });
    }
    if (records > MOST_RECORDS) throw tooManyRecords();
  }
  if (call.endpoint.action !== 'store') {
    if (wantsHints) await hintAll(entered, results, accepted);
    return resultsText(results);
  }
  if (allOrNothing && accepted.length < items.length) return replyNothingWritten(call, results);
  const metadata = submissionMetadataOf(submission);
  await writeGroups(call, results, allOrNothing ? [accepted] : groupsOf(accepted), async (group) => {
    const items = group.map(({ texts, condition }) => ({ records: texts, condition }));
    const outcomes = await area.storeMany(items, allOrNothing, metadata);
    for (const [at, { index }] of group.entries()) {
      const outcome = outcomes[at];
      const result = results[index]!;
      if (isServiceError(outcome)) results[index] = refused(result, details.of(outcome, index));
      else if (isConditional && outcome) results[index] = { ...result, etag: etagOf(outcome, 'json') };
    }
  });
  if (isConditional) await afterChange(addPresent(area, results));
  if (allOrNothing && results.some(({ status }) => status !== 200)) return replyNothingWritten(call, results);
  await noteWritten(call, entered);
  if (wantsHints) await afterChange(hintAll(entered, results, accepted));
  return resultsText(results);
}

/** The result of an item that is refused when it is written. */
function refused({ pids: _, duplicate_of: __, ...place }: ItemResult, refusal: Refusal): ItemResult {
  return { ...place, ...refusal };
}

/** Adds the present records to the results of items whose conditions are not true, for those who may read them. */
async function addPresent(area: Area, results: Results): Promise<void> {
  const records = new PresentRecords(area);
  const yieldIfDue = yielder();
  for (const [index, result] of results.entries()) {
    if (result.status !== 412 || result.pid === undefined || !records.hasRoom) continue;
    await yieldIfDue();
    const found = await orRefusal(records.read(result.pid));
    if (isServiceError(found)) return;
    results[index] = { ...result, ...(found ?? { record: null }) };
  }
}

/** Adds to the items what a single record has in headers: references to nothing, and likely duplicates. */
async function hintAll(
  { area }: EnteredArea,
  results: Results,
  accepted: readonly AcceptedItem[],
): Promise<void> {
  const found = await area.hints(accepted.map(({ texts }) => texts));
  for (const [at, { index }] of accepted.entries()) {
    const { dangling, duplicates } = found[at]!;
    results[index] = {
      ...(results[index] as ItemResult),
      ...(dangling.length > 0 && { dangling }),
      ...(duplicates.length > 0 && { duplicates }),
    };
  }
}

function parametersFor({ action, area }: Pick<Endpoint, 'action' | 'area'>): typeof zoneStoreParameters {
  const parameters =
    action === 'validate'
      ? validateParameters
      : area === 'curated'
        ? curatedStoreParameters
        : zoneStoreParameters;
  return parameters as typeof zoneStoreParameters;
}

/** An item, and its head; a long one is not parsed here. */
type ReadItem = {
  readonly text: string;
  readonly head: ItemHead;
  readonly object?: JsonObject;
  readonly condition?: Condition | undefined;
};

/** @throws ServiceError `body_malformed` */
async function readItem(
  { service }: Call,
  { schema }: Collection,
  { text, line }: ItemText,
  isConditional: boolean,
): Promise<ReadItem> {
  if (text.length >= LONG_BODY) {
    const { text: record, ...conditions } = isConditional
      ? await service.pool.run(conditionalItemIn, text)
      : { text };
    const head = await service.pool.run(itemHeadIn, { schema, text: record });
    return { text: record, head, condition: conditionIn(conditions) };
  }
  const item = asObject(parseJsonBody(text, parseJson, line !== undefined));
  const { record, ...conditions } = isConditional ? conditionalItem(item) : { record: item };
  return { text, head: itemHead(schema, record), object: record, condition: conditionIn(conditions) };
}

type ItemConditions = { readonly if_match?: string; readonly if_none_match?: string };

function conditionIn({ if_match, if_none_match }: ItemConditions): Condition | undefined {
  return conditionOf({
    ...(if_match !== undefined && { 'if-match': if_match }),
    ...(if_none_match !== undefined && { 'if-none-match': if_none_match }),
  });
}

/** The records that an item becomes. A long one is checked in a thread: a pattern takes some 40 ms for 250,000 characters. */
async function validated(
  call: Call,
  collection: Collection,
  area: Area,
  { text, head, object }: ReadItem,
  addSubmissionTag: boolean,
  suggestions: SuggestionBudget,
): Promise<RecordText[]> {
  const classInPath = (call.request.params as { class?: string }).class;
  const className = classInPath ?? classOfItem(collection, head, suggestions);
  if (object) return area.validate(className, object, { addSubmissionTag }, { suggestions });
  await area.require('validate');
  const posted = { bytes: new TextEncoder().encode(text), format: 'json' as const, className, suggestions };
  return judgePosted(call.service.pool, collection, area, posted, { addSubmissionTag });
}

/** The class that an item names itself. */
function classOfItem(
  collection: Collection,
  { className, namesClass, type }: ItemHead,
  suggestions: SuggestionBudget,
): string {
  if (className !== undefined && collection.hasClass(className)) return className;
  const { name, schema, classes } = collection;
  const isConcrete = (one: string) => schema.classes.get(one)?.abstract === false;
  const near = spendSuggestion(suggestions) ? classes.find((one) => type.includes(one)) : undefined;
  const likely = near ?? classes.find(isConcrete);
  const example = schema.schemaType(likely ?? '');
  throw new ServiceError(
    namesClass ? 'class_unknown' : 'record_invalid',
    `The item has ${type}, expected that of a class of the collection '${name}', such as ${example}.`,
  );
}

function groupsOf(accepted: readonly AcceptedItem[]): AcceptedItem[][] {
  const groups: AcceptedItem[][] = [];
  let records = GROUP_RECORDS;
  let characters = 0;
  for (const one of accepted) {
    if (records >= GROUP_RECORDS || characters >= GROUP_CHARACTERS) {
      groups.push([]);
      records = 0;
      characters = 0;
    }
    groups.at(-1)?.push(one);
    records += one.texts.length;
    characters += one.texts.reduce((sum, { json }) => sum + json.length, 0);
  }
  return groups;
}

/**
 * Writes groups one after the other, with other requests in between. Once something is written, the failure of a group
 * is the result of its items: the client has to learn which items are stored.
 */
async function writeGroups<T extends { readonly index: number }>(
  call: Call,
  results: Results,
  groups: readonly (readonly T[])[],
  write: (group: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (const [number, group] of groups.entries()) {
    try {
      await write(group);
    } catch (error) {
      if (number === 0) throw error;
      const refusal = refusalOf(error, call.request);
      for (const { index } of group) results[index] = refused(results[index]!, refusal);
    }
    await nextTurn();
  }
}

/** The response to an atomic request of which some items are refused. */
function replyNothingWritten(call: Call, results: Results): FastifyReply {
  const error = batchRefused(results.filter(({ status }) => status !== 200).length, results.length);
  const shown = results.map((result) => (result.status === 200 ? refused(result, NOT_WRITTEN) : result));
  const body = jsonWith({ detail: error.message, results: resultsText(shown) });
  return sendError(call.reply, error.code, new JsonText(body));
}

/** DELETE of the records whose pids are in the body, alone or with conditions. Returns one result per pid, in order. */
async function removeMany(
  entered: EnteredArea,
  items: FromSchema<typeof REMOVED.schema>,
  { atomic: allOrNothing, if_unreferenced }: ValuesOf<typeof removeParameters>,
  call: Call,
): Promise<unknown> {
  if (items.length > MOST_ITEMS) throw tooManyItems();
  const removed = items.map((item, index) =>
    typeof item === 'string' ? { index, pid: item } : { index, pid: item.pid, condition: conditionIn(item) },
  );
  const details = new Details(call.reply.server.statuses);
  const results: Results = removed.map(({ index, pid }) => ({ index, pid, status: 200 }));
  const together = { items: allOrNothing ? MOST_ITEMS : GROUP_RECORDS };
  const groups = await Array.fromAsync(batches(removed, together));
  await writeGroups(call, results, groups, async (group) => {
    const outcomes = await entered.area.removeMany(group, allOrNothing, if_unreferenced);
    for (const [at, { index }] of group.entries()) {
      const outcome = outcomes[at]!;
      const result = results[index]!;
      if (isServiceError(outcome)) results[index] = refused(result, details.of(outcome, index));
      else if (outcome.referrers > 0) results[index] = { ...result, referrers: outcome.referrers };
    }
  });
  await afterChange(addPresent(entered.area, results));
  const failed = results.some(({ status }) => status !== 200);
  if (allOrNothing && failed) return replyNothingWritten(call, results);
  await noteWritten(call, entered);
  return resultsText(results);
}

/** POST of pids. Returns the record of each, in order, until they are too long together. */
async function readMany({ area }: EnteredArea, pids: readonly string[], call: Call): Promise<JsonText> {
  if (pids.length > MOST_ITEMS) throw tooManyItems();
  const details = new Details(call.reply.server.statuses);
  const records = new PresentRecords(area);
  const found = await fewAtOnce(pids, async (pid) =>
    records.hasRoom ? orRefusal(records.read(pid)) : tooLongTogether(pids.length),
  );
  const results = pids.map((pid, index): ItemResult => {
    const one = found[index] ?? recordMissing(pid);
    return { index, pid, ...(isServiceError(one) ? details.of(one, index) : { status: 200, ...one }) };
  });
  return resultsText(results);
}

const OBJECTS: Json = {
  'application/json': { schema: { type: 'array', items: { type: 'object' }, maxItems: MOST_ITEMS } },
  'application/x-ndjson': { schema: { type: 'string' } },
};
const MOST_BYTES_OF_PIDS = 1024 * 1024;
const EXAMPLE_PIDS = ['https://example.org/a', 'https://example.org/b'];
const PIDS = { schema: listOf(textSchema), example: EXAMPLE_PIDS, limit: MOST_BYTES_OF_PIDS };
const REMOVED = {
  schema: listOf({ oneOf: [textSchema, bodyOf({ pid: textSchema }, { if_match: textSchema })] }),
  example: EXAMPLE_PIDS,
  limit: MOST_BYTES_OF_PIDS,
};

const RESULTS = {
  200: jsonAnswer('One result for each item, in order.', listOf(itemResultSchema)),
};

function mounted({ kind, path, title }: Mount): Endpoint[] {
  const shared = { area: kind, tag: kind };
  const description =
    `A JSON array of objects, or NDJSON: one object a line. At most ${MOST_ITEMS} objects and 10 MiB (413). ` +
    'Details that repeat refer to the first item that has them.';
  const post = { ...shared, description, body: { content: OBJECTS }, answers: RESULTS } as const;
  const taking = (action: 'store' | 'validate') =>
    ({ ...post, action, ...replying(enterArea, parametersFor({ action, area: kind }), batch) }) as const;
  const [store, check] = [taking('store'), taking('validate')];
  const classWords = 'The class of all objects.';
  const own = `; ${SCHEMA_TYPE} names their classes` as const;
  return [
    row('POST', `/-${path}/records/`, 'batch', { ...store, summary: `Store many objects${own}` }),
    row('POST', `/-${path}/records/{class}`, 'batch_class', {
      ...store,
      summary: 'Store many objects of a class',
      classWords,
    }),
    row('POST', `/-${path}/validate/records/`, 'batch_check', {
      ...check,
      summary: `Check many objects${own}`,
    }),
    row('POST', `/-${path}/validate/records/{class}`, 'batch_check_class', {
      ...check,
      summary: 'Check many objects of a class',
      classWords,
    }),
    row('POST', `/-${path}/read`, 'read_many', {
      ...shared,
      summary: `Read many records ${title}`,
      description:
        `A JSON array of at most ${MOST_ITEMS} pids. A pid without a record has the status 404; one that is not read, since those before ` +
        'it are too long together, 413.',
      action: 'read',
      changesNothing: true,
      answers: RESULTS,
      ...replyingTo(enterArea, {}, PIDS, (entered, pids, _, call) => readMany(entered, pids, call)),
    }),
    row('DELETE', `/-${path}/records/`, 'delete_many', {
      ...shared,
      summary: `Delete many records ${title}`,
      description:
        `A JSON array of at most ${MOST_ITEMS} pids, or objects with \`pid\` and \`if_match\`, the entity tag of the state that is ` +
        'deleted (412). A pid without a record has the status 404.',
      action: 'remove',
      answers: RESULTS,
      refusals: [409],
      ...replyingTo(
        enterArea,
        kind === 'curated' ? curatedRemoveParameters : removeParameters,
        REMOVED,
        removeMany,
      ),
    }),
  ];
}

/** The endpoints that change many records at once. */
export const bulkEndpoints: readonly Endpoint[] = MOUNTS.flatMap(mounted);
