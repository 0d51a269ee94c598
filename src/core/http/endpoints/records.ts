/**
 * The records of an area: store, validate, read, delete (specification 4.1 and 4.2). Every handler works on any area;
 * the endpoints are mounted three times. Stores and validates are in `store-records.ts`.
 */
import type { FastifyReply } from 'fastify';
import type { Collection } from '../../collections/collection.ts';
import { documentOf, documentOrNoteOf } from '../../collections/documents.ts';
import { FORMATS, type FormatName } from '../../formats/formats.ts';
import { etagOf } from '../../records/condition.ts';
import type { RecordText } from '../../records/record.ts';
import { listOf, textSchema } from '../../shapes.ts';
import { yielder } from '../../yield.ts';
import { type Call, type Endpoint, row } from '../endpoint.ts';
import { type EnteredArea, enterArea, enterZones } from '../enter.ts';
import { clientHas, conditionOf } from '../etag.ts';
import type { ValuesOf } from '../parameter.ts';
import { authorId } from '../query.ts';
import { noteRevision, noteWritten, readBody } from '../reads.ts';
import { sendJson, sendText } from '../reply.ts';
import { replying } from '../replying.ts';
import { MOUNTS, type Mount } from './mounts.ts';
import {
  deleteParameters,
  filterOf,
  listParameters,
  markIgnored,
  pageParameters,
  recordParameters,
  storeParameters,
  storeParametersIn,
} from './record-parameters.ts';
import { inAnyFormat, jsonAnswer, NULL, ref, TRUE, UNCHANGED } from './schemas.ts';
import { storeRecord, validateRecord } from './store-records.ts';

/** GET of one record by its pid: the record, or `null` if there is none. */
async function readRecord(
  entered: EnteredArea,
  query: ValuesOf<typeof recordParameters>,
  call: Call,
): Promise<FastifyReply> {
  const { collection, area } = entered;
  const { pid, format, at } = query;
  const reads = at ? await area.at(at) : area;
  const found = await reads.read(pid);
  noteRevision(call, area, found?.revision ?? (await reads.state()).revision);
  if (!found) return sendJson(call.reply, 'null');
  if (found.moved) call.reply.header('content-location', recordLocation(call, found.record));
  const etag = etagOf(found.version, format);
  if (clientHas(call, etag)) return call.reply.code(304).send();
  const { isJson, mediaType } = FORMATS[format];
  if (isJson) return sendJson(call.reply, found.record.json);
  return sendText(
    call.reply,
    mediaType,
    await documentOf(call.service.pool, collection.schema, found.record, format),
  );
}

/** The URL at which a record that was moved is read from now on. */
function recordLocation({ service, request }: Call, record: RecordText): string {
  const [path] = request.url.split('?');
  return `${service.rootPath}${path}?pid=${encodeURIComponent(record.pid)}`;
}

/** DELETE of one record by its pid. */
async function deleteRecord(
  entered: EnteredArea,
  { pid: given, if_unreferenced }: ValuesOf<typeof deleteParameters>,
  call: Call,
): Promise<true> {
  const { referrers } = await entered.area.remove(given, conditionOf(call.request.headers), if_unreferenced);
  if (referrers > 0) call.reply.header('accession-referrers', String(referrers));
  await noteWritten(call, entered);
  return true;
}

/** GET of all records, or of all of a class, as one array. */
async function listRecords(
  entered: EnteredArea,
  query: ValuesOf<typeof listParameters>,
  call: Call,
): Promise<FastifyReply> {
  const { collection } = entered;
  const { format, matching } = query;
  markIgnored(call, collection, matching);
  const body = await readBody(call, entered, query, undefined, async (reads) => {
    const records = await reads.list(filterOf(call, matching), FORMATS[format].mostListed);
    return Buffer.from(`[${await pageItems(call, collection, records, format)}]`);
  });
  return sendJson(call.reply, body);
}

/** GET of a page of all records, or of those of a class (specification 2.2). */
async function pageRecords(
  entered: EnteredArea,
  query: ValuesOf<typeof pageParameters>,
  call: Call,
): Promise<FastifyReply> {
  const { collection, area } = entered;
  const { format, matching, page, size, at } = query;
  markIgnored(call, collection, matching);
  const selection = filterOf(call, matching);
  const key = JSON.stringify([area.path, selection.className, format, matching, page, size, at]);
  const body = await readBody(call, entered, query, key, async (reads) => {
    const { records, total, pages } = await reads.page(selection, page, size);
    const items = await pageItems(call, collection, records, format);
    return Buffer.from(
      `{"items":[${items}],"total":${total},"page":${page},"size":${size},"pages":${pages}}`,
    );
  });
  return sendJson(call.reply, body);
}

