/** Values that a program in JavaScript passes to the library and `JSON.parse` does not yield. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LinkmlError } from './errors.ts';
import { canonicalJson } from './json.ts';
import { openLinkml } from './linkml.ts';

const SOURCE = {
  id: 'https://example.org/schemas/values',
  prefixes: { ex: 'https://example.org/', linkml: 'https://w3id.org/linkml/' },
  default_prefix: 'ex',
  imports: ['linkml:types'],
  classes: {
    C: {
      attributes: {
        id: { identifier: true, range: 'uriorcurie' },
        age: { range: 'integer' },
        size: { range: 'float' },
        when: { range: 'datetime' },
        texts: { multivalued: true },
        any: { range: 'Any' },
        entries: { range: 'Entry', multivalued: true, inlined: true },
      },
    },
    Entry: { attributes: { key: { key: true }, note: {} } },
    Typed: { attributes: { id: { identifier: true }, type: { designates_type: true, required: true } } },
    Any: { class_uri: 'linkml:Any' },
  },
};
const schema = await openLinkml(SOURCE);

/** The canonical record, or the problems in words. */
function said(value: unknown, className = 'C'): string {
  const checked = schema.check(className, value);
  return checked.valid ? canonicalJson(checked.record) : checked.problems.map(({ msg }) => msg).join(' ');
}

test('values of JavaScript are read as JSON.stringify writes them, or are problems', () => {
  const when = new Date('2024-02-29T12:00:00Z');
  const rows: readonly (readonly [unknown, string | RegExp])[] = [
    [{ id: 'ex:1', age: undefined, unknown: undefined }, '{"id":"ex:1"}'],
    [{ id: 'ex:1', entries: { a: undefined, b: {} } }, '{"entries":{"b":{"key":"b"}},"id":"ex:1"}'],
    [
      { id: 'ex:1', any: { a: undefined, b: [10n, when] } },
      '{"any":{"b":[10,"2024-02-29T12:00:00.000Z"]},"id":"ex:1"}',
    ],
    [{ id: 'ex:1', age: 10n }, '{"age":10,"id":"ex:1"}'],
    [{ id: 'ex:1', age: 2n ** 70n }, '{"age":1180591620717411303424,"id":"ex:1"}'],
    [{ id: 'ex:1', when }, '{"id":"ex:1","when":"2024-02-29T12:00:00Z"}'],
    [{ id: 'ex:1', when: new Date(Number.NaN) }, /when: found null, expected a date and time/],
    [{ id: 'ex:1', age: when }, /age: found "2024-02-29T12:00:00.000Z", expected an integer/],
    [{ id: 'ex:1', size: Number.NaN }, /size: found NaN, expected a number/],
    [{ id: 'ex:1', texts: [undefined] }, /texts: found nothing, expected text/],
    [
      { id: 'ex:1', texts: ['a', undefined, 'b', 1n] },
      /texts: found nothing, .* texts: found 1, expected text/,
    ],
    [{ id: 'ex:1', texts: [() => 1] }, /texts: found a function, expected text/],
    [{ id: 'ex:1', any: [Symbol('s')] }, /any: found a symbol, expected a value of JSON/],
    [{ id: 'ex:1', any: Number.NaN }, /any: found NaN, expected a value of JSON/],
    [{ __proto__: { age: 'inherited', unknown: 1 }, id: 'ex:1' }, '{"id":"ex:1"}'],
    [{ id: undefined }, /id: found nothing, expected a value/],
    [undefined, /found nothing, expected an object of class C/],
    [Symbol('s'), /found a symbol, expected an object of class C/],
    [() => 1, /found a function, expected an object of class C/],
    [1n, /found 1, expected an object of class C/],
  ];
  for (const [value, expected] of rows)
    if (typeof expected === 'string') assert.equal(said(value), expected);
    else assert.match(said(value), expected);
});

