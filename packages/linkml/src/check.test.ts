import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openElements, warningsOf } from '../test/open-schema.ts';
import { canonicalJson, type JsonValue, parseJson } from './json.ts';
import type { LinkmlSchema } from './linkml.ts';

/** The canonical record, or the problems as `path: type`. */
function said(schema: LinkmlSchema, className: string, record: unknown): string {
  const checked = schema.check(className, parseJson(JSON.stringify(record)));
  if (checked.valid) return canonicalJson(checked.record as JsonValue);
  return checked.problems.map((problem) => `${problem.loc.join('.')}: ${problem.type}`).join(', ');
}

/** Holds rows of record and answer against a class. */
function holds(schema: LinkmlSchema, className: string, rows: readonly (readonly [unknown, string])[]): void {
  for (const [record, expected] of rows)
    assert.equal(said(schema, className, record), expected, JSON.stringify(record));
}

test('rules hold where their preconditions do, in both directions where they say so', async () => {
  const schema = await openElements(`
classes:
  Item:
    attributes: {status: {}, ended: {range: date}, size: {range: integer}, kind: {}}
    rules:
      - preconditions: {slot_conditions: {status: {equals_string: done}}}
        postconditions: {slot_conditions: {ended: {required: true}}}
      - bidirectional: true
        preconditions: {slot_conditions: {kind: {equals_string: big}}}
        postconditions: {slot_conditions: {size: {minimum_value: 10}}}
      - preconditions: {slot_conditions: {kind: {value_presence: PRESENT}}}
        elseconditions: {slot_conditions: {status: {value_presence: ABSENT}}}
      - open_world: true
        preconditions: {slot_conditions: {kind: {equals_string: open}}}
        postconditions: {slot_conditions: {size: {required: true, minimum_value: 1}}}
`);
  holds(schema, 'Item', [
    [{}, '{}'],
    [{ status: 'done', kind: 'x' }, 'ended: missing'],
    [{ status: 'done', ended: '2024-01-01', kind: 'x' }, '{"ended":"2024-01-01","kind":"x","status":"done"}'],
    [{ kind: 'big', size: 9 }, 'size: greater_than_equal'],
    [{ kind: 'big' }, 'size: missing'],
    [{ kind: 'big', size: 10 }, '{"kind":"big","size":10}'],
    [{ kind: 'small', size: 10 }, 'kind: literal_error'],
    [{ status: 'open' }, 'status: value_presence'],
    [{ kind: 'open' }, '{"kind":"open"}'],
    [{ kind: 'open', size: 0 }, 'size: greater_than_equal'],
  ]);
});

test('boolean expressions of classes count which of their branches hold', async () => {
  const schema = await openElements(`
classes:
  Item:
    attributes: {a: {}, b: {}, c: {range: integer}}
    any_of: [{slot_conditions: {a: {required: true}}}, {slot_conditions: {b: {required: true}}}]
    none_of: [{slot_conditions: {c: {equals_number: 7}}}]
  Below: {is_a: Item}
  One:
    attributes: {a: {}, b: {}}
    exactly_one_of: [{slot_conditions: {a: {required: true}}}, {slot_conditions: {b: {required: true}}}]
`);
  for (const name of ['Item', 'Below'])
    holds(schema, name, [
      [{ a: 'x' }, '{"a":"x"}'],
      [{}, ': any_of'],
      [{ a: 'x', c: 7 }, ': none_of'],
    ]);
  holds(schema, 'One', [
    [{ a: 'x' }, '{"a":"x"}'],
    [{ a: 'x', b: 'y' }, ': exactly_one_of'],
  ]);
});

