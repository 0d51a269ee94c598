/** Where engines differ from LinkML's documentation: the smallest schema and record for each point. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openElements, warningsOf } from '../test/open-schema.ts';
import { canonicalJson, type JsonValue } from './json.ts';
import type { LinkmlSchema } from './linkml.ts';
import { writeTurtle } from './turtle/write/write-turtle.ts';

/** The canonical record, or the problems as `path: type`. */
function said(schema: LinkmlSchema, className: string, record: JsonValue): string {
  const checked = schema.check(className, record);
  if (checked.valid) return canonicalJson(checked.record);
  assert.notEqual(checked.problems.length, 0, 'refused without a problem');
  return checked.problems.map((problem) => `${problem.loc.join('.')}: ${problem.type}`).join(', ');
}

function holds(
  schema: LinkmlSchema,
  className: string,
  rows: readonly (readonly [JsonValue, string])[],
): void {
  for (const [record, expected] of rows)
    assert.equal(said(schema, className, record), expected, canonicalJson(record));
}

test('is_a in a range expression names a class, a type or an enum', async () => {
  const schema = await openElements(`
classes:
  Any: {class_uri: linkml:Any}
  X: {attributes: {s2: {range: integer}}}
  Y: {is_a: X}
  Item:
    attributes:
      either: {range: Any, range_expression: {any_of: [{is_a: X}, {is_a: integer}, {is_a: Color}]}}
      only: {range: Any, range_expression: {is_a: X}}
enums: {Color: {permissible_values: {red: {}}}}
`);
  holds(schema, 'Item', [
    [{ either: { s2: 5 } }, '{"either":{"s2":5}}'],
    [{ either: 5 }, '{"either":5}'],
    [{ either: 'red' }, '{"either":"red"}'],
    [{ either: 'green' }, 'either: any_of'],
    [{ either: { zz: 1 } }, 'either: any_of'],
    [{ only: { s2: 5 } }, '{"only":{"s2":5}}'],
    [{ only: { zz: 1 } }, 'only.zz: extra_forbidden'],
    [{ only: 5 }, 'only: object_type'],
  ]);
});

test('is_a in a rule is judged by the class of the object, and an unknown name is reported', async () => {
  const schema = await openElements(`
classes:
  Animal:
    attributes: {legs: {range: integer}}
    rules:
      - preconditions: {is_a: Bird}
        postconditions: {slot_conditions: {legs: {equals_number: 2}}}
      - preconditions: {is_a: Nope}
        postconditions: {slot_conditions: {legs: {maximum_value: 100}}}
  Bird: {is_a: Animal}
`);
  holds(schema, 'Animal', [[{ legs: 4 }, '{"legs":4}']]);
  holds(schema, 'Bird', [
    [{ legs: 4 }, 'legs: equals_number'],
    [{ legs: 2 }, '{"legs":2}'],
  ]);
  assert.match(warningsOf(schema).join(), /is_a Nope is not enforced/);
});

test('nested objects under is_a end in an error instead of exponential time', async () => {
  const schema = await openElements(`
classes:
  Any: {class_uri: linkml:Any}
  X: {attributes: {s: {range: X, inlined: true, range_expression: {is_a: X}}}}
`);
  let record: JsonValue = {};
  for (let depth = 0; depth < 60; depth++) record = { s: record };
  assert.match(said(schema, 'X', record), /too_complex/);
});

test('prefixes of references are found in any case, that of the record itself as it is declared', async () => {
  const schema = await openElements(`
slots:
  pid: {identifier: true, range: uriorcurie}
  knows: {range: Item}
  part: {range: Item, inlined: true}
  page: {range: uriorcurie}
classes: {Item: {slots: [pid, knows, part, page]}}
`);
  holds(schema, 'Item', [
    [
      { pid: 'ex:a', knows: 'EX:b', part: { pid: 'Ex:c' } },
      '{"knows":"EX:b","part":{"pid":"Ex:c"},"pid":"ex:a"}',
    ],
    [{ pid: 'EX:a' }, 'pid: prefix_unknown'],
  ]);
  const ttl = writeTurtle(
    '{"knows":"EX:b","page":"EX:p","part":{"pid":"Ex:c"},"pid":"ex:a"}',
    'Item',
    schema,
  );
  for (const term of ['ex:b', 'ex:p', 'ex:c']) assert.match(ttl, new RegExp(`${term}\\b`));
  assert.equal(schema.expand('EX:a'), undefined);
  assert.equal(schema.expandReference('EX:a'), 'https://example.org/ns/a');
});

