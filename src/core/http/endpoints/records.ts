/**
 * The records of an area: store, validate, read, delete (specification 4.1 and 4.2). Every handler works on any area;
 * the endpoints are mounted three times.
 */
import type { FastifyReply } from 'fastify';
import type { RecordFilter, SubmissionMetadata } from '../../collections/area.ts';
import type { Collection } from '../../collections/collection.ts';
import { documentOf, documentOrNoteOf } from '../../collections/documents.ts';
import { afterChange } from '../../errors.ts';
import { FORMATS, type FormatName } from '../../formats/formats.ts';
import { etagOf, versionIn } from '../../records/condition.ts';
import type { RecordText } from '../../records/record.ts';
import { listOf, textSchema } from '../../shapes.ts';
import { yielder } from '../../yield.ts';
import { bodyBytes, checkContentType, formatOf } from '../body.ts';
import { type Call, type Endpoint, row } from '../endpoint.ts';
import { type EnteredArea, enterArea, enterZones } from '../enter.ts';
import { clientHas, conditionOf } from '../etag.ts';
import { judgePosted } from '../judge-bodies.ts';
import { collectionUrl, originOf } from '../origin.ts';
import type { ValuesOf } from '../parameter.ts';
import {
  at,
  authorId,
  choice,
  flag,
  paging,
  parametersOf,
  requiredText,
  shortText,
  textParameter,
} from '../query.ts';
import { noteRevision, noteWritten, readsAt } from '../reads.ts';
import { LONGEST_HEADER, sendJson, sendText } from '../reply.ts';
import { replying } from '../replying.ts';
import { MOUNTS, type Mount } from './mounts.ts';
import { inAnyFormat, jsonAnswer, NULL, ref, TRUE, UNCHANGED } from './schemas.ts';

export const format = choice<FormatName>(
  'The format of records.',
  Object.keys(FORMATS) as FormatName[],
  'json',
);
export const pid = requiredText('the pid of a record, a CURIE or a URI');
export const matching = textParameter(
  'A pattern that must match a whole string value of a record: `%` stands for any characters, `_` for any one. ' +
    'Backends other than `sqlite` ignore it; the response then has the header `Accession-Ignored: matching`.',
);
export const addSubmissionTag = flag(
  'Annotate the record with the submitter and the time of the submission.',
  false,
);
export const hints = flag(
  'Warn of references to records that do not exist, and of curated records with the same identifier.',
  false,
);
const storeParameters = { format, add_submission_tag: addSubmissionTag, hints };
/** Parameters that describe a submission to the curators. */
export const submissionParameters = {
  batch: shortText('A name for submissions that belong together.', 100),
  message: shortText('A message to the curators; it is not part of the record.', 2000),
  based_on: textParameter(
    'The `ETag` of the curated record that the submission was made from. By default the one in `If-Match`.',
  ),
};
const zoneParameters = { ...storeParameters, ...submissionParameters };
export const recordParameters = { pid, format, at };
export const listParameters = { format, matching, at };
const deleteParameters = {
  pid,
  if_unreferenced: flag(
    'Refuse the delete with 409 if other records of the area refer to the record.',
    false,
  ),
};
export const pageParameters = { ...listParameters, ...paging };

/** POST of one object of a class. Returns all stored records from the user area, else `null`. */
async function storeRecord(call: Call): Promise<FastifyReply> {
  const entered = await enterArea(call);
  const { collection, area } = entered;
  const { format: given, add_submission_tag, hints: wantsHints } = parametersOf(call, storeParameters);
  const submission =
    call.endpoint.area === 'curated'
      ? undefined
      : submissionMetadataOf(parametersOf(call, submissionParameters));
  const { texts, format } = await readRecords(call, entered, given, add_submission_tag);
  const [version] = await area.store(texts, conditionOf(call.request.headers), submission);
  if (version) call.reply.header('etag', etagOf(version, format));
  await noteWritten(call, entered);
  if (wantsHints) await afterChange(hint(call, entered, texts));
  if (call.endpoint.area !== 'user') return sendJson(call.reply, 'null');
  const { isJson, mediaType } = FORMATS[format];
  if (isJson) return sendJson(call.reply, `[${texts.map(({ json }) => json).join(',')}]`);
  const documents: string[] = [];
  const yieldIfDue = yielder();
  for (const one of texts) {
    documents.push(await documentOf(call.service.pool, collection.schema, one, format));
    await yieldIfDue();
  }
  return sendText(call.reply, mediaType, documents.join('\n'));
}

