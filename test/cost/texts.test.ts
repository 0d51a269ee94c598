/**
 * How the cost of functions grows that read what strangers write into headers, paths, parameters and values: each with the text
 * that an expression or a loop in it would have to read again at every character. `endpoints.long.test.ts` measures whole requests.
 */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { parseExpression } from '#linkml/expressions/expression-syntax.ts';
import { canonicalJson } from '#linkml/json.ts';
import { plainDecimal } from '#linkml/turtle/write/write-values.ts';
import { toFloat } from '#linkml/types/numbers.ts';
import { readYaml } from '#linkml/yaml/read.ts';
import type { Configuration } from '../../src/core/config/config.ts';
import { jsonLdFormat } from '../../src/core/formats/json-ld.ts';
import { presentedToken } from '../../src/core/http/client.ts';
import { collectionPaths } from '../../src/core/http/collection-paths.ts';
import { conditionOf } from '../../src/core/http/etag.ts';
import { etagOf, expectationIn } from '../../src/core/records/condition.ts';
import { matcher } from '../../src/core/records/search.ts';
import { openSchema } from '../../src/core/schema/schema.ts';
import { compileLikePattern } from '../../src/core/storage/search/matching.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { costsOf } from './costs-of.ts';

const schema = await openSchema(resolve(import.meta.dirname, '../../examples/laboratory/schema.yaml'));
const configuration = { collections: {}, tokens: {}, admin_tokens: {} } as unknown as Configuration;
const routed = collectionPaths(ENDPOINTS, () => configuration);

const referring = (n: number) =>
  canonicalJson({
    pid: 'labid:x',
    family_name: 'x',
    name: 'x',
    schema_type: 'schema:Person',
    affiliations: Array.from({ length: n }, (_, at) => `labid:${at}`),
  });

const mergedOften = (n: number) => {
  const keys = Array.from({ length: n }, (_, at) => `k${at}: 1`);
  return `x: &x {${keys.join(', ')}}\ny: &y {}\nz: {<<: [*x${', *y'.repeat(n)}]}\n`;
};

/** A slot with as many values as a search asks for, and none of these. */
const valuesInRecord = (n: number) => {
  const values = (letter: string) => Array.from({ length: n / 16 }, (_, at) => `${letter}${at}`);
  const slots = [[{ slot: 'tags', test: 'is' as const, values: values('ä') }]];
  return matcher({ text: { parts: [] }, slots })(JSON.stringify({ tags: values('é') }));
};

/** A pattern of different letters, none of which is in a long record. */
const lettersInRecord = (n: number) => {
  const letters = Array.from({ length: n / 256 }, (_, at) => String.fromCharCode(0x4e00 + at));
  return compileLikePattern(`%${letters.join('_')}%`).matchesRecord(
    JSON.stringify({ x: 'x'.repeat(n * 64) + letters.join('%') }),
  );
};

/** A condition with many states, about a record that is in none of them. */
const statesOfRecord = (n: number) => {
  const tags = Array.from({ length: n / 64 }, (_, at) =>
    etagOf({ scope: 'c', digest: `${at}`.padStart(22, '0') }, 'json'),
  );
  const condition = conditionOf({ 'if-match': tags.join() });
  return expectationIn('c', condition!, { json: JSON.stringify({ name: 'x'.repeat(n * 64) }), revision: 1 });
};

const READERS: Readonly<Record<string, (n: number) => unknown>> = {
  'blanks in Authorization': (n) => presentedToken({ authorization: `Bearer ${' '.repeat(n)}\u00a0` }),
  'a path with many ends of its name': (n) => routed({ url: `/-/x%2F${'/resource'.repeat(n / 9)}` }),
  'a long decimal': (n) => plainDecimal('1'.repeat(n)),
  'a long negative decimal': (n) => plainDecimal(`-${'0'.repeat(n)}1`),
  // Longer ones are no numbers.
  'many long floats': (n) => {
    for (let at = 0; at < 100; at++) toFloat(`${'1'.repeat(n / 16)}x`);
  },
  'references as JSON-LD': (n) => jsonLdFormat.serialize(referring(n / 2), 'Person', schema),
  'merged mappings of YAML': (n) => readYaml(mergedOften(n / 8)),
  'values of a slot that a search asks for': valuesInRecord,
  'letters of a pattern in a long record': lettersInRecord,
  'states that a condition names, and a long record': statesOfRecord,
  // Three parts of an expression could each have all blanks.
  'blanks in a slot of an expression': (n) => assert.throws(() => parseExpression(`{${' '.repeat(n / 32)}x`)),
};

costsOf(READERS);