test('expressions of slots: any_of reads values, exactly_one_of and none_of take them as they stand', async () => {
  const schema = await openElements(`
slots:
  any: {any_of: [{range: integer, minimum_value: 3}, {range: string, pattern: "^a"}]}
  one: {exactly_one_of: [{range: integer}, {range: string}]}
  none: {none_of: [{equals_string: bad}, {pattern: "^x"}]}
  all: {range: integer, all_of: [{minimum_value: 3}, {maximum_value: 5}]}
  has: {multivalued: true, range: integer, has_member: {equals_number: 1}}
  each: {multivalued: true, all_members: {pattern: "^a"}}
  gone: {value_presence: ABSENT}
  there: {value_presence: PRESENT}
classes: {Item: {slots: [any, one, none, all, has, each, gone]}, There: {slots: [there]}}
`);
  holds(schema, 'Item', [
    [{ any: 5 }, '{"any":5}'],
    [{ any: '5' }, '{"any":"5"}'],
    [{ any: 'abc' }, '{"any":"abc"}'],
    [{ any: 2 }, 'any: any_of'],
    [{ any: 'bcd' }, 'any: any_of'],
    [{ one: 5 }, '{"one":5}'],
    [{ one: '5' }, '{"one":"5"}'],
    [{ one: 1.5 }, 'one: union'],
    [{ none: 'good' }, '{"none":"good"}'],
    [{ none: 'bad' }, 'none: none_of'],
    [{ all: 4 }, '{"all":4}'],
    [{ all: 6 }, 'all: less_than_equal'],
    [{ has: [2, 1] }, '{"has":[2,1]}'],
    [{ has: [2] }, 'has: has_member'],
    [{ has: ['1'] }, '{"has":[1]}'],
    [{ has: [2, 'x'] }, 'has.1: int_parsing'],
    [{ each: ['a', 'b'] }, 'each: all_members'],
    [{ gone: 'x' }, 'gone: value_presence'],
  ]);
  holds(schema, 'There', [
    [{}, 'there: missing'],
    [{ there: 'x' }, '{"there":"x"}'],
  ]);
});

test('unique keys differ between the objects of one container, also below the class that declares them', async () => {
  const schema = await openElements(`
classes:
  Box: {attributes: {items: {range: Item, multivalued: true, inlined_as_list: true}}}
  Item:
    attributes: {a: {}, b: {range: integer}}
    unique_keys: {main: {unique_key_slots: [a, b]}}
`);
  holds(schema, 'Box', [
    [
      {
        items: [
          { a: 'x', b: 1 },
          { a: 'x', b: 2 },
        ],
      },
      '{"items":[{"a":"x","b":1},{"a":"x","b":2}]}',
    ],
    [
      {
        items: [
          { a: 'x', b: 1 },
          { a: 'x', b: '1' },
        ],
      },
      'items.1.a: unique_key',
    ],
    [{ items: [{}, {}] }, '{"items":[{},{}]}'],
  ]);
});

test('equals_expression is enforced where it yields a value', async () => {
  const schema = await openElements(`
classes:
  Item:
    attributes:
      w: {range: float}
      h: {range: float}
      area: {range: float, equals_expression: "{w} * {h} ** 2"}
      label: {equals_expression: 'case(({w} > 5, "big"), (True, "small"))'}
      text: {equals_expression: 'str(label) + "!" if len(label) > 3 else label'}
`);
  assert.deepEqual(warningsOf(schema), []);
  holds(schema, 'Item', [
    [{ w: 2, h: 3, area: 18 }, '{"area":18.0,"h":3.0,"w":2.0}'],
    [{ w: 2, h: 3, area: 6 }, 'area: equals_expression'],
    [{ w: 2, area: 6 }, '{"area":6.0,"w":2.0}'],
    [{ w: 6, label: 'small' }, 'label: equals_expression'],
    [{ w: 1, label: 'small', text: 'small!' }, '{"label":"small","text":"small!","w":1.0}'],
  ]);
});

test('types are as narrow as all that they rest on; a union of types takes what one of them takes', async () => {
  const schema = await openElements(`
types:
  Small: {typeof: integer, minimum_value: 0, maximum_value: 9}
  Even: {typeof: Small, equals_string_in: ["2", "4"]}
  Code: {typeof: string, pattern: "^[A-Z]+$"}
  Either: {union_of: [Small, Code], uri: xsd:string}
  Based: {base: int, uri: xsd:int}
classes: {Item: {attributes: {small: {range: Small}, even: {range: Even}, either: {range: Either}, based: {range: Based}}}}
`);
  holds(schema, 'Item', [
    [{ small: '9' }, '{"small":9}'],
    [{ small: 10 }, 'small: less_than_equal'],
    [{ even: 4 }, '{"even":4}'],
    [{ even: 3 }, 'even: literal_error'],
    [{ even: 12 }, 'even: less_than_equal, even: literal_error'],
    [{ either: 5 }, '{"either":5}'],
    [{ either: 'AB' }, '{"either":"AB"}'],
    [{ either: 'ab' }, 'either: pattern'],
    [{ based: '7' }, '{"based":7}'],
  ]);
});