test('a faulty pattern of a type is reported, that of a slot keeps the schema shut', async () => {
  const schema = await openElements(`
types: {Phone: {typeof: string, pattern: '^[\\+\\d+ +][\\d\\- ]+('}}
classes: {Item: {attributes: {phone: {range: Phone}, digit: {pattern: '\\N{DIGIT ONE}'}}}}
`);
  assert.match(warningsOf(schema).join('\n'), /types\.Phone: the pattern .* is not enforced/);
  assert.match(warningsOf(schema).join('\n'), /the pattern \\N\{DIGIT ONE\} is not enforced/);
  holds(schema, 'Item', [[{ phone: 'x', digit: '2' }, '{"digit":"2","phone":"x"}']]);
  await assert.rejects(openElements('classes: {Item: {attributes: {a: {pattern: "a("}}}}'), {
    code: 'schema_invalid',
  });
});

test('a rule without preconditions has no effect and is reported', async () => {
  const schema = await openElements(`
classes:
  Item:
    attributes: {a: {}, b: {}}
    rules: [{title: b is needed, postconditions: {slot_conditions: {b: {required: true}}}}]
`);
  holds(schema, 'Item', [[{ a: 'x' }, '{"a":"x"}']]);
  assert.match(warningsOf(schema).join(), /the rule "b is needed" has no preconditions/);
  assert.equal(JSON.stringify(schema.jsonSchema('Item')).includes('"required"'), false);
});

test('names with blanks and with underscores are one in slot_usage, conditions and unique keys', async () => {
  const schema = await openElements(`
slots: {related to: {}, kind: {}, size: {range: integer}}
classes:
  Item:
    slots: [related to, kind, size]
    slot_usage: {related_to: {required: true}}
    unique_keys: {main: {unique_key_slots: [related_to]}}
    rules:
      - preconditions: {slot_conditions: {related_to: {equals_string: x}}}
        postconditions: {slot_conditions: {kind: {required: true}}}
  List: {attributes: {items: {range: Item, multivalued: true, inlined_as_list: true}}}
`);
  assert.deepEqual(warningsOf(schema), []);
  holds(schema, 'Item', [
    [{}, 'related_to: missing'],
    [{ related_to: 'x' }, 'kind: missing'],
  ]);
  holds(schema, 'List', [
    [{ items: [{ related_to: 'a' }, { related_to: 'a' }] }, 'items.1.related_to: unique_key'],
  ]);
});

test('what the LinkML tools refuse is reported when a schema is opened', async () => {
  const rows: [string, RegExp][] = [
    [
      'classes: {A: {attributes: {i: {identifier: true}, j: {identifier: true}}}}',
      /several slots are the identifier: i, j; i is used/,
    ],
    ['classes: {A: {attributes: {i: {identifier: true, key: true}}}}', /both identifier and key/],
    [
      'classes: {A: {attributes: {i: {identifier: true, required: false}}}}',
      /therefore required; required: false is ignored/,
    ],
    ['classes: {A: {}}\nenums: {A: {permissible_values: {x: {}}}}', /a class has the same name/],
    ['slots: {s: {}}\nclasses: {A: {slots: [s], slot_usage: {s: {alias: t}}}}', /an alias is only allowed/],
    [
      'classes: {A: {attributes: {m: {array: {minimum_number_dimensions: 3, maximum_number_dimensions: 2}}}}}',
      /contradictory bounds/,
    ],
    [
      'classes: {A: {attributes: {m: {array: {dimensions: [{minimum_cardinality: 3, maximum_cardinality: 2}]}}}}}',
      /contradictory bounds/,
    ],
    [
      'classes: {A: {attributes: {n: {range: integer, minimum_value: 5, maximum_value: 2}}}}',
      /The slot n of the class A has contradictory bounds: no value can satisfy minimum_value 5 and maximum_value 2\./,
    ],
    [
      'slots: {n: {range: integer, maximum_value: 2}}\nclasses: {A: {}, B: {is_a: A, slots: [n], slot_usage: {n: {minimum_value: 5}}}}',
      /The slot n of the class B has contradictory bounds/,
    ],
    [
      'classes: {A: {attributes: {n: {multivalued: true, minimum_cardinality: 3, maximum_cardinality: 2}}}}',
      /no value can satisfy minimum_cardinality 3 and maximum_cardinality 2\./,
    ],
    [
      'types: {Low: {typeof: integer, maximum_value: 2}, Odd: {typeof: Low, minimum_value: 5}}\nclasses: {A: {}}',
      /types\.Odd has contradictory bounds/,
    ],
  ];
  for (const [elements, message] of rows)
    assert.match(warningsOf(await openElements(elements)).join(), message);
  const equal = 'classes: {A: {attributes: {n: {range: integer, minimum_value: 2, maximum_value: 2.0}}}}';
  assert.doesNotMatch(warningsOf(await openElements(equal)).join(), /contradictory/);
});

