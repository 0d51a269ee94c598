/** Long answers that are made while they are sent, with memory for a part of them. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { sendJson } from './reply.ts';

/** Answers with fewer characters are sent as a whole, with their length. */
const SENT_AS_WHOLE = 256 * 1024;

/**
 * Sends a JSON text that is made in parts. If making the first {@link SENT_AS_WHOLE} characters fails, the error is answered; a
 * later one ends the connection, so that the client does not take a part for the whole.
 */
export async function sendJsonParts(
  reply: FastifyReply,
  parts: AsyncGenerator<string>,
  stillAllowed: StillAllowed,
): Promise<FastifyReply> {
  let begun = '';
  for (let next = await parts.next(); ; next = await parts.next()) {
    if (next.done) return sendJson(reply, begun);
    begun += next.value;
    if (begun.length >= SENT_AS_WHOLE) break;
  }
  return sendParts(reply, 'application/json', rest(begun, parts), stillAllowed);
}

/** Throws once the request of a stream would be refused, or would be answered otherwise. */
export type StillAllowed = () => Promise<void>;

/**
 * Sends a body that is made in parts. Before each part, asks whether the client may still read it; if not, the connection is broken,
 * as by any error of a later part.
 */
export function sendParts(
  reply: FastifyReply,
  contentType: string,
  parts: AsyncIterable<string | Uint8Array>,
  stillAllowed: StillAllowed,
): FastifyReply {
  // Nothing is made for a response without a body, which would be read to its end.
  const sent = reply.request.method === 'HEAD' ? [] : whileAllowed(parts, stillAllowed);
  return reply.header('content-type', contentType).send(Readable.from(sent, { objectMode: false }));
}

async function* whileAllowed<P>(parts: AsyncIterable<P>, stillAllowed: StillAllowed): AsyncGenerator<P> {
  for await (const part of parts) {
    await stillAllowed();
    yield part;
  }
}

/** Parts are sent together until they have this many characters. */
export const CHUNK = 64 * 1024;

/** Lines in chunks, each line with its end. */
export async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

async function* rest(begun: string, parts: AsyncGenerator<string>) {
  yield begun;
  yield* parts;
}