test('a type with the name of a built-in one is what its base says', async () => {
  const schema = await openElements(`
types:
  date: {uri: xsd:date, base: str}
  datetime: {uri: xsd:dateTime, base: XSDDateTime, repr: str}
  time: {uri: xsd:time}
classes: {Item: {attributes: {day: {range: date}, moment: {range: datetime}, hour: {range: time}}}}
`);
  holds(schema, 'Item', [
    [{ day: 'some day' }, '{"day":"some day"}'],
    [{ day: 5 }, 'day: string_type'],
    [{ moment: 'some day' }, 'moment: datetime_parsing'],
    [{ hour: 'some hour' }, 'hour: time_parsing'],
  ]);
});

test('enums inherit, include and remove values; values that are only described elsewhere are reported', async () => {
  const schema = await openElements(`
enums:
  Base: {permissible_values: {a: , b: {meaning: ex:B}}}
  More: {inherits: [Base], permissible_values: {c: {}}, minus: [{permissible_values: {a: {}}}]}
  Both: {include: [{inherits: [More]}, {permissible_values: {d: {}}}]}
  Far: {reachable_from: {source_ontology: "obo:x", source_nodes: [ex:y]}}
  Expanded: {reachable_from: {source_ontology: "obo:x", source_nodes: [ex:y]}, permissible_values: {a: {}}}
  Further: {inherits: [Far], permissible_values: {a: {}}}
classes:
  Item: {attributes: {more: {range: More}, both: {range: Both}, far: {range: Far}, expanded: {range: Expanded}, further: {range: Further}}}
`);
  assert.equal(schema.enums.get('More')?.values.get('b')?.meaning, 'https://example.org/ns/B');
  assert.match(
    warningsOf(schema).join(),
    /enums\.Far: its values are not listed in the schema \(reachable_from\)/,
  );
  holds(schema, 'Item', [
    [{ more: 'c' }, '{"more":"c"}'],
    [{ more: 'a' }, 'more: enum'],
    [{ both: 'b' }, '{"both":"b"}'],
    [{ both: 'a' }, 'both: enum'],
    [{ far: 'anything' }, '{"far":"anything"}'],
    [{ further: 'anything' }, '{"further":"anything"}'],
    [{ expanded: 'a' }, '{"expanded":"a"}'],
    [{ expanded: 'anything' }, 'expanded: enum'],
  ]);
});

test('values of a slot with subproperty_of name a slot or one that inherits from it, in the form of the range', async () => {
  for (const [range, name, other] of [
    ['string', 'knows_well', 'knows well'],
    ['uriorcurie', 'ex:knowsWell', 't:knows_well'],
    ['uri', 'https://example.org/ns/knowsWell', 'ex:knowsWell'],
  ]) {
    const schema = await openElements(`
slots:
  related to: {}
  knows: {is_a: related to}
  knows well: {is_a: knows, slot_uri: ex:knowsWell}
  predicate: {subproperty_of: knows, range: ${range}, multivalued: true}
  loose: {subproperty_of: nowhere}
classes: {Item: {slots: [predicate, loose]}}
`);
    assert.match(warningsOf(schema).join(), /loose.*nowhere is not a slot of the schema/);
    holds(schema, 'Item', [
      [{ predicate: [name] }, `{"predicate":["${name}"]}`],
      [{ predicate: [name, other] }, 'predicate.1: literal_error'],
      [{ predicate: ['related_to'] }, 'predicate.0: literal_error'],
    ]);
  }
});

test('patterns hold for texts, not for numbers', async () => {
  const schema = await openElements(`
classes: {Item: {attributes: {n: {range: integer, pattern: "^1"}, d: {range: date, pattern: "^2024"}, s: {pattern: "^1"}}}}
`);
  holds(schema, 'Item', [
    [{ n: 2 }, '{"n":2}'],
    [{ d: '2023-01-01' }, 'd: pattern'],
    [{ s: '2' }, 's: pattern'],
  ]);
});

