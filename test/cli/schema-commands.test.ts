/** `accession schema …` and `check-pids`. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { canonicalJson, type JsonObject, parseJson } from '#linkml/json.ts';
import { judgeText } from '../../src/cli/offline/judge.ts';
import { dumpYaml } from '../../src/core/formats/dump-yaml.ts';
import { FORMATS } from '../../src/core/formats/formats.ts';
import { submit } from '../../src/core/records/submit.ts';
import { openSchema } from '../../src/core/schema/schema.ts';
import { testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { longTest, test } from '../support/tier.ts';
import { accession, LABORATORY, scratch } from './accession.ts';

const PART = `
id: https://example.org/part
name: part
prefixes: { part: https://example.org/part/, linkml: https://w3id.org/linkml/ }
default_prefix: part
imports: [linkml:types]
settings: { digits: '[0-9]+' }
types:
  Code: { typeof: string, pattern: '^[a-z]+$' }
enums:
  Kind: { permissible_values: { one: {}, two: { meaning: 'part:two' } } }
slots:
  pid: { identifier: true, range: uriorcurie, required: true }
  code: { range: Code }
  number: { structured_pattern: { syntax: 'no {digits}', interpolated: true } }
classes:
  Thing: { slots: [pid, code, number], attributes: { kind: { range: Kind } } }
`;
const MAIN = `
id: https://example.org/main
name: main
prefixes: { main: https://example.org/main/, ex: https://example.org/x/, unused: https://example.org/unused/ }
default_prefix: main
default_range: string
imports: [./part]
slots:
  title: { required: true, description: What it is called. }
classes:
  Book: { is_a: Thing, slots: [title] }
`;

test('a merged schema opens without its imports, and has the same IRIs and verdicts', async (t) => {
  const folder = scratch(t);
  mkdirSync(join(folder, 'in'));
  writeFileSync(join(folder, 'in/part.yaml'), PART);
  writeFileSync(join(folder, 'in/main.yaml'), MAIN);
  const merged = join(folder, 'merged.yaml');
  assert.equal((await accession(['schema', 'merge', join(folder, 'in/main.yaml'), '-o', merged])).status, 0);
  assert.doesNotMatch(readFileSync(merged, 'utf8'), /^imports:/m);
  const [before, after] = [await openSchema(join(folder, 'in/main.yaml')), await openSchema(merged)];
  const irisOf = (schema: typeof before) =>
    [...schema.classes.values()].map(({ name, uri, slots }) => [
      name,
      uri,
      [...slots.values()].map((slot) => [slot.name, slot.uri]),
    ]);
  assert.deepEqual(irisOf(after), irisOf(before));
  assert.equal(after.classes.get('Thing')?.uri, 'https://example.org/part/Thing');
  const records: JsonObject[] = [
    { pid: 'ex:a', title: 'A', code: 'abc', number: 'no 12', kind: 'one' },
    { pid: 'ex:a' },
    { pid: 'ex:a', title: 'A', code: 'ABC' },
    { pid: 'ex:a', title: 'A', number: '12' },
    { pid: 'ex:a', title: 'A', kind: 'three' },
  ];
  for (const record of records) assert.deepEqual(after.check('Book', record), before.check('Book', record));
  assert.equal(records.filter((record) => before.check('Book', record).valid).length, 1);
});

/** A folder with `schemas/` and `cases/<schema>/*.json`, as `npm run conformance` reads it. */
const CORPUS = process.env.ACCESSION_CORPUS;
const skip = CORPUS === undefined && 'ACCESSION_CORPUS names no corpus';

type Case = {
  readonly className: string;
  readonly kind: 'ttl' | 'json';
  readonly text: string;
  readonly name: string;
};

/** The schemas of the corpus with their cases. */
function corpus(): { name: string; address: string; cases: Case[] }[] {
  const root = CORPUS as string;
  return readdirSync(join(root, 'cases')).map((name) => {
    const single = join(root, 'schemas', `${name}.yaml`);
    const address = existsSync(single) ? single : join(root, 'schemas', name, 'schema.yaml');
    const cases = readdirSync(join(root, 'cases', name)).map((file): Case => {
      const one = parseJson(readFileSync(join(root, 'cases', name, file), 'utf8')) as JsonObject;
      const text = typeof one.input === 'string' ? one.input : canonicalJson(one.input as JsonObject);
      return {
        className: String(one.class),
        kind: one.format === 'ttl' ? 'ttl' : 'json',
        text,
        name: `${name}/${file}`,
      };
    });
    return { name, address, cases };
  });
}

