/** The file in a `multipart/form-data` body, as forms of browsers send it (RFC 7578). */
import { ServiceError } from '../errors.ts';

/** A form with a file has a few fields before it. */
const MOST_PARTS = 100;

/** The content of the first part that is a file; of a body that is not multipart, the body itself. */
export function fileIn(body: Buffer, contentType: string | undefined): Buffer {
  if (!/^multipart\/form-data\b/i.test(contentType ?? '')) return body;
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType ?? '') ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw multipartMalformed('the Content-Type has no boundary');
  const line = Buffer.from(`--${boundary}`);
  let start = body.indexOf(line);
  for (let part = 0; start >= 0 && part < MOST_PARTS; part++) {
    const head = start + line.length + 2;
    const end = body.indexOf(Buffer.from(`\r\n--${boundary}`), head);
    const content = body.indexOf('\r\n\r\n', head);
    if (end < 0 || content < 0 || content > end) break;
    const headers = body.toString('utf8', head, content);
    if (/^content-disposition:.*;\s*filename\*?=/im.test(headers)) return body.subarray(content + 4, end);
    start = end + 2;
  }
  throw multipartMalformed('no part is a file');
}

function multipartMalformed(why: string): ServiceError {
  return new ServiceError('body_malformed', `The body is not a form with a file: ${why}.`);
}
