/** Schemas with and without records that have a `pid`, and a service with a collection of one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ADMIN, testApp } from './app.ts';

export const HEAD = `
id: https://example.org/schema
name: example
prefixes: { ex: https://example.org/, linkml: https://w3id.org/linkml/ }
imports: [linkml:types]
default_prefix: ex
default_range: string
classes:
`;
export const GOOD = `${HEAD}
  Book:
    attributes:
      pid: { identifier: true, range: uriorcurie, required: true }
      title: {}
`;
export const BY_ID = `${HEAD}
  Book:
    attributes:
      id: { identifier: true, range: uriorcurie, required: true }
      title: {}
`;

/** Schemas with a class that cannot be stored, and what the refusal says of it. */
export const REFUSED: Record<string, [schema: string, expected: RegExp]> = {
  'an identifier of another name': [BY_ID, /Class Book has no slot `pid`.*rename `id` to `pid`/],
  'no identifier': [`${HEAD}  Book: { attributes: { title: {} } }`, /Class Book has no slot `pid`.*add it/],
  'a key': [`${HEAD}  Book: { attributes: { isbn: { key: true } } }`, /Class Book has no slot `pid`/],
  'a Thing without a pid': [
    `${HEAD}
  Thing: { abstract: true, attributes: { id: { identifier: true } } }
  Book: { is_a: Thing }`,
    /Class Book has no slot `pid`/,
  ],
  'a pid that is not the identifier': [
    `${HEAD}
  Thing: { attributes: { pid: { required: true } } }
  Book: { is_a: Thing }`,
    /Class Thing has a slot `pid` that is not its identifier.*Class Book/,
  ],
  'one class of several': [
    `${GOOD}
  Author: { attributes: { id: { identifier: true } } }`,
    /Class Author has no slot `pid`/,
  ],
  'a class that others refer to': [
    `${GOOD}
      author: { range: Author }
  Author: { attributes: { id: { identifier: true } } }`,
    /Class Author has no slot `pid`/,
  ],
};

/** A collection `c` with a schema. */
export async function started(t: TestContext, schema = GOOD, type = 'sqlite', store?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'accession-pids-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const address = file('schema.yaml', schema);
  const service = await testApp(
    t,
    {
      collections: { c: { schema: address, backend: { type } } },
      tokens: { cora: { c: 'CURATOR' } },
    },
    store === undefined ? {} : { store },
  );
  const put = (config: object, query = '') =>
    service.request('PUT', `/collections${query}`, {
      token: ADMIN,
      json: { default_token: 'none', backend: { type: 'sqlite' }, ...config },
    });
  return { service, file, address, put };
}
