/** Parts of a content that never changes, for downloads that go on where they ended (RFC 9110, 14). */
import { ServiceError } from '../../core/errors.ts';
import type { Call } from '../../core/http/endpoint.ts';
import type {} from './codes.ts';

/** The bytes from the first one to the one before `to`. */
type ByteRange = { readonly from: number; readonly to: number };

/**
 * The range of a content that the request asks for, with the status and the headers of the response; all of it if there is none, or if
 * `If-Range` names another content. Several ranges at once are answered with all.
 *
 * @param etag of the content as it is, without a coding
 * @throws ServiceError `range_unsatisfiable`
 */
export function beginRange({ request, reply }: Call, size: number, etag: string): ByteRange {
  reply.header('accept-ranges', 'bytes');
  const { range, 'if-range': condition } = request.headers;
  const [, first, last] = (request.method === 'GET' && range?.match(/^bytes=(\d*)-(\d*)$/)) || [];
  const isMeant = condition === undefined || condition === etag;
  if (first === undefined || last === undefined || first + last === '' || !isMeant)
    return { from: 0, to: size };
  // Without the first one, the last bytes are meant.
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  // A range that ends before it begins is none.
  if (first !== '' && last !== '' && Number(last) < Number(first)) return { from: 0, to: size };
  if (from >= to) {
    reply.header('content-range', `bytes */${size}`);
    throw new ServiceError(
      'range_unsatisfiable',
      `The content has ${size} bytes, and the range '${range}' has none of them.`,
    );
  }
  reply.code(206).header('content-range', `bytes ${from}-${to - 1}/${size}`);
  return { from, to };
}

/** The bytes of a content within a range, of chunks that begin with its first byte. */
export async function* partOf(
  content: AsyncIterable<Uint8Array>,
  { from, to }: ByteRange,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const chunk of content) {
    const part = chunk.subarray(Math.max(0, from - at), Math.max(0, to - at));
    at += chunk.length;
    if (part.length > 0) yield part;
    if (at >= to) return;
  }
}
