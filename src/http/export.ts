/** All records of an area as one stream, with memory that does not grow with the area. */
import { Readable } from 'node:stream';
import type { Collection } from '../collections/collection.ts';
import type { FormatName } from '../formats/format.ts';
import { FORMATS } from '../formats/formats.ts';
import type { RecordText } from '../records/record.ts';
import { choice, type Query, readParameters, text } from './query.ts';
import type { Handler } from './reply.ts';
import type { OpenTarget } from './targets.ts';

type Entry = (collection: Collection, record: RecordText) => string;

/** How a record stands in a stream, and how the stream is called. */
const STREAMS: Readonly<Record<FormatName, { mediaType: string; entry: Entry }>> = {
  json: { mediaType: 'application/x-ndjson', entry: (_collection, { json }) => `${json}\n` },
  ttl: {
    mediaType: 'text/turtle; charset=utf-8',
    entry: ({ schema }, { json, className }) => `${FORMATS.ttl.serialize(json, className, schema)}\n`,
  },
};
/** Text is handed on in pieces of about this many characters. */
const CHUNK = 64 * 1024;

/** GET of an area, in pid order: NDJSON, one record a line, or one Turtle document after the other. */
export function exportArea(open: OpenTarget): Handler {
  return async (request, reply) => {
    const { collection, area } = await open(request);
    const { view } = await area.source();
    const { format, matching } = readParameters(request.query as Query, {
      format: choice<FormatName>(['json', 'ttl'], 'json'),
      matching: text(),
    });
    const { mediaType, entry } = STREAMS[format];
    return reply
      .header('content-type', mediaType)
      .send(Readable.from(chunks(collection, view.scan({ matching }), entry), { objectMode: false }));
  };
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