test('one identifier for two different objects is refused with both paths', async () => {
  const schema = await openElements(`
slots:
  pid: {identifier: true, range: uriorcurie}
  name: {}
  parts: {range: Item, multivalued: true, inlined: true, inlined_as_list: true}
  main: {range: Item, inlined: true}
classes: {Item: {slots: [pid, name, parts, main]}}
`);
  const twice = (name: string): JsonValue => ({
    pid: 'ex:a',
    main: { pid: 'ex:b', name: 'b' },
    parts: [{ pid: 'https://example.org/ns/b', name }],
  });
  assert.match(said(schema, 'Item', twice('c')), /parts\.0\.pid: identifier_repeated/);
  const checked = schema.check('Item', twice('c'));
  assert.match(checked.valid ? '' : checked.problems[0]!.msg, /different object \(main\)/);
  const same = { pid: 'ex:b', name: 'b' };
  holds(schema, 'Item', [
    [
      { pid: 'ex:a', main: same, parts: [same] },
      '{"main":{"name":"b","pid":"ex:b"},"parts":[{"name":"b","pid":"ex:b"}],"pid":"ex:a"}',
    ],
  ]);
});

test('a negative decimal zero is 0 in Turtle, and a node identifier may be a blank node', async () => {
  const schema = await openElements(`
classes: {Item: {attributes: {d: {range: decimal}, n: {range: nodeidentifier}}}}
`);
  assert.match(writeTurtle('{"d":"-0.0"}', 'Item', schema), /"0"\^\^xsd:decimal/);
  holds(schema, 'Item', [
    [{ n: '_:b1' }, '{"n":"_:b1"}'],
    [{ n: '_: b1' }, 'n: string_parsing'],
  ]);
});

test('the short forms of mappings are accepted and become objects', async () => {
  const schema = await openElements(`
slots:
  tag: {key: true, range: string}
  value: {required: true}
  note: {}
classes:
  Entry: {slots: [tag, value, note]}
  Link: {attributes: {tag: {key: true}, to: {range: Target}}}
  Colored: {attributes: {tag: {key: true}, color: {range: Color}}}
  Many: {attributes: {tag: {key: true}, all: {multivalued: true}}}
  Marked: {attributes: {tag: {key: true}, a: {}, b: {annotations: {simple_dict_value: true}}}}
  Loose: {attributes: {tag: {key: true}, a: {}, b: {}}}
  Target: {attributes: {id: {identifier: true, range: uriorcurie}}}
  Item:
    attributes:
      entries: {range: Entry, multivalued: true, inlined: true}
      links: {range: Link, multivalued: true, inlined: true}
      colors: {range: Colored, multivalued: true, inlined: true}
      lists: {range: Many, multivalued: true, inlined: true}
      marked: {range: Marked, multivalued: true, inlined: true}
      loose: {range: Loose, multivalued: true, inlined: true}
enums: {Color: {permissible_values: {red: {}}}}
`);
  holds(schema, 'Item', [
    [{ entries: { k: { value: 'v' } } }, '{"entries":{"k":{"tag":"k","value":"v"}}}'],
    [{ entries: { k: 'v' } }, '{"entries":{"k":{"tag":"k","value":"v"}}}'],
    [{ entries: { k: null } }, 'entries.k.value: missing'],
    [{ links: { k: 'ex:t' } }, '{"links":{"k":{"tag":"k","to":"ex:t"}}}'],
    [{ colors: { k: 'red' } }, '{"colors":{"k":{"color":"red","tag":"k"}}}'],
    [{ lists: { k: ['a', 'b'] } }, '{"lists":{"k":{"all":["a","b"],"tag":"k"}}}'],
    [{ marked: { k: 'v' } }, '{"marked":{"k":{"b":"v","tag":"k"}}}'],
    [{ loose: { k: null } }, '{"loose":{"k":{"tag":"k"}}}'],
    [{ loose: { k: 'v' } }, 'loose.k: object_type'],
    [{ entries: { k: { tag: 'other', value: 'v' } } }, 'entries.k.tag: key_mismatch'],
  ]);
});