/** Returns the note of a submission, as its area stores it. */
export function submissionMetadataOf({
  batch,
  message,
  based_on,
}: Partial<ValuesOf<typeof submissionParameters>>): SubmissionMetadata {
  const basedOn = based_on === undefined ? undefined : (versionIn(based_on) ?? 'unresolved');
  return {
    ...(batch !== undefined && { batch }),
    ...(message !== undefined && { message }),
    ...(basedOn !== undefined && { basedOn }),
  };
}

/** The same without storing anything. */
async function validateRecord(
  entered: EnteredArea,
  { format: given, add_submission_tag, hints: wantsHints }: ValuesOf<typeof storeParameters>,
  call: Call,
): Promise<true> {
  const { texts } = await readRecords(call, entered, given, add_submission_tag);
  if (wantsHints) await hint(call, entered, texts);
  return true;
}

/** Names hints in headers: nothing of them is refused. */
async function hint(call: Call, { area }: EnteredArea, texts: readonly RecordText[]): Promise<void> {
  const [found] = await area.hints([texts]);
  nameInHeader(call, 'accession-dangling', found?.dangling ?? []);
  nameInHeader(call, 'accession-duplicates', found?.duplicates ?? []);
}

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
  const { format, matching, at } = query;
  markIgnored(call, collection, matching);
  const { reads } = await readsAt(call, entered, { at, matching });
  const records = await reads.list(filterOf(call, matching), FORMATS[format].mostListed);
  return sendJson(call.reply, `[${await pageItems(call, collection, records, format)}]`);
}

/** The same in pages (specification 2.2). */
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
  const { reads, cacheKey: state } = await readsAt(call, entered, { at, matching });
  const known = state === undefined ? undefined : collection.pages.get(key, state);
  if (known) return sendJson(call.reply, known);
  const { records, total, pages } = await reads.page(selection, page, size);
  const items = await pageItems(call, collection, records, format);
  const body = Buffer.from(
    `{"items":[${items}],"total":${total},"page":${page},"size":${size},"pages":${pages}}`,
  );
  if (state !== undefined) collection.pages.set(key, state, body);
  return sendJson(call.reply, body);
}

/** The records that the object in the body becomes, of the class in the path, and the format of the body. */
async function readRecords(
  call: Call,
  { collection, area }: EnteredArea,
  given: FormatName,
  addSubmissionTag: boolean,
): Promise<{ readonly texts: RecordText[]; readonly format: FormatName }> {
  const bytes = await bodyBytes(call);
  const format = formatOf(call, given, bytes);
  checkContentType(call.request.headers['content-type'], format);
  const contextUrl = () => `${collectionUrl(originOf(call), collection.name)}/context.jsonld`;
  const posted = { bytes, className: classIn(call) ?? '', format, contextUrl };
  const texts = await judgePosted(call.service.pool, collection, area, posted, { addSubmissionTag });
  return { texts, format };
}

function classIn({ request }: Call): string | undefined {
  return (request.params as { class?: string }).class;
}

/** The class in the path, and a pattern. */
export function filterOf(call: Call, matching: string | undefined): RecordFilter {
  return { className: classIn(call), matching };
}

/** The header by which a client learns that a list is not restricted to what it asked for. */
export function markIgnored(
  { reply }: Call,
  { honorsMatching }: Collection,
  matching: string | undefined,
): void {
  if (matching !== undefined && !honorsMatching) reply.header('accession-ignored', 'matching');
}

/** Records that a header names. */
const MOST_PIDS_NAMED = 20;
/**
 * Warns in a header: of references to records that do not exist (they may come later), and of records that have the same
 * identifiers. The response itself is `true`.
 */
function nameInHeader({ reply }: Call, header: string, names: readonly string[]): void {
  if (names.length === 0) return;
  let named = '';
  for (const name of names.slice(0, MOST_PIDS_NAMED)) {
    const more = `${named && ', '}${encodeURI(name.toWellFormed()).replaceAll(',', '%2C')}`;
    if (named.length + more.length <= LONGEST_HEADER) named += more;
  }
  if (named !== '') reply.header(header, named);
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
  const storeQuery = {
    user: zoneParameters,
    curated: { format, author_id: authorId, hints },
    incoming: { format, ...submissionParameters, hints },
  };
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
      query: storeQuery[kind],
      body: 'class',
      answers: { 200: kind === 'user' ? SUBMITTED : STORED },
      need: enterArea.need,
      handle: storeRecord,
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