longTest('merged schemas give the verdicts of a corpus', { skip }, async (t) => {
  const folder = scratch(t);
  for (const { name, address, cases } of corpus()) {
    const merged = join(folder, `${name}.yaml`);
    const before = await openSchema(address);
    writeFileSync(merged, dumpYaml(before.merged()));
    const after = await openSchema(merged);
    for (const { className, kind, text, name: file } of cases) {
      const verdict = async (schema: typeof before) => {
        const { findings } = await judgeText('case', kind, text, { schema, className });
        if (findings.length > 0) return findings.map(({ type, path }) => [type, path]);
        const value = kind === 'json' ? parseJson(text) : await FORMATS.ttl.parse(text, className, schema);
        return [value].flat().flatMap((record) => submit(schema, className, record as JsonObject));
      };
      assert.deepEqual(await verdict(after), await verdict(before), file);
    }
  }
});

longTest('files get the verdicts of the service over a corpus', { skip }, async (t) => {
  const all = corpus();
  const names = all.map(({ name }) => name);
  const service = await testApp(t, {
    collections: Object.fromEntries(all.map(({ name, address }) => [name, { schema: address }])),
    tokens: { ann: Object.fromEntries(names.map((name) => [name, 'WRITE_COLLECTION'])) },
  });
  let compared = 0;
  for (const { name, address, cases } of all) {
    const schema = await openSchema(address);
    for (const { className, kind, text, name: file } of cases) {
      // An array is a file of several records, and no body of one.
      if (kind === 'json' && !text.trimStart().startsWith('{')) continue;
      const { statusCode } = await service.app.server.inject({
        method: 'POST',
        url: `/${name}/validate/record/${encodeURIComponent(className)}?format=${kind}`,
        headers: {
          'x-service-token': 'ann',
          'content-type': kind === 'ttl' ? 'text/turtle' : 'application/json',
        },
        payload: text,
      });
      const { findings } = await judgeText('case', kind, text, { schema, className });
      assert.equal(
        findings.length === 0,
        statusCode === 200,
        `${file}: ${statusCode} ${findings[0]?.message}`,
      );
      compared += 1;
    }
  }
  assert.ok(compared > 1000);
});

test('a schema that is refused is examined whole: every fault, and what is not enforced', async (t) => {
  const file = join(scratch(t), 'main.yaml');
  writeFileSync(
    file,
    `${PART.replace('range: uriorcurie', 'multivaled: true').replace('range: Kind', 'range: Knd')}
  Shelf: { is_a: Thng, slots: [nothing], attributes: { width: { range: Metre } } }\n`,
  );
  const { status, stdout, stderr } = await accession(['schema', 'check', file]);
  assert.equal(status, 1);
  for (const fault of [/ Knd\b/, / Thng\b/, / nothing\b/, / Metre\b/]) assert.match(stderr, fault);
  assert.match(stdout, /slots\.pid\.multivaled .*Did you mean multivalued\?/);
  writeFileSync(file, MAIN.replace('[./part]', '[./part, ./other]'));
  const missing = await accession(['schema', 'check', file]);
  for (const name of ['./part', './other']) assert.ok(missing.stderr.includes(`imports ${name},`));
});

test('one run shows faults, repeated keys, contradictions and what is not enforced, for programs, too', async (t) => {
  const file = join(scratch(t), 'main.yaml');
  const check = async (text: string) => {
    writeFileSync(file, text);
    const { status, stdout, stderr } = await accession(['schema', 'check', file, '--json']);
    assert.equal(status, 1);
    const { findings } = JSON.parse(stdout) as { findings: { kind: string; message: string }[] };
    for (const { message } of findings.filter(({ kind }) => kind === 'fault'))
      assert.ok(stderr.includes(message));
    return findings.map(({ kind, message }) => `${kind}: ${message}`).join('\n');
  };
  const broken = await check(`id: https://example.org/broken
classes:
  Thing:
    slots: [pid, size, size]
    description: one
    description: two
  Shelf: { is_a: Thng, attributes: { key: { identifier: true, required: false }, pages: {range: Nmber, range: Nmber} } }
slots:
  pid: { identifier: true, descripton: misspelled }
  size: { range: integer, minimum_value: 5, maximum_value: 2 }
`);
  for (const finding of [
    /^fault: .*: line 6, column 5: a key occurs twice/m,
    /^fault: .*: line 7, column \d+: a key occurs twice/m,
    /^fault: The class Shelf .* inherits from Thng/m,
    /^fault: .* has the range Nmber/m,
    /^contradiction: The slot size of the class Thing has contradictory bounds/m,
    /^not enforced: slots\.pid\.descripton .*Did you mean description\?/m,
  ])
    assert.match(broken, finding);
  const incomplete = await check(MAIN.replace('[./part]', '[./nowhere]').replace('classes:', 'clases:'));
  assert.match(incomplete, /^fault: .* imports \.\/nowhere,/m);
  assert.match(incomplete, /^not enforced: .*clases .*Did you mean classes\?/m);
  assert.match(await check('id: ['), /^fault: .*: line 1, column 5: not valid YAML/m);
});

