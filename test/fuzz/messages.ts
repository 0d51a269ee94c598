/** Bytes that are almost HTTP requests. */
import fc from 'fast-check';
import { anyCharacter } from '#linkml-test/any-character.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { TOKENS } from './target.ts';

const VALUES: Readonly<Record<string, readonly string[]>> = {
  collection: ['sql', 'files', 'nothing', '%2e%2e', '%00', 'ä'],
  class: ['Person', 'Publication', 'Thing', 'Nothing', '__proto__'],
  label: [TOKENS.user, 'x', '..', '%2f', '.accession'],
  name: ['sql', 'user', '__bootstrap__', '__proto__', '%ff'],
};

const path = fc.constantFrom(...ENDPOINTS).chain((endpoint) =>
  fc.record({
    method: fc.constant(endpoint.method as string),
    path: fc.infiniteStream(fc.nat()).map((stream) =>
      endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
        const values = VALUES[name] ?? ['x'];
        return values[(stream.next().value as number) % values.length] as string;
      }),
    ),
  }),
);

const query = fc.constantFrom(
  '',
  '?pid=labid:a',
  '?format=ttl',
  '?format=xml',
  '?page=1&size=2',
  '?page=-1',
  '?size=1e9',
  '?matching=%25a%25',
  `?matching=${'%25a'.repeat(200)}`,
  '?%',
  '?%zz=%ff',
  '?pid=%00',
  '?pid=a&pid=b',
  '?__proto__=1',
  `?${'a=b&'.repeat(2000)}`,
);

const body = fc.oneof(
  fc.constant(''),
  fc.json(),
  fc.constantFrom(
    '{"pid":"labid:a","name":"a","family_name":"a"}',
    '[{"pid":"labid:a","schema_type":"lab:Person"}]',
    'null',
    '{',
    '"\ud800"',
    '@prefix labid: <https://example.org/laboratory/id/> . labid:a a labid:b .',
  ),
  fc.string({ unit: anyCharacter, maxLength: 200 }),
);

const headers = fc.array(
  fc.oneof(
    fc.constantFrom(...Object.values(TOKENS)).map((token) => `X-Service-Token: ${token}`),
    fc.constantFrom(
      'Content-Type: application/json',
      'Content-Type: text/turtle',
      'Content-Type: ;;;',
      'Content-Type: application/json; charset=utf-16',
      'Authorization: Bearer',
      'Authorization: Basic YTpi',
      'Authorization: Bearer \u0001',
      'If-Match: "',
      'If-None-Match: *',
      'If-Match: W/"a", "b", *',
      'Accept-Encoding: br;q=2, *;q=-1',
      'Content-Encoding: gzip',
      'Content-Encoding: nothing',
      'Content-Encoding: gzip, gzip, br',
      'Expect: 100-continue',
      'Expect: the unexpected',
      'Upgrade: websocket',
      'Connection: upgrade, keep-alive, close',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: gzip, chunked',
      'Transfer-Encoding: identity',
      'Content-Length: 0',
      'Content-Length: 5',
      'Content-Length: -1',
      'Content-Length: 99999999999999999999',
      'Content-Length: 1, 2',
      'Content-Length: 0x10',
      'Host: [::1',
      'Host: ',
      'Origin: null',
      'Range: bytes=0-,1-',
      'X-Forwarded-For: unknown, 1.2.3.4, \t',
      'X-Forwarded-For: ,,,',
      'X-Forwarded-Host: a/../b',
      'X-Forwarded-Proto: javascript',
      'No colon here',
      ': no name',
      'Folded: a\r\n b',
      'Bare: a\nX: b',
      'Null: \u0000',
      `Long: ${'x'.repeat(70_000)}`,
      `${'X-Many: 1\r\n'.repeat(3000)}X-Last: 1`,
    ),
  ),
  { maxLength: 6 },
);

const firstLine = fc
  .record({
    version: fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/1', ''),
    path,
    query,
  })
  .map(({ version, path: { method, path: place }, query: rest }) => `${method} ${place}${rest} ${version}`);

const oddFirstLine = fc.constantFrom(
  'OPTIONS * HTTP/1.1',
  'CONNECT example.org:443 HTTP/1.1',
  'GET http://example.org/server HTTP/1.1',
  'GET //server HTTP/1.1',
  'GET /\\..\\x HTTP/1.1',
  'GET server HTTP/1.1',
  'GET  /server  HTTP/1.1',
  'get /server HTTP/1.1',
  'QUERY /server HTTP/1.1',
  'TRACE /server HTTP/1.1',
  'PRI * HTTP/2.0',
  `GET /${'a'.repeat(70_000)} HTTP/1.1`,
  `GET /${'a/'.repeat(20_000)} HTTP/1.1`,
  `GET /${'%'.repeat(1000)} HTTP/1.1`,
);

/** A message whose length is right, wrong or missing, and how many bytes of it are sent. */
const message = fc
  .record({
    first: fc.oneof({ weight: 6, arbitrary: firstLine }, { weight: 1, arbitrary: oddFirstLine }),
    headers,
    body,
    length: fc.constantFrom('right', 'right', 'right', 'short', 'long', 'none', 'chunked'),
  })
  .map(({ first, headers: lines, body: text, length }) => {
    const size = Buffer.byteLength(text);
    const framing = {
      right: [`Content-Length: ${size}`],
      short: [`Content-Length: ${Math.max(0, size - 3)}`],
      long: [`Content-Length: ${size + 1000}`],
      none: [],
      chunked: ['Transfer-Encoding: chunked'],
    }[length];
    const content = length === 'chunked' ? `${size.toString(16)}\r\n${text}\r\n0\r\n\r\n` : text;
    return Buffer.from(
      `${[first, 'Host: fuzz', ...lines, ...framing].join('\r\n')}\r\n\r\n${content}`,
      'utf8',
    );
  });

const damaged = fc
  .record({
    message,
    damage: fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255) }), { maxLength: 5 }),
    cut: fc.nat(4000),
  })
  .map(({ message: bytes, damage, cut }) => {
    const copy = Buffer.from(bytes);
    for (const { at, byte } of damage) copy[at % copy.length] = byte;
    return copy.subarray(0, Math.max(1, copy.length - (cut % 3 === 0 ? cut % copy.length : 0)));
  });

/** What one connection sends; several messages follow each other. */
export const bytesToSend = fc.oneof(
  { weight: 5, arbitrary: message },
  { weight: 4, arbitrary: damaged },
  {
    weight: 1,
    arbitrary: fc.array(message, { minLength: 2, maxLength: 5 }).map((list) => Buffer.concat(list)),
  },
  {
    weight: 1,
    arbitrary: fc.uint8Array({ minLength: 1, maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
  },
);
