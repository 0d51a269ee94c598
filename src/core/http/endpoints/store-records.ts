/** Stores and validates of one object: from a body to records, and what a response says of them. */
import type { FastifyReply } from 'fastify';
import { JsonText } from '#linkml/json.ts';
import type { Collection } from '../../collections/collection.ts';
import { documentOf } from '../../collections/documents.ts';
import { afterChange } from '../../errors.ts';
import { FORMATS, type FormatName } from '../../formats/formats.ts';
import { etagOf } from '../../records/condition.ts';
import type { RecordText } from '../../records/record.ts';
import { yielder } from '../../yield.ts';
import { bodyBytes, checkContentType, formatOf } from '../body.ts';
import type { Call } from '../endpoint.ts';
import type { EnteredArea } from '../enter.ts';
import { conditionOf } from '../etag.ts';
import { judgePosted } from '../judge-bodies.ts';
import { collectionUrl, originOf } from '../origin.ts';
import type { ValuesOf } from '../parameter.ts';
import { noteWritten } from '../reads.ts';
import { LONGEST_HEADER, sendText } from '../reply.ts';
import { classIn, type StoreQuery, type storeParameters, submissionMetadataOf } from './record-parameters.ts';

/** POST of one object of a class. Returns all stored records from the user area, else `null`. */
export async function storeRecord(
  entered: EnteredArea,
  query: StoreQuery,
  call: Call,
): Promise<FastifyReply | JsonText | null> {
  const { collection, area } = entered;
  const { texts, format } = await readRecords(call, entered, query);
  const condition = conditionOf(call.request.headers);
  const { versions, revision } = await area.store(texts, condition, submissionMetadataOf(query));
  if (versions[0]) call.reply.header('etag', etagOf(versions[0], format));
  await noteWritten(call, entered, revision);
  if (query.hints) await afterChange(hint(call, entered, texts));
  return call.endpoint.area === 'user' ? submittedIn(call, collection, texts, format) : null;
}

/** The records of a submission in its format: as JSON, one array. */
async function submittedIn(
  { reply, service }: Call,
  { schema }: Collection,
  texts: readonly RecordText[],
  format: FormatName,
): Promise<FastifyReply | JsonText> {
  const { isJson, mediaType } = FORMATS[format];
  if (isJson) return new JsonText(`[${texts.map(({ json }) => json).join(',')}]`);
  const documents: string[] = [];
  const yieldIfDue = yielder();
  for (const one of texts) {
    documents.push(await documentOf(service.pool, schema, one, format));
    await yieldIfDue();
  }
  return sendText(reply, mediaType, documents.join('\n'));
}

/** POST of one object of a class that is checked, and not stored. */
export async function validateRecord(
  entered: EnteredArea,
  query: ValuesOf<typeof storeParameters>,
  call: Call,
): Promise<true> {
  const { texts } = await readRecords(call, entered, query);
  if (query.hints) await hint(call, entered, texts);
  return true;
}

/** Names hints in headers: nothing of them is refused. */
async function hint(call: Call, { area }: EnteredArea, texts: readonly RecordText[]): Promise<void> {
  const [found] = await area.hints([texts]);
  nameInHeader(call, 'accession-dangling', found?.dangling ?? []);
  nameInHeader(call, 'accession-duplicates', found?.duplicates ?? []);
}

/** The records that the object in the body becomes, of the class in the path, and the format of the body. */
async function readRecords(
  call: Call,
  { collection, area }: EnteredArea,
  { format: given, add_submission_tag: addSubmissionTag = false }: StoreQuery,
): Promise<{ readonly texts: RecordText[]; readonly format: FormatName }> {
  const bytes = await bodyBytes(call);
  const format = formatOf(call, given, bytes);
  checkContentType(call.request.headers['content-type'], format);
  const contextUrl = () => `${collectionUrl(originOf(call), collection.name)}/context.jsonld`;
  const posted = { bytes, className: classIn(call) ?? '', format, contextUrl };
  const texts = await judgePosted(call.service.pool, collection, area, posted, { addSubmissionTag });
  return { texts, format };
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
