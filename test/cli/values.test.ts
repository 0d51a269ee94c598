/** Values that JSON, YAML and Turtle could lose or change: keys twice, numbers beyond a double, booleans of YAML 1.1. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseJson, parseUniqueJson, RepeatedKeyError } from '#linkml/json.ts';
import { readYaml } from '#linkml/yaml/read.ts';
import { writeYaml } from '#linkml/yaml/write.ts';
import { openSchema } from '../../src/core/schema/schema.ts';
import { testApp } from '../support/app.ts';
import { accession, scratch } from './accession.ts';
import { listening } from './service.ts';

const SCHEMA = `
id: https://example.org/s
name: s
prefixes: {linkml: https://w3id.org/linkml/, ex: https://example.org/}
default_prefix: ex
imports: [linkml:types]
enums:
  Country: {permissible_values: {DE: , NO: , SE: }}
  State: {permissible_values: [open, off, on]}
  Answer: {permissible_values: {"NO": , y: }}
  Python: {permissible_values: {"False": , "True": }}
classes:
  Thing:
    tree_root: true
    attributes:
      pid: {identifier: true, range: uriorcurie, required: true}
      name: {}
      size: {range: double}
      single: {range: float}
      count: {range: integer}
      amount: {range: decimal}
      sizes: {range: double, multivalued: true}
      any: {range: Any}
      country: {range: Country}
      state: {range: State}
      answer: {range: Answer}
      python: {range: Python}
      tags: {multivalued: true}
      numbers: {range: integer, multivalued: true}
  Any: {class_uri: linkml:Any}
`;

async function setUp(folder: string) {
  const file = join(folder, 'schema.yaml');
  writeFileSync(file, SCHEMA);
  const validate = async (name: string, content: string, ...options: string[]) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    const ran = await accession(['validate', '--schema', file, '--class', 'Thing', ...options, path]);
    return ran.stdout + (ran.status > 2 ? ran.stderr : '');
  };
  return { file, validate };
}

test('a key that an object of JSON has twice is found at any depth and in any spelling', () => {
  for (const [text, key, offset] of [
    ['{"a":1,"a":2}', 'a', 7],
    ['{"a":1,"\\u0061":2}', 'a', 7],
    ['{"a":{"b":1,"b":1}}', 'b', 12],
    ['[{"x":1},{"x":1,"x":1}]', 'x', 16],
    ['{"":1, "" : 2}', '', 7],
    ['{"\\"":1,"\\\\":2,"\\"":3}', '"', 15],
    ['{"__proto__":1,"__proto__":2}', '__proto__', 15],
    ['{"a":"x\\\\","a":1.0}', 'a', 11],
  ] as const)
    assert.throws(
      () => parseUniqueJson(text),
      (error) => error instanceof RepeatedKeyError && error.key === key && error.offset === offset,
      text,
    );
  for (const text of [
    '{"a":{"a":[{"a":1},{"a":1}]},"b":"\\":"}',
    '["a:","a:",": \\"a\\":"]',
    '{"a" : "x\\\\", "b\\n":"\\\\\\":"}',
    '"a:"',
    '{"n":1e400,"m":[1.0,-0]}',
  ])
    assert.deepEqual(parseUniqueJson(text), parseJson(text), text);
});

test('a service refuses it in records, lines, arrays, JSON-LD and requests of its own, and stores the others', async (t) => {
  const service = await testApp(t, { collections: { lab: {} }, tokens: { cur: { lab: 'CURATOR' } } });
  const twice = '{"pid":"labid:i","name":"A","name":"B"}';
  const good = '{"pid":"labid:j","name":"J"}';
  const post = (path: string, body: string, type = 'application/json') =>
    service.request('POST', path, { token: 'cur', headers: { 'content-type': type }, body });
  const one = await post('/lab/curated/record/Instrument', twice);
  assert.equal(one.status, 400);
  assert.match(
    one.text,
    /line 1, column 29: the key \\"name\\" occurs twice in one object\. Remove one of them\./,
  );
  const ld = await post('/lab/curated/record/Instrument?format=jsonld', twice, 'application/ld+json');
  assert.equal(ld.status, 400);
  for (const body of [`${twice}\n${good}\n`, `[${twice},${good}]`]) {
    const many = await post('/-/lab/curated/records/Instrument', body);
    assert.match(many.text, /occurs twice in one object/);
    assert.match(many.text, /labid:j/);
  }
  const titles = await post('/-/lab/titles', '{"pids":["labid:j"],"pids":["labid:a"]}');
  assert.match(titles.text, /occurs twice in one object/);
  const { text } = await service.request('GET', '/lab/curated/record?pid=labid:i', { token: 'cur' });
  assert.equal(text, 'null');
});

test('files of JSON, NDJSON and YAML with a key twice are refused', async (t) => {
  const folder = scratch(t);
  const { validate } = await setUp(folder);
  const twice = '{"pid":"ex:1","name":"a","name":"b"}';
  assert.match(await validate('a.json', twice), /a\.json:1:26: .*the key "name" occurs twice/);
  assert.match(await validate('a.json', `[${twice}]`), /the key "name" occurs twice/);
  assert.match(await validate('a.ndjson', `{"pid":"ex:2"}\n${twice}\n`), /a\.ndjson:2:26: .*occurs twice/);
  assert.match(await validate('a.jsonld', twice), /occurs twice/);
  assert.match(await validate('a.yaml', 'pid: ex:1\nname: a\nname: b\n'), /a\.yaml:3:1: .*occurs twice/);
  const service = await listening(t);
  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' };
  for (const [name, content] of [
    ['b.json', '[{"pid":"labid:i","name":"I","name":"J"}]'],
    ['b.ndjson', '{"pid":"labid:i","name":"I","name":"J"}\n'],
    ['b.yaml', 'pid: labid:i\nname: I\nname: J\n'],
  ] as const) {
    const path = join(folder, name);
    writeFileSync(path, content);
    const ran = await accession(['import', 'lab', path, '--class', 'Instrument', '--curated'], { env });
    assert.notEqual(ran.status, 0);
    assert.match(ran.stderr, /the key "?name"? occurs twice/, name);
  }
});

test('a number beyond a double is refused as it is written', async (t) => {
  const { validate } = await setUp(scratch(t));
  for (const [yaml, shown] of [
    ['size: 1.0e+400', '1\\.0e\\+400'],
    ['single: -1.0e+999', '-1\\.0e\\+999'],
    ['size: +1_0.5e+400', '10\\.5e\\+400'],
    ['size: .5e+400', '0\\.5e\\+400'],
    ['count: 1.e+400', '1\\.0e\\+400'],
    ['amount: 1.0e+400', '1\\.0e\\+400'],
    ['any: 1.0e+400', '1\\.0e\\+400'],
    ['any: {a: [1.0e+400]}', '1\\.0e\\+400'],
    ['sizes: [1.0, 1.0e+400]', '1\\.0e\\+400'],
    ['size: !!float 1e400', '1e400'],
    ['size: 1e400', '"1e400"'],
    ['name: 1.0e+400', '1\\.0e\\+400'],
  ] as const)
    assert.match(await validate('a.yaml', `pid: ex:1\n${yaml}\n`), new RegExp(`found ${shown},`), yaml);
  for (const yaml of ['.inf', '-.INF', '.nan', '!!float x'])
    assert.match(
      await validate('a.yaml', `pid: ex:1\nsize: ${yaml}\n`),
      /found (?:the number )?\S+, which/i,
      yaml,
    );
  for (const slot of ['size', 'single', 'count', 'amount', 'any'])
    assert.match(await validate('a.json', `{"pid":"ex:1","${slot}":-1e400}`), /found -1e400,/, slot);
  const large = '9'.repeat(400);
  assert.equal(await validate('a.json', `{"pid":"ex:1","any":${large},"count":${large}}`), '');
  assert.deepEqual(readYaml('a: 1.0e+308\nb: 1.0e-400\n'), parseJson('{"a":1e+308,"b":0.0}'));
  assert.equal(writeYaml({ a: parseJson('1e400') }), 'a: .inf\n');
});

test('a key of a mapping is a value of its slot, in strict checks, too', async (t) => {
  const folder = scratch(t);
  for (const [range, key, isValid] of [
    ['integer', '1', true],
    ['boolean', 'true', true],
    ['double', '1.5', true],
    ['string', '1', true],
    ['integer', 'x', false],
  ] as const)
    for (const [more, value] of [
      ['', '{"n": "x"}'],
      ['', 'null'],
      ['', `{"id": ${range === 'string' ? '"1"' : key}, "n": "x"}`],
      ['annotations: {}', '"x"'],
    ] as const) {
      const file = join(folder, 'schema.yaml');
      writeFileSync(
        file,
        `id: https://example.org/s
name: s
prefixes: {linkml: https://w3id.org/linkml/, ex: https://example.org/}
default_prefix: ex
imports: [linkml:types]
classes:
  T: {attributes: {id: {identifier: true, range: ${range}}, n: {}${more === '' ? ', m: {}' : ''}}}
  B: {tree_root: true, attributes: {ts: {range: T, multivalued: true, inlined: true}}}
`,
      );
      if (key === 'x' && value.includes('"id"')) continue;
      const data = join(folder, 'data.json');
      writeFileSync(data, `{"ts": {"${key}": ${value}}}`);
      const ran = await accession([
        'validate',
        '--strict',
        '--identifiers',
        'any',
        '--schema',
        file,
        '--class',
        'B',
        data,
      ]);
      assert.equal(ran.status, isValid ? 0 : 2, `${range} ${key} ${value} ${ran.stdout}${ran.stderr}`);
    }
});

test('values that YAML 1.1 makes booleans are noted in a schema, and explained where they are refused', async (t) => {
  const { file, validate } = await setUp(scratch(t));
  const { stdout } = await accession(['schema', 'check', file]);
  const notes = stdout.split('\n').filter((line) => line.includes('YAML 1.1'));
  assert.equal(notes.length, 3, stdout);
  assert.match(
    notes[0]!,
    /enums\.Country\.permissible_values: YAML 1\.1 reads NO without quotes as false, so a value is "False"\. Write "NO" with quotes\./,
  );
  assert.match(notes[1]!, /enums\.State\.permissible_values: YAML 1\.1 reads off without quotes as false/);
  assert.match(notes[2]!, /enums\.State\.permissible_values: YAML 1\.1 reads on without quotes as true/);
  const refused = (line: string) => validate('a.yaml', `pid: ex:1\n${line}\n`);
  assert.match(
    await refused('country: NO'),
    /reads words such as NO, no or off without quotes as false, and the schema has "False"/,
  );
  assert.match(
    await refused('country: "NO"'),
    /reads NO without quotes as false, so the schema has "False".*write "NO" with quotes there/,
  );
  assert.match(await refused('answer: NO'), /reads NO without quotes as false: write "NO" with quotes\./);
  assert.match(await refused('state: yes'), /reads words such as yes or on without quotes as true/);
  assert.equal(await refused('answer: y'), '');
  assert.equal(await refused('answer: "NO"'), '');
  assert.doesNotMatch(await refused('answer: x'), /YAML/);
});

test('strings in several languages are one value if they are equal, and a direction is refused', async (t) => {
  const folder = scratch(t);
  const { file } = await setUp(folder);
  const { FORMATS } = await import('../../src/core/formats/formats.ts');
  const schema = await openSchema(file);
  const read = (triples: string) =>
    FORMATS.ttl.parse(
      `@prefix ex: <https://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\nex:1 a ex:Thing ; ${triples} .`,
      'Thing',
      schema,
    );
  assert.deepEqual(read('ex:tags "Hallo"@de, "Hallo"@en, "Hallo", "hallo"@de'), {
    pid: 'ex:1',
    tags: ['Hallo', 'hallo'],
  });
  assert.deepEqual(read('ex:tags "a"@de, "a"^^xsd:token, "a"^^xsd:string'), { pid: 'ex:1', tags: ['a'] });
  assert.deepEqual(read('ex:numbers 1, 01, "1"^^xsd:byte'), { pid: 'ex:1', numbers: [1] });
  const ld = await FORMATS.jsonld.parse(
    '{"@context":{"ex":"https://example.org/"},"@id":"ex:1","@type":"ex:Thing","ex:tags":[{"@value":"Hallo","@language":"de"},{"@value":"Hallo","@language":"en"}]}',
    'Thing',
    schema,
  );
  assert.deepEqual(ld, { pid: 'ex:1', tags: ['Hallo'] });
  assert.throws(
    () => read('ex:name "Hallo"@de--ltr'),
    /direction of a language, which Turtle 1\.1 does not have/,
  );
});
