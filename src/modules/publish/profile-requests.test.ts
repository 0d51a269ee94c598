/** Profiles of a collection: tried on all curated records, put in force with the settings, and seen on the page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';

type Trial = {
  readonly vocabulary: string;
  readonly records: number;
  readonly left_out: number;
  readonly problems: readonly { readonly message: string; readonly examples: readonly string[] }[];
};

test('profiles are tried on all records, refused if they are wrong, and in force with the settings', async (t) => {
  const { request } = await testApp(t, { collections: { c: {} }, tokens: { cleo: { c: 'CURATOR' } } });
  const send = (method: string, url: string, json?: object) => request(method, url, { token: 'cleo', json });
  await send('POST', '/c/curated/record/Person', person('ada', { description: 'A person' }));
  await send('POST', '/c/curated/record/Publication', {
    pid: 'labid:p',
    title: 'P',
    published: '2020-01-01',
  });
  const tried = async (profiles: object) => {
    const { status, text, json } = await send('POST', '/-/c/profiles/try', profiles);
    assert.equal(status, 200, text);
    return json<Trial[]>().find(({ vocabulary }) => vocabulary === 'datacite')!;
  };
  const before = await tried({});
  assert.deepEqual([before.records, before.left_out], [2, 2]);
  assert.match(before.problems[0]!.message, /^DataCite requires creators, and publisher/);
  const datacite = `class_derivations:
  Text:
    populated_from: Publication
    slot_derivations: {creators: {value: Us}, publisher: {value: We}}`;
  const { left_out, problems } = await tried({ datacite });
  assert.deepEqual([left_out, problems.map(({ examples }) => examples)], [1, [['labid:ada']]]);

  const bad = { publish: { profiles: { datacite: datacite.replace('Publication', 'Publikation') } } };
  const refused = await send('PUT', '/-/c/settings', bad);
  assert.equal(refused.status, 422);
  assert.match(
    refused.text,
    /class_derivations.Text.populated_from: the schema has no class 'Publikation'.*"publish","profiles","datacite"/,
  );
  const wrong = await send('POST', '/-/c/profiles/try', { oai_dc: 'class_derivations: 1' });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /class_derivations: expected a mapping or a list.*"body","oai_dc"/);

  const schema_org = `class_derivations:
  Patient:
    populated_from: Person
    slot_derivations: {disambiguatingDescription: {populated_from: description}}`;
  const profiles = { datacite, schema_org };
  assert.equal((await send('PUT', '/-/c/settings', { publish: { profiles } })).status, 200);
  const { text } = await send('GET', '/-/c/resource/labid:ada');
  assert.match(text, /"@type":"Patient".*"disambiguatingDescription":"A person"/);
});

test('derivations whose aliases repeat wrong ones hundreds of thousands of times are refused', async (t) => {
  const { request } = await testApp(t, { collections: { c: {} }, tokens: { cleo: { c: 'CURATOR' } } });
  const wrong = Array.from({ length: 1000 }, (_, n) => `s${n}: *one`).join(', ');
  const classes = Array.from({ length: 300 }, (_, n) => `  C${n}: *class\n`).join('');
  const text = `one: &one {zz: 1}\nslots: &slots {${wrong}}\nclass: &class {slot_derivations: *slots}\nclass_derivations:\n${classes}`;
  const json = { publish: { profiles: { schema_org: text } } };
  const { status, text: answer } = await request('PUT', '/-/c/settings', { token: 'cleo', json });
  assert.equal(status, 422, answer.slice(0, 300));
  assert.match(answer, /aliases expand to more than 30,000 values/);
});
