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
): Promise<FastifyReply> {
  let begun = '';
  for (let next = await parts.next(); ; next = await parts.next()) {
    if (next.done) return sendJson(reply, begun);
    begun += next.value;
    if (begun.length >= SENT_AS_WHOLE) break;
  }
  const stream = Readable.from(rest(begun, parts), { objectMode: false });
  return reply.header('content-type', 'application/json').send(stream);
}

async function* rest(begun: string, parts: AsyncGenerator<string>) {
  yield begun;
  yield* parts;
}