test('bindings with listed values are enforced', async () => {
  const schema = await openElements(`
classes:
  Concept: {attributes: {id: {range: uriorcurie}, label: {}}}
  Item:
    attributes:
      concept: {range: Concept, inlined: true, bindings: [{range: Colors, obligation_level: REQUIRED, binds_value_of: id}]}
      advice: {range: Concept, inlined: true, bindings: [{range: Colors, obligation_level: RECOMMENDED, binds_value_of: id}]}
enums: {Colors: {permissible_values: {red: {meaning: ex:red}}}}
`);
  holds(schema, 'Item', [
    [{ concept: { id: 'ex:red' } }, '{"concept":{"id":"ex:red"}}'],
    [{ concept: { label: 'x' } }, 'concept.id: missing'],
    [{ advice: { label: 'x' } }, '{"advice":{"label":"x"}}'],
    [{ concept: { id: 'ex:blue' } }, 'concept.id: literal_error'],
    [{ advice: { id: 'ex:blue' } }, '{"advice":{"id":"ex:blue"}}'],
  ]);
});

test('a union of classes takes objects of its members, and an enum has the values of its parent', async () => {
  const schema = await openElements(`
classes:
  Cat: {attributes: {lives: {range: integer, required: true}}}
  Dog: {attributes: {barks: {range: boolean, required: true}}}
  Pet: {union_of: [Cat, Dog]}
  Item: {attributes: {pet: {range: Pet, inlined: true}, color: {range: Bright}}}
enums:
  Color: {permissible_values: {red: {}}}
  Bright: {is_a: Color, permissible_values: {yellow: {}}}
`);
  holds(schema, 'Item', [
    [{ pet: { lives: 9 } }, '{"pet":{"lives":9}}'],
    [{ pet: { barks: true } }, '{"pet":{"barks":true}}'],
    [{ color: 'red' }, '{"color":"red"}'],
    [{ color: 'yellow' }, '{"color":"yellow"}'],
    [{ color: 'blue' }, 'color: enum'],
  ]);
  assert.equal(schema.check('Item', { pet: { meows: 1 } }).valid, false);
});

test('extra slots are allowed if the class says so, with values that fit', async () => {
  const schema = await openElements(`
classes:
  Open: {attributes: {a: {}}, extra_slots: {allowed: true}}
  Numbers: {attributes: {a: {}}, extra_slots: {range_expression: {range: integer}}}
  Below: {is_a: Open}
`);
  holds(schema, 'Open', [[{ a: 'x', b: [1, { c: 2 }] }, '{"a":"x","b":[1,{"c":2}]}']]);
  holds(schema, 'Below', [[{ b: 1 }, '{"b":1}']]);
  holds(schema, 'Numbers', [
    [{ b: 1 }, '{"b":1}'],
    [{ b: 'x' }, 'b: int_parsing'],
  ]);
});

test('the curated prefix maps are known', async () => {
  const schema = await openElements(`
default_curi_maps: [obo_context, idot_context, semweb_context]
classes: {A: {}}
`);
  assert.equal(schema.expand('GO:1'), 'http://purl.obolibrary.org/obo/GO_1');
  assert.equal(schema.expand('PUBMED:1'), 'http://identifiers.org/pubmed/1');
  assert.equal(schema.expand('foaf:name'), 'http://xmlns.com/foaf/0.1/name');
});
