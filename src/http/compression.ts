/**
 * Answers in a content coding. Each coding is a separate representation: an entity tag is strong, so no two of them
 * may share one (RFC 9110, 8.8.3.3), and caches have to know that there are several.
 */
import compress from '@fastify/compress';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { encodedTag } from './etag.ts';
import { addVary } from './reply.ts';

/** Matches media types that are worth compressing, if the client asks for it. An event would wait for the next ones. */
const COMPRESSIBLE = /^(text\/(?!event-stream)|application\/(json|ld\+json|n-quads|x-ndjson|xml))/;

/** Compresses answers with Brotli or gzip if the client asks for it. */
export async function compressAnswers(app: FastifyInstance): Promise<void> {
  await app.register(compress, { encodings: ['br', 'gzip'], customTypes: COMPRESSIBLE });
  // The hooks of a route run in the order in which they were added: this one when it is settled what is compressed.
  app.addHook('onRoute', (route: RouteOptions) => {
    if ([route.method].flat().includes('GET')) route.onSend = [route.onSend ?? [], tellCoding].flat();
  });
}

function tellCoding(
  _request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const etag = reply.getHeader('etag');
  if (typeof etag === 'string') {
    const coding = reply.getHeader('content-encoding');
    if (typeof coding === 'string') reply.header('etag', encodedTag(etag, coding));
    // A compressed response already has the header.
    else addVary(reply, 'accept-encoding');
  }
  done(null, payload);
}
