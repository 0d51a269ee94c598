/** No request gets a 5xx answer, whatever is in it (specification 7, gap: 5xx is for what nobody expected). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '#linkml-test/any-character.ts';
import { ADMIN, testApp } from '../support/app.ts';
import { propertyRuns } from '../support/tier.ts';

/** Requests to make up; raise it for a long search. */
const RUNS = propertyRuns(150, 600);

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'];
const SEGMENTS = [
  'c',
  'sql',
  'nothing',
  'record',
  'records',
  'p',
  'Person',
  'Thing',
  'Nonsense',
  'curated',
  'incoming',
  'owner',
  'validate',
  '-',
  'export',
  'history',
  'collections',
  'tokens',
  'admin_tokens',
  'server',
  'maintenance',
  'docs',
  'openapi.json',
  '',
  '..%2f..',
  '%2F',
  '%',
  '%zz',
  '%00',
  '%ff',
  'ä',
  '*',
  ':collection',
  '__proto__',
  'constructor',
];
const NAMES = [
  'pid',
  'format',
  'matching',
  'page',
  'size',
  'add_submission_tag',
  'author_id',
  '__proto__',
  'x',
];
const VALUES = [
  'labid:a',
  'nope:a',
  'http://x/y',
  '',
  'json',
  'ttl',
  'xml',
  '%',
  '%25a%25',
  '1',
  '0',
  '-1',
  '2.0',
  '1e9',
  '9'.repeat(30),
  'true',
  'maybe',
];
const HEADERS = [
  'x-service-token',
  'x-dumpthings-token',
  'content-type',
  'origin',
  'if-match',
  'if-none-match',
  'accept-encoding',
  'access-control-request-method',
  'accept',
];
const HEADER_VALUES = [
  'owner',
  'curator',
  ADMIN,
  'stranger',
  'application/json',
  'text/turtle',
  'text/plain',
  'x',
  '*',
  '""',
  '"a.1.json"',
  'https://desk.example',
  'gzip, br',
  'POST',
  ';;;',
  'application/json; charset=latin1',
  'ä',
];

const anySegment = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...SEGMENTS) },
  fc.string({ maxLength: 8 }).map(encodeURIComponent),
);
const anyPath = fc.array(anySegment, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`);
/** Paths that exist, so that more than 404 is tried. */
const knownPath = fc.constantFrom(
  '/c/record/Person',
  '/c/record',
  '/c/records/',
  '/c/records/p/',
  '/c/records/Person',
  '/c/records/p/Person',
  '/c/validate/record/Person',
  '/sql/record/Person',
  '/sql/record',
  '/sql/records/',
  '/sql/records/p/Person',
  '/c/curated/record/Person',
  '/c/curated/record',
  '/c/curated/records/p/',
  '/c/incoming/',
  '/c/incoming/owner/record/Person',
  '/c/incoming/owner/record',
  '/c/incoming/owner/records/p/',
  '/-/c/records/Person',
  '/-/c/records/',
  '/-/c/export',
  '/-/sql/curated/export',
  '/collections',
  '/collections/c',
  '/tokens',
  '/tokens/owner',
  '/admin_tokens',
  '/maintenance',
  '/server',
  '/',
);
const anyQuery = fc
  .array(
    fc.tuple(
      fc.constantFrom(...NAMES),
      fc.oneof(fc.constantFrom(...VALUES), fc.string({ maxLength: 6 }).map(encodeURIComponent)),
    ),
    { maxLength: 4 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));
const anyHeaders = fc.dictionary(fc.constantFrom(...HEADERS), fc.constantFrom(...HEADER_VALUES), {
  maxKeys: 4,
});
const anyBody = fc.oneof(
  fc.constant(undefined),
  fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
  fc
    .record(
      {
        pid: fc.constantFrom('labid:a', 'nope:a', 'http://x/y', 7),
        family_name: fc.string(),
        name: fc.string(),
        relations: fc.jsonValue({ maxDepth: 2 }),
        annotations: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: ['pid'] },
    )
    .map((value) => JSON.stringify(value)),
  fc
    .record({ collection: fc.constantFrom('c', 'sql', 'x'), active: fc.constant(false) })
    .map((value) => JSON.stringify(value)),
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(
    '<a> <b> <c> .',
    '@prefix x: <y> .',
    '{',
    '['.repeat(5000),
    '{"a":'.repeat(5000),
    '"',
    'null',
    '[]',
    '[null]',
    '{}\n{}\n',
    '\n\n',
  ),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
);

test('no request gets a 5xx response, and every error response has a detail', async (t) => {
  const service = await testApp(
    t,
    {
      collections: { c: {}, sql: { backend: 'sqlite' } },
      tokens: {
        owner: { c: 'WRITE_COLLECTION', sql: 'WRITE_COLLECTION' },
        curator: { c: 'CURATOR', sql: 'CURATOR' },
      },
    },
    { origins: ['https://desk.example'] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...METHODS),
      fc.oneof({ weight: 2, arbitrary: knownPath }, anyPath),
      anyQuery,
      anyHeaders,
      anyBody,
      async (method, path, query, headers, body) => {
        const url = query === '' ? path : `${path}?${query}`;
        const answer = await service.request(method, url, { headers, body });
        const { status, text } = answer;
        assert.ok(status < 500, `${method} ${url} gave ${status}: ${text}`);
        if (
          status >= 400 &&
          method !== 'HEAD' &&
          method !== 'OPTIONS' &&
          !answer.headers['content-encoding']
        ) {
          assert.ok('detail' in (JSON.parse(text) as object), `${method} ${url} gave ${status}: ${text}`);
        }
      },
    ),
    { numRuns: RUNS },
  );
});