test('problems can be written as JSON', () => {
  const checked = schema.check('C', { id: 'ex:1', age: Symbol('s'), texts: [1n] });
  assert.ok(!checked.valid);
  assert.doesNotThrow(() => JSON.stringify(checked.problems));
});

test('an interface and unknown are accepted by the types of check', () => {
  interface Person {
    id: string;
    age?: number;
  }
  const person: Person = { id: 'ex:1', age: 36 };
  const value: unknown = person;
  assert.ok(schema.check('C', person).valid && schema.check('C', value).valid);
});

test('strict refuses an object without its required type designator, which is filled in otherwise', () => {
  assert.equal(said({ id: 'ex:1' }, 'Typed'), '{"id":"ex:1","type":"Typed"}');
  const checked = schema.check('Typed', { id: 'ex:1' }, { strict: true });
  assert.deepEqual(!checked.valid && checked.problems.map(({ type, loc }) => [type, ...loc]), [
    ['missing', 'type'],
  ]);
  assert.ok(schema.check('Typed', { id: 'ex:1', type: 'Typed' }, { strict: true }).valid);
});

test('the value of one slot is checked alone', () => {
  assert.deepEqual(schema.checkSlot('C', 'age', '36'), { valid: true, value: 36 });
  assert.deepEqual(schema.checkSlot('C', 'age', null), { valid: true, value: null });
  const problems = (slot: string, value: unknown, className = 'C') => {
    const checked = schema.checkSlot(className, slot, value);
    return checked.valid ? [] : checked.problems.map(({ type, loc }) => [type, ...loc]);
  };
  assert.deepEqual(problems('id', undefined), [['missing', 'id']]);
  assert.deepEqual(problems('texts', ['a', {}]), [['string_type', 'texts', 1]]);
  assert.deepEqual(problems('type', 'C', 'Typed'), [['literal_error', 'type']]);
  assert.deepEqual(problems('agge', 1), [['extra_forbidden', 'agge']]);
  assert.deepEqual(problems('age', 1, 'Nothing'), [['class_unknown']]);
});

test('a parsed schema opens as its text does, also as an import', async () => {
  const files: Record<string, object> = { 'https://example.org/core.yaml': SOURCE };
  const imported = await openLinkml(
    { id: 'https://example.org/main', imports: ['./core'] },
    { url: new URL('https://example.org/main.yaml'), load: async (url) => files[url.href] },
  );
  assert.ok(imported.classes.has('Typed'));
  const again = await openLinkml(schema.text);
  assert.deepEqual([...again.classes.keys()], [...schema.classes.keys()]);
});

test('what is not a schema is refused with a LinkmlError', async () => {
  for (const source of [undefined, null, 5, [], '', 'a', { colour: 'red' }, () => 1])
    await assert.rejects(
      openLinkml(source as object),
      (error: Error) =>
        error instanceof LinkmlError &&
        error.name === 'LinkmlError' &&
        /the schema is not a LinkML schema: expected a mapping/.test(error.message),
      String(source),
    );
});

test('a member of a union that does not exist is left out with a warning', async () => {
  const { classes, warnings } = await openLinkml({
    id: 'https://example.org/schemas/union',
    types: { Name: { union_of: ['string', 'missing'] } },
    classes: {
      Named: { attributes: { name: { range: 'Name' } } },
      Entity: { attributes: { id: {} } },
      Either: { union_of: ['Entity', 'entity grouping class'] },
      Holder: { attributes: { it: { range: 'Either', inlined: true } } },
    },
  });
  assert.deepEqual(classes.get('Holder')?.slots.get('it')?.range, {
    kind: 'class',
    className: 'Entity',
    inlining: 'object',
  });
  assert.deepEqual(
    warnings.map(({ msg }) => msg).filter((msg) => msg.includes('union_of')),
    [
      'types.Name.union_of: missing is not a type of the schema; ignored.',
      'classes.Either.union_of: entity grouping class is not a class, enum or type of the schema; ignored.',
    ],
  );
});