test('arrays have the dimensions that the schema asks for', async () => {
  const schema = await openElements(`
classes:
  Item:
    attributes:
      matrix: {range: integer, minimum_value: 0, array: {exact_number_dimensions: 2}}
      pairs: {range: float, array: {dimensions: [{}, {exact_cardinality: 2}]}}
      vector: {array: {maximum_number_dimensions: 1}}
      image: {range: integer, array: {maximum_number_dimensions: false, dimensions: [{minimum_cardinality: 2}]}}
      any: {range: integer, array: {}}
      many: {range: integer, multivalued: true, array: {exact_number_dimensions: 1}}
`);
  holds(schema, 'Item', [
    [{ matrix: [[1, '2'], []] }, '{"matrix":[[1,2],[]]}'],
    [{ matrix: [1, 2] }, 'matrix.0: array_shape, matrix.1: array_shape'],
    [{ matrix: [[[1]]] }, 'matrix.0.0: array_shape'],
    [{ matrix: [[1, 'x'], [-1]] }, 'matrix.0.1: int_parsing, matrix.1.0: greater_than_equal'],
    [{ matrix: 1 }, 'matrix: array_shape'],
    [{ pairs: [[1.5, 2.5]] }, '{"pairs":[[1.5,2.5]]}'],
    [{ pairs: [[1.5], [1.5, 2.5, 3.5]] }, 'pairs.0: too_short, pairs.1: too_long'],
    [{ vector: ['a'] }, '{"vector":["a"]}'],
    [{ vector: [['a']] }, 'vector.0: array_shape'],
    [{ image: [[[1]], [[2]]] }, '{"image":[[[1]],[[2]]]}'],
    [{ image: [[[1]]] }, 'image: too_short'],
    [{ any: [[1], 2] }, 'any.1: array_shape'],
    [{ any: [1, [2]] }, 'any.1: array_shape'],
    [{ any: [[[1]]] }, '{"any":[[[1]]]}'],
    [{ many: [[1], [2, 3]] }, '{"many":[[1],[2,3]]}'],
  ]);
  assert.deepEqual(warningsOf(schema), []);
});

test('a type designator that is a list names the class, and may name those above it', async () => {
  const schema = await openElements(`
classes:
  Item: {attributes: {types: {designates_type: true, multivalued: true, range: uriorcurie}, a: {}}}
  Tool: {is_a: Item}
  Saw: {is_a: Tool, attributes: {teeth: {range: integer}}}
  Box: {attributes: {items: {range: Tool, multivalued: true, inlined_as_list: true}}}
`);
  holds(schema, 'Saw', [
    [{}, '{"types":["t:Saw"]}'],
    [{ types: ['t:Item', 't:Saw'] }, '{"types":["t:Item","t:Saw"]}'],
    [{ types: ['t:Tool'] }, 'types: literal_error'],
    [{ types: ['t:Saw', 't:Box'] }, 'types: literal_error'],
    [{ types: 't:Saw' }, 'types: literal_error'],
  ]);
  holds(schema, 'Box', [
    [
      { items: [{ types: ['t:Tool', 't:Saw', 't:Item'], teeth: 3 }] },
      '{"items":[{"teeth":3,"types":["t:Tool","t:Saw","t:Item"]}]}',
    ],
    [{ items: [{ teeth: 3 }] }, '{"items":[{"teeth":3,"types":["t:Saw"]}]}'],
    [{ items: [{ types: ['t:Item'] }] }, 'items.0.types: literal_error'],
  ]);
});

test('a type designator names the class in the form of its range', async () => {
  for (const [range, name, other] of [
    ['string', 'Two Words', 'TwoWords'],
    ['ncname', 'Two Words', 't:TwoWords'],
    ['curie', 'ex:Two', 'Two Words'],
    ['uriorcurie', 'ex:Two', 'https://example.org/ns/Two'],
    ['uri', 'https://example.org/ns/Two', 'ex:Two'],
  ]) {
    const schema = await openElements(`
classes:
  Holder: {attributes: {it: {range: One, inlined: true}}}
  One: {attributes: {kind: {designates_type: true, range: ${range}}, a: {}}}
  Two Words: {is_a: One, class_uri: ex:Two, attributes: {b: {}}}
`);
    holds(schema, 'Holder', [
      [{ it: { kind: name, b: 'x' } }, `{"it":{"b":"x","kind":${JSON.stringify(name)}}}`],
      [{ it: { b: 'x' } }, `{"it":{"b":"x","kind":${JSON.stringify(name)}}}`],
      [{ it: { kind: other, b: 'x' } }, 'it.kind: literal_error'],
    ]);
  }
});

test('an abstract class has no objects of its own', async () => {
  const schema = await openElements(`
classes:
  Holder: {attributes: {it: {range: Base, inlined: true}}}
  Base: {abstract: true, attributes: {kind: {designates_type: true}, a: {}}}
  Only: {is_a: Base}
`);
  assert.equal(said(schema, 'Base', {}), ': abstract_class');
  assert.equal(said(schema, 'Holder', { it: {} }), '{"it":{"kind":"Only"}}');
  assert.equal(said(schema, 'Holder', { it: { kind: 'Base' } }), 'it.kind: literal_error');
});

