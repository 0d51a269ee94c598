/** The records of an area as one stream, with memory that does not grow with the area. */

import type { FastifyReply } from 'fastify';
import { compareCodePoints } from '#linkml/json.ts';
import type { AreaReads } from '../../collections/area.ts';
import { documentOrNoteOf } from '../../collections/documents.ts';
import { FORMATS } from '../../formats/formats.ts';
import type { RecordText } from '../../records/record.ts';
import { type Call, type Endpoint, row } from '../endpoint.ts';
import { type EnteredArea, enterArea, whileEntered } from '../enter.ts';
import type { ValuesOf } from '../parameter.ts';
import { at, textParameter } from '../query.ts';
import { readsAt, requireMatching } from '../reads.ts';
import { contentTypeOf } from '../reply.ts';
import { replying } from '../replying.ts';
import { CHUNK, inChunks, sendParts } from '../stream-reply.ts';
import { MOUNTS } from './mounts.ts';
import { format, matching } from './record-parameters.ts';
import { UNCHANGED } from './schemas.ts';

const after = textParameter(
  'Continues behind the record with this pid, so that an interrupted export goes on.',
);
export const exportParameters = { format, matching, at, after };

/** GET of an area, in pid order: one document after the other; as JSON, one record a line (NDJSON). */
function exportArea(
  entered: EnteredArea,
  query: ValuesOf<typeof exportParameters>,
  call: Call,
): Promise<FastifyReply> {
  const { schema } = entered.collection;
  const { pool } = call.service;
  requireMatching(entered.collection, query.matching);
  return sendStream(call, entered, query, async () => ({
    ...(await readsAt(call, entered, query)),
    lineOf: (record) => documentOrNoteOf(pool, schema, record, query.format),
  }));
}

/** The reads of a stream, and what it has of each record; nothing if the client has the response already. */
export type StreamReads = {
  readonly reads: AreaReads;
  readonly lineOf?: (record: RecordText) => string | Promise<string>;
};

/** Sends the records of an area as one stream. */
export async function sendStream(
  call: Call,
  entered: EnteredArea,
  { format, matching, after }: Pick<ValuesOf<typeof exportParameters>, 'format' | 'matching' | 'after'>,
  open: () => Promise<StreamReads>,
): Promise<FastifyReply> {
  const stillAllowed = whileEntered(call, enterArea, entered);
  const { reads, lineOf } = await open();
  if (!lineOf) return call.reply.code(304).send();
  const all = await reads.scan({ matching });
  const records = after === undefined ? all : behind(all, after);
  const lines = linesOf(call, records, lineOf);
  return sendParts(call.reply, contentTypeOf(FORMATS[format].streamType), inChunks(lines), stillAllowed);
}

async function* behind<R extends { readonly pid: string }>(records: AsyncIterable<R>, pid: string) {
  for await (const record of records) if (compareCodePoints(record.pid, pid) > 0) yield record;
}

async function* linesOf(
  { service, reply }: Call,
  records: AsyncIterable<RecordText>,
  lineOf: (record: RecordText) => string | Promise<string>,
) {
  for await (const record of records) {
    // The document, and the part of it that is sent.
    if (record.json.length > CHUNK) await service.responses.room(reply.raw, 3 * record.json.length);
    yield await lineOf(record);
  }
}

const STREAM = {
  ...UNCHANGED,
  200: {
    description:
      'All records in pid order: NDJSON, one record a line, or a sequence of documents of another format.',
    content: Object.fromEntries(
      Object.values(FORMATS).map(({ streamType }) => [streamType, { schema: { type: 'string' } }]),
    ),
  },
};

/** The endpoints that read whole areas. */
export const exportEndpoints: readonly Endpoint[] = MOUNTS.map(({ kind, path, title }) =>
  row('GET', `/-${path}/export`, 'export', {
    area: kind,
    tag: kind,
    summary: `Read all records ${title} as one stream`,
    action: 'read',
    reads: 'export',
    answers: STREAM,
    refusals: [410, 413],
    ...replying(enterArea, exportParameters, exportArea),
  }),
);