const SUBMITTED = inAnyFormat('All stored records, the posted one first.', ref('Records'));
const STORED = jsonAnswer('The record is stored.', NULL);
const READ = {
  200: inAnyFormat('The record, or null if it does not exist.', { anyOf: [ref('Record'), NULL] }),
  ...UNCHANGED,
};
const LISTED = { 200: jsonAnswer('The records, sorted by pid.', ref('Records')), ...UNCHANGED };
const PAGED = { 200: jsonAnswer('The records, sorted by pid.', ref('Page')), ...UNCHANGED };

function mounted({ kind, path, title, storedIn, classWords }: Mount): Endpoint[] {
  const shared = { area: kind, tag: kind, classWords };
  const list = {
    ...shared,
    action: 'read',
    reads: 'list',
    answers: LISTED,
    refusals: [410, 413],
    ...replying(enterArea, listParameters, listRecords),
  } as const;
  const page = {
    ...list,
    reads: 'page',
    answers: PAGED,
    ...replying(enterArea, pageParameters, pageRecords),
  } as const;
  return [
    row('GET', `${path}/record`, 'read', {
      ...shared,
      summary: `Read one record ${title}`,
      action: 'read',
      reads: 'record',
      conditional: true,
      answers: READ,
      refusals: [410],
      ...replying(enterArea, recordParameters, readRecord),
    }),
    row('DELETE', `${path}/record`, 'delete', {
      ...shared,
      summary: `Delete one record ${title}`,
      action: 'remove',
      conditional: true,
      answers: { 200: jsonAnswer('The record is deleted.', TRUE) },
      refusals: [409],
      ...replying(
        enterArea,
        kind === 'curated' ? { ...deleteParameters, author_id: authorId } : deleteParameters,
        deleteRecord,
      ),
    }),
    row('GET', `${path}/records/`, 'all', { ...list, summary: `List all records ${title}` }),
    row('GET', `${path}/records/{class}`, 'list', {
      ...list,
      summary: `List the records of a class ${title}`,
    }),
    row('GET', `${path}/records/p/`, 'all_pages', {
      ...page,
      summary: `List all records ${title}, in pages`,
    }),
    row('GET', `${path}/records/p/{class}`, 'pages', {
      ...page,
      summary: `List the records of a class ${title}, in pages`,
    }),
    row('POST', `${path}/record/{class}`, 'store', {
      ...shared,
      summary: `Store an object of class {class} ${storedIn}`,
      action: 'store',
      literalClass: true,
      conditional: true,
      body: 'class',
      answers: { 200: kind === 'user' ? SUBMITTED : STORED },
      ...replying(enterArea, storeParametersIn[kind], storeRecord),
    }),
  ];
}

const validate = {
  area: 'user',
  tag: 'user',
  summary: 'Check an object of class {class} without storing it',
  action: 'validate',
  literalClass: true,
  body: 'class',
  answers: { 200: jsonAnswer('The record is valid.', TRUE) },
  ...replying(enterArea, storeParameters, validateRecord),
} as const;

export const recordEndpoints: readonly Endpoint[] = [
  ...MOUNTS.flatMap(mounted),
  row('POST', '/{collection}/validate/record/{class}', 'validate', validate),
  row('POST', '/{collection}/validate/{class}', 'validate_alias', { ...validate, undescribed: true }),
  row('GET', '/{collection}/incoming/', 'labels', {
    tag: 'incoming',
    summary: 'List the labels of all incoming zones',
    answers: { 200: jsonAnswer('The labels, sorted.', listOf(textSchema)) },
    ...replying(enterZones, {}, ({ collection }) => collection.zones.labels()),
  }),
];

/** The items of an array, from strings that are not parsed: records as they are, other documents as JSON strings. */
async function pageItems(
  { service }: Call,
  { schema }: Collection,
  records: readonly RecordText[],
  format: FormatName,
): Promise<string> {
  if (FORMATS[format].isJson) return records.map(({ json }) => json).join(',');
  const documents: string[] = [];
  const yieldIfDue = yielder();
  for (const record of records) {
    documents.push(JSON.stringify(await documentOrNoteOf(service.pool, schema, record, format)));
    await yieldIfDue();
  }
  return documents.join(',');
}