test('any value is kept as it is, with sorted keys and without nulls', async () => {
  const schema = await openElements(
    'classes: {Any: {class_uri: linkml:Any}, Item: {attributes: {any: {range: Any}}}}',
  );
  const given = '{"any":{"b":[1.50,{"z":null,"a":1}],"__proto__":{"x":100000000000000000001}}}';
  const checked = schema.check('Item', parseJson(given));
  assert.equal(
    checked.valid && canonicalJson(checked.record),
    '{"any":{"__proto__":{"x":100000000000000000001},"b":[1.50,{"a":1}]}}',
  );
});

test('keys like __proto__ and constructor are names like others', async () => {
  const schema = await openElements(`
classes:
  Holder: {attributes: {entries: {range: Entry, multivalued: true, inlined: true}}}
  Entry: {attributes: {key: {key: true}, text: {}}}
`);
  const check = (text: string): unknown => schema.check('Holder', parseJson(text));
  const record = check('{"entries":{"__proto__":"a","constructor":{"key":"constructor","text":"b"}}}') as {
    record: JsonValue;
  };
  assert.equal(
    canonicalJson(record.record),
    '{"entries":{"__proto__":"a","constructor":{"key":"constructor","text":"b"}}}',
  );
  assert.equal(said(schema, 'Holder', { constructor: 1 }), 'constructor: extra_forbidden');
  assert.equal(({} as { text?: string }).text, undefined);
});

test('half a surrogate pair is not a valid string', async () => {
  const schema = await openElements('classes: {Item: {attributes: {a: {}}}}');
  assert.equal(said(schema, 'Item', { a: '\ud800' }), 'a: string_unicode');
  assert.equal(said(schema, 'Item', { a: '🎉' }), '{"a":"🎉"}');
});

test('defaults are filled in, each in the form of its range', async () => {
  const schema = await openElements(`
classes:
  Item:
    class_uri: ex:Item
    attributes:
      a: {ifabsent: "string(x, y: z)"}
      b: {range: integer, ifabsent: int(-5)}
      c: {range: boolean, ifabsent: true}
      d: {multivalued: true, ifabsent: string(one)}
      e: {range: uriorcurie, ifabsent: class_curie}
      f: {range: integer, ifabsent: string(x)}
  Below: {is_a: Item}
`);
  assert.match(
    warningsOf(schema).join(),
    /slots\.f\.ifabsent \(class Item\): string\(x\) is not a value of the slot's range/,
  );
  assert.equal(said(schema, 'Item', {}), '{"a":"x, y: z","b":-5,"c":true,"d":["one"],"e":"ex:Item"}');
  assert.equal(said(schema, 'Below', { a: null, b: 1 }), '{"b":1,"c":true,"d":["one"],"e":"t:Below"}');
});

test('branches with a bound on the number of values judge all values of a slot together', async () => {
  const branches = '[{minimum_cardinality: 3}, {maximum_cardinality: 1, pattern: "^a"}]';
  const slots = ['any_of', 'all_of', 'exactly_one_of', 'none_of']
    .map((group) => `  ${group}: {multivalued: true, ${group}: ${branches}}`)
    .join('\n');
  const schema = await openElements(`
slots:
${slots}
  named: {range: Named, multivalued: true, inlined: true, any_of: [{minimum_cardinality: 2}, {maximum_cardinality: 0}]}
classes:
  Item: {slots: [any_of, all_of, exactly_one_of, none_of, named]}
  Named: {attributes: {id: {identifier: true}, a: {}, b: {}}}
`);
  const accepted = (slot: string) =>
    [['a'], ['b'], ['a', 'b'], ['a', 'b', 'c']]
      .filter((values) => schema.check('Item', { [slot]: values }).valid)
      .map((values) => values.join(''));
  assert.deepEqual(accepted('any_of'), ['a', 'abc']);
  assert.deepEqual(accepted('all_of'), []);
  assert.deepEqual(accepted('exactly_one_of'), ['a', 'abc']);
  assert.deepEqual(accepted('none_of'), ['b', 'ab']);
  holds(schema, 'Item', [
    [{ named: { 'ex:x': {} } }, 'named: any_of'],
    [{ named: { 'ex:x': {}, 'ex:y': {} } }, '{"named":{"ex:x":{"id":"ex:x"},"ex:y":{"id":"ex:y"}}}'],
  ]);
  const { properties } = schema.jsonSchema('Item') as { properties: Record<string, { oneOf?: JsonValue }> };
  assert.deepEqual(properties.exactly_one_of?.oneOf, [
    { minItems: 3 },
    { maxItems: 1, items: { type: 'string', pattern: '^a' } },
  ]);
});
