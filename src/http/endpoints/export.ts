/** The records of an area as one stream, with memory that does not grow with the area. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Collection } from '../../collections/collection.ts';
import type { ServiceError } from '../../errors.ts';
import type { FormatName } from '../../formats/format.ts';
import { FORMATS } from '../../formats/formats.ts';
import { compareCodePoints } from '../../json.ts';
import type { RecordText } from '../../records/record.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { enterArea } from '../enter.ts';
import { parameterInvalid, parametersOf, textParameter } from '../query.ts';

import { MOUNTS } from './mounts.ts';
import { format, matching, turtleNote } from './records.ts';

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
const EXPORT_CHUNK = 64 * 1024;

const after = textParameter(
  'Continues behind the record with this pid, so that an interrupted export goes on.',
);
const exportParameters = { format, matching, after };

/** GET of an area, in pid order: NDJSON, one record a line, or one Turtle document after the other. */
async function exportArea(call: Call): Promise<FastifyReply> {
  const { collection, area } = await enterArea(call);
  const { format, matching, after } = parametersOf(call, exportParameters);
  if (matching !== undefined && !collection.honorsMatching) throw matchingUnknown(collection, matching);
  const { mediaType, entry } = STREAMS[format];
  const all = await area.scan({ matching });
  const records = after === undefined ? all : behind(all, after);
  return call.reply
    .header('content-type', mediaType)
    .send(Readable.from(chunks(collection, records, entry), { objectMode: false }));
}

async function* behind<R extends { readonly pid: string }>(records: AsyncIterable<R>, pid: string) {
  for await (const record of records) if (compareCodePoints(record.pid, pid) > 0) yield record;
}

function matchingUnknown(collection: Collection, input: string): ServiceError {
  const msg = `The query parameter 'matching' is not supported by the backend '${collection.config.backend.type}' of the collection '${collection.name}', expected none.`;
  return parameterInvalid([{ type: 'parameter_unsupported', loc: ['query', 'matching'], msg, input }]);
}

async function* chunks(collection: Collection, records: AsyncIterable<RecordText>, entry: Entry) {
  let chunk = '';
  for await (const record of records) {
    chunk += entry(collection, record);
    if (chunk.length < EXPORT_CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

const STREAM = {
  200: {
    description: 'All records in pid order: NDJSON, one record a line, or a sequence of Turtle documents.',
    content: {
      'application/x-ndjson': { schema: { type: 'string' } },
      'text/turtle': { schema: { type: 'string' } },
    },
  },
};

/** The endpoints that read whole areas. */
export const exportEndpoints: readonly Endpoint[] = MOUNTS.map(({ kind, path, token, title }) => ({
  area: kind,
  tag: kind,
  token,
  method: 'GET',
  path: `/-${path}/export`,
  id: 'export',
  summary: `Read all records ${title} as one stream`,
  action: 'read',
  query: exportParameters,
  answers: STREAM,
  handle: exportArea,
}));
