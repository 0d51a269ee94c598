/** `accession import` of JSON-LD: each form of a file, contexts, and what is refused. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FORMATS } from '../../src/core/formats/formats.ts';
import { openSchema } from '../../src/core/schema/schema.ts';
import { organization, person } from '../support/people.ts';
import { accession, LABORATORY, scratch } from './accession.ts';
import { listening } from './service.ts';

test('a file of JSON-LD is one document, an array, or a document a line', async (t) => {
  const service = await listening(t);
  const folder = scratch(t);
  const schema = await openSchema(LABORATORY);
  const written = (className: string, json: object) =>
    FORMATS.jsonld.serialize(JSON.stringify(json), className, schema);
  const load = (content: string, ...options: string[]) => {
    const file = join(folder, 'records.jsonld');
    writeFileSync(file, content);
    const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' };
    return accession(['import', 'lab', file, '--curated', ...options], { env });
  };
  const stored = async () => {
    const { text } = await service.request('GET', '/-/lab/curated/export', { token: 'cur' });
    return [...text.matchAll(/"pid":"labid:(\w+)"/g)].map(([, name]) => name);
  };
  const one = JSON.stringify(JSON.parse(written('Person', person('a'))), undefined, 2);
  const [b, c] = [written('Person', person('b')), written('Organization', organization('c'))];
  for (const content of [one, `[${b},\n${c}]`, `${written('Person', person('d'))}\n${b}\n`]) {
    const { status, stderr } = await load(content);
    assert.deepEqual([status, / 0 refused\n$/.test(stderr)], [0, true], stderr);
  }
  assert.deepEqual(await stored(), ['a', 'b', 'c', 'd']);
  const ofCollection = { '@context': `${service.url}/-/lab/context.jsonld`, ...person('e') };
  const typed = { ...ofCollection, schema_type: 'schema:Person' };
  assert.equal((await load(JSON.stringify(typed))).status, 0);
  assert.equal((await load(JSON.stringify(person('f')), '--class', 'Person')).status, 0);
  assert.deepEqual(await stored(), ['a', 'b', 'c', 'd', 'e', 'f']);
  const elsewhere = { '@context': 'https://example.org/context.jsonld', name: 'X' };
  const refused = await load(JSON.stringify(elsewhere));
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /The context .*example\.org.* is not fetched/);
  const context = { '@vocab': 'http://schema.org/' };
  for (const directed of [
    {
      '@context': context,
      '@type': 'Person',
      name: { '@value': 'X', '@language': 'ar', '@direction': 'rtl' },
    },
    { '@context': context, '@type': 'Person', name: { '@value': 'X', '@direction': 'rtl' } },
    { '@context': { ...context, '@direction': 'rtl' }, '@type': 'Person', name: 'X' },
    {
      '@context': { ...context, name: { '@id': 'name', '@direction': 'ltr' } },
      '@type': 'Person',
      name: 'X',
    },
  ])
    assert.match((await load(JSON.stringify(directed))).stderr, /"X" with a direction.*Leave out @direction/);
});
