/** Numbers in place of dates: JSON has them as the seconds since 1970, as the peer reads it, and nothing else does. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type TestService, testApp } from '../support/app.ts';
import { NUMBERS, schemaIn } from '../support/timestamps.ts';
import { accession, LABORATORY, scratch } from './accession.ts';
import { listening } from './service.ts';

test('a strict check, and files of YAML, Turtle, N-Quads and JSON-LD, have no numbers as dates', async (t) => {
  const folder = scratch(t);
  const { file: schema } = await schemaIn(folder);
  const validate = async (name: string, content: string, ...options: string[]) => {
    const file = join(folder, name);
    writeFileSync(file, content);
    const ran = await accession(['validate', '--schema', schema, '--class', 'Thing', ...options, file]);
    return { ...ran, problems: ran.stdout.trimEnd().split('\n').filter(Boolean).length };
  };
  const strict = ['--strict', '--identifiers', 'any'];
  for (const number of NUMBERS.slice(0, 3)) {
    for (const text of [`"${number}"`, `["2024-01-01", "${number}"]`]) {
      const slot = text.startsWith('[') ? 'ats' : 'at';
      assert.equal(
        (await validate('a.json', `{"pid":"ex:1","${slot}":${text}}`, ...strict)).problems,
        1,
        text,
      );
    }
    assert.equal((await validate('a.yaml', `pid: ex:1\nat: ${number}\n`)).problems, 1, number);
    assert.equal((await validate('a.yaml', `pid: ex:1\nparts: [{at: "${number}"}]\n`)).problems, 1, number);
    const turtle = (slot: string, literal: string) =>
      `@prefix ex: <https://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\nex:1 a ex:Thing ; ex:${slot} ${literal} .\n`;
    for (const slot of ['at', 'ats', 'day', 'when', 'own', 'either'])
      for (const datatype of [
        '',
        '@en',
        '^^xsd:dateTime',
        '^^xsd:gYear',
        '^^xsd:integer',
        '^^xsd:decimal',
        '^^xsd:double',
        '^^ex:moment',
      ]) {
        const ran = await validate('a.ttl', turtle(slot, `"${number}"${datatype}`));
        assert.equal(ran.status, 2, `${slot} ${number} ${datatype} ${ran.stdout}${ran.stderr}`);
      }
    const ld = (value: string) =>
      `{"@context": {"ex": "https://example.org/"}, "@id": "ex:1", "@type": "ex:Thing", "ex:at": ${value}}`;
    for (const value of [`"${number}"`, number.replace('+', '').replace(/\.$/, '')])
      assert.equal((await validate('a.jsonld', ld(value))).status, 2, value);
    const plain = `{"pid": "ex:1", "at": "${number}"}`;
    assert.equal((await validate('a.jsonld', plain)).status, 2, plain);
    const quad = `<https://example.org/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://example.org/Thing> .\n<https://example.org/1> <https://example.org/at> "${number}" .\n`;
    assert.equal((await validate('a.nq', quad)).status, 2, quad);
  }
  assert.equal((await validate('a.json', '{"pid":"ex:1","at":1700000000}')).status, 0);
});

test('digits of a second beyond the sixth are refused, unless they are zeros, and dropped in JSON alone', async (t) => {
  const folder = scratch(t);
  const { file: schema } = await schemaIn(folder);
  const forms = (moment: string): Record<string, string> => ({
    'a.yaml': `pid: ex:1\nparts: [{at: "${moment}"}]\n`,
    'a.ttl': `@prefix ex: <https://example.org/> .\nex:1 a ex:Thing ; ex:at "${moment}" .\n`,
    'a.jsonld': `{"@context": {"ex": "https://example.org/"}, "@id": "ex:1", "@type": "ex:Thing", "ex:at": "${moment}"}`,
    'a.json': `{"pid": "ex:1", "at": "${moment}"}`,
  });
  const validate = async (moment: string, name: string, ...options: string[]) => {
    const file = join(folder, name);
    writeFileSync(file, forms(moment)[name]!);
    return accession(['validate', '--schema', schema, '--class', 'Thing', ...options, file]);
  };
  for (const name of Object.keys(forms(''))) {
    assert.equal((await validate('2024-03-01T10:00:00.123456000Z', name)).status, 0, name);
    const { status, stdout } = await validate('2024-03-01T10:00:00.1234567Z', name);
    assert.equal(status, name === 'a.json' ? 0 : 2, name);
    if (status !== 0) assert.match(stdout, /At most six digits/, name);
  }
  const strict = await validate('2024-03-01 10:00:00,0000001', 'a.json', '--strict', '--identifiers', 'any');
  assert.match(strict.stdout, /At most six digits/);
});

test('literals of dates need the datatype of the slot, or none, and its form', async (t) => {
  const folder = scratch(t);
  const { file: schema } = await schemaIn(folder);
  const file = join(folder, 'a.ttl');
  const problem = async (slot: string, literal: string) => {
    writeFileSync(
      file,
      `@prefix ex: <https://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\nex:1 a ex:Thing ; ex:${slot} ${literal} .\n`,
    );
    return (await accession(['validate', '--schema', schema, '--class', 'Thing', file])).stdout;
  };
  for (const literal of ['', '^^xsd:dateTime', '^^xsd:dateTimeStamp'])
    assert.equal(await problem('at', `"2024-03-01T10:00:00Z"${literal}`), '');
  assert.equal(await problem('when', '"2024-03-01"^^xsd:date'), '');
  assert.equal(await problem('own', '"2024-03-01T10:00:00Z"^^ex:moment'), '');
  assert.match(
    await problem('at', '"2024"^^xsd:gYear'),
    /Expected the datatype xsd:dateTime or xsd:dateTimeStamp, found "2024" with the datatype xsd:gYear\./,
  );
  assert.match(
    await problem('at', '"2024-03"^^xsd:gYearMonth'),
    /found "2024-03" with the datatype xsd:gYearMonth/,
  );
  assert.match(await problem('when', '2024'), /found "2024" with the datatype xsd:integer/);
});

test('a service refuses them in Turtle and JSON-LD, and reads them in JSON as the peer does', async (t) => {
  const service: TestService = await testApp(t, {
    collections: { lab: { schema: LABORATORY } },
    tokens: { cur: { lab: 'CURATOR' } },
  });
  const post = (path: string, type: string, body: string) =>
    service.request('POST', path, { token: 'cur', headers: { 'content-type': type }, body });
  const record = '{"pid":"labid:i","name":"I","calibrated":1700000000}';
  const path = '/lab/curated/record/Instrument';
  assert.equal((await post(path, 'application/json', record)).status, 200);
  const { text } = await service.request('GET', '/lab/curated/record?pid=labid:i', { token: 'cur' });
  assert.match(text, /"calibrated":"2023-11-14T22:13:20Z"/);
  const asLd = await post(`${path}?format=jsonld`, 'application/ld+json', record);
  assert.equal(asLd.status, 400, asLd.text);
  assert.match(asLd.text, /A number is not read as the seconds since 1970/);
  const { text: turtle } = await service.request('GET', '/lab/curated/record?pid=labid:i&format=ttl', {
    token: 'cur',
  });
  const changed = turtle.replace(/"2023-11-14T22:13:20Z"(\^\^[\w:]+)?/, '"2024"$1');
  assert.notEqual(changed, turtle);
  assert.equal((await post(`${path}?format=ttl`, 'text/turtle', changed)).status, 400);
});

test('an import refuses them in YAML and JSON-LD, with the reason', async (t) => {
  const service = await listening(t);
  const folder = scratch(t);
  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' };
  for (const [name, content] of [
    ['a.yaml', 'pid: labid:i\nname: I\ncalibrated: 2024\nschema_type: lab:Instrument\n'],
    ['b.jsonld', '{"pid": "labid:i", "name": "I", "calibrated": "2024"}'],
  ] as const) {
    const file = join(folder, name);
    writeFileSync(file, content);
    const ran = await accession(['import', 'lab', file, '--class', 'Instrument', '--curated'], { env });
    assert.equal(ran.status, 2, ran.stderr);
    assert.match(ran.stderr, /calibrated: found "?2024"?, expected a date and time .* seconds since 1970/);
  }
  const { text } = await service.request('GET', '/lab/curated/record?pid=labid:i', { token: 'cur' });
  assert.equal(text, 'null');
});