test('a schema is examined: classes, what is not described, what is not used', async (t) => {
  const folder = scratch(t);
  writeFileSync(join(folder, 'part.yaml'), PART);
  writeFileSync(join(folder, 'main.yaml'), `${MAIN}  Shelf:\n    is_a: Thing\n    frobnicate: true\n`);
  const { status, stdout } = await accession(['schema', 'check', join(folder, 'main.yaml'), '--json']);
  assert.equal(status, 2);
  const { classes, findings } = JSON.parse(stdout);
  assert.deepEqual(
    classes.find((one: { class: string }) => one.class === 'Book'),
    { class: 'Book', records: 'yes', slots: 5, required: 2, below: 0 },
  );
  const messages = findings
    .map(({ kind, message }: Record<string, string>) => `${kind}: ${message}`)
    .join('\n');
  assert.match(messages, /not enforced: classes\.Shelf\.frobnicate/);
  assert.match(messages, /note: Slots without a description: .*Thing\.code/);
  assert.doesNotMatch(messages, /slot \w+\.title/);
  assert.match(
    messages,
    /note: The schema itself does not use these prefixes, which records may use: .*\bunused\b/,
  );
  assert.doesNotMatch(messages, /prefixes: .*\b(?:part|xsd|shex)\b/);
});

test('an enum of a vocabulary is a note, since a collection can have it, and the status stays 0', async (t) => {
  const file = join(scratch(t), 'main.yaml');
  const query = 'reachable_from: { source_ontology: obo:cl, source_nodes: [part:a] }';
  const check = async (element: string) => {
    writeFileSync(file, PART.replace(/Kind: .*/, `Kind: { ${element} }`));
    const { status, stdout } = await accession(['schema', 'check', file]);
    return { status, stdout };
  };
  const asked = await check(query);
  assert.match(asked.stdout, /^note +enums\.Kind: .* A collection with a snapshot of obo:cl enforces it\.$/m);
  const other = await check('permissible_values: { one: {} }, frobnicate: true');
  assert.match(other.stdout, /^not enforced +enums\.Kind\.frobnicate/m);
  assert.deepEqual([asked.status, other.status], [0, 2]);
});

test('a class is shown with the slots that it inherits', async () => {
  const { stdout } = await accession(['schema', 'show', LABORATORY, 'Person']);
  assert.match(stdout, /^Person <http:\/\/schema\.org\/Person>\nAgent < /);
  assert.match(stdout, /^family_name +string +yes/m);
  assert.match(stdout, /^affiliations +Organization \(pid\) +yes/m);
  const unknown = await accession(['schema', 'show', LABORATORY, 'Persn']);
  assert.deepEqual(
    [unknown.status, unknown.stderr],
    [1, 'accession: The schema has no class Persn. Did you mean Person?\n'],
  );
});

test('references to records that do not exist are found in a store', async (t) => {
  const service = await testApp(t, { collections: { lab: {} }, tokens: { cur: { lab: 'CURATOR' } } });
  const json = { ...person('a'), affiliations: ['labid:x'] };
  await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json });
  const { stdout } = await accession(['check', service.store]);
  assert.match(stdout, /^warning references lab\/curated: labid:a refers to labid:x, /m);
});

test('a schema that needs a token is refused with what works instead', async (t) => {
  const server = createServer((_request, response) => response.writeHead(401).end());
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { status, stderr } = await accession(['schema', 'show', `http://127.0.0.1:${port}/s.yaml`]);
  assert.equal(status, 1);
  assert.match(stderr, /the host answers 401\. Schemas are read without a token: save this one as a file/);
  assert.match(stderr, /Commands for a collection use the token of `accession login` instead\./);
  assert.doesNotMatch(stderr, /--schema-map/);
});
