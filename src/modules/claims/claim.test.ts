/** Claims of records with more members in a set than are compared one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#linkml/json.ts';
import { openSchemaText } from '../../core/schema/schema.ts';
import { claimOf } from './claim.ts';

const schema = await openSchemaText(
  `
id: https://example.org/s
name: s
prefixes: { ex: https://example.org/, linkml: https://w3id.org/linkml/ }
imports: [linkml:types]
default_range: string
classes:
  Thing:
    attributes:
      pid: { identifier: true, range: uriorcurie }
      tags: { multivalued: true }
      parts: { range: Part, multivalued: true, inlined_as_list: true }
      annotations: { range: Annotation, multivalued: true, inlined: true }
  Part: { attributes: { a: {}, b: {} } }
  Annotation: { attributes: { annotation_tag: { key: true, range: uriorcurie }, annotation_value: {} } }
`,
  '/claims.yaml',
);
const digest = (members: JsonObject) =>
  claimOf(schema, { className: 'Thing', record: { pid: 'ex:a', ...members } }).digest;

/** Both sides of the limit. */
for (const count of [100, 25_000]) {
  const each = <T extends JsonValue>(make: (n: number) => T) =>
    Array.from({ length: count }, (_, n) => make(n));
  const mapping = (make: (n: number) => [string, JsonValue]) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => make(n)));
  const listed = each((n) => ({ annotation_tag: `ex:t${n}`, annotation_value: 'v' }));

  test(`${count} members: order, repetition and spelling make no difference, other values do`, () => {
    const tags: string[] = each((n) => `t${n}`);
    const same: JsonObject[][] = [
      [{ tags }, { tags: tags.toReversed() }, { tags: [...tags, ...tags, null] }],
      [
        { parts: each((n) => ({ a: `${n}` })) },
        { parts: each((n) => ({ a: `${count - 1 - n}`, b: null })) },
        { parts: [...each((n) => ({ a: `${n}` })), { a: '7' }] },
      ],
      [
        { annotations: mapping((n) => [`ex:t${n}`, 'v']) },
        { annotations: mapping((n) => [`https://example.org/t${n}`, { annotation_value: 'v' }]) },
        { annotations: { ...mapping((n) => [`ex:t${n}`, 'v']), 'https://example.org/t7': 'v' } },
        { annotations: listed },
        { annotations: [...listed.toReversed(), listed[7]!] },
      ],
    ];
    const digests = same.map((forms) => new Set(forms.map(digest)));
    assert.deepEqual(
      digests.map(({ size }) => size),
      [1, 1, 1],
    );
    const changed: JsonObject[] = [
      { tags: tags.with(7, 'x') },
      { parts: [...each((n) => ({ a: `${n}` })), { b: '7' }] },
      { annotations: { ...mapping((n) => [`ex:t${n}`, 'v']), 'https://example.org/t7': 'x' } },
      { annotations: listed.with(7, { annotation_tag: 'ex:t7', annotation_value: 'x' }) },
    ];
    const others = changed.map(digest);
    assert.equal(new Set([...digests.flatMap((one) => [...one]), ...others]).size, 7);
  });
}
