/** Releases in the catalog of their collection. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Parser } from 'n3';
import { testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { person } from '../../../test/support/people.ts';

const DCAT = 'http://www.w3.org/ns/dcat#';
const DCT = 'http://purl.org/dc/terms/';
const LICENSE = 'https://creativecommons.org/licenses/by/4.0/';

test('a harvester walks from the catalog of a collection to the files of each release', async (t) => {
  const { request } = await testApp(t, {
    collections: { c: { default_token: 'guest' } },
    tokens: { guest: { c: 'READ_CURATED' }, cur: { c: 'CURATOR' } },
  });
  const ask = async (method: string, url: string, json: object) => {
    const answer = await request(method, url, { token: 'cur', json });
    assert.ok(answer.status < 300, answer.text);
  };
  await ask('PUT', '/-/c/settings', { publish: { title: 'The lab', license: LICENSE } });
  await ask('POST', '/c/curated/record/Person', person('a'));
  await ask('POST', '/-/c/releases', { name: 'v1', notes: 'The\nfirst' });
  await eventually('the release', async () => (await request('GET', '/-/c/releases/v1')).status === 200);
  const quads = new Parser().parse((await request('GET', '/-/c/catalog')).text);
  const objects = (subject: string, property: string) =>
    quads.flatMap((quad) =>
      quad.subject.value === subject && quad.predicate.value === property ? quad.object.value : [],
    );
  const catalog = quads[0]!.subject.value;
  const [records = '', release = ''] = objects(catalog, `${DCAT}dataset`);
  assert.equal(release, `${catalog}#release-v1`);
  assert.deepEqual(objects(records, `${DCAT}hasVersion`), [release]);
  assert.deepEqual(objects(release, `${DCAT}isVersionOf`), [records]);
  assert.deepEqual(objects(release, `${DCT}title`), ['The lab, v1']);
  assert.deepEqual(objects(release, `${DCT}description`), ['The\nfirst']);
  assert.deepEqual(objects(release, `${DCT}license`), [LICENSE]);
  const files = objects(release, `${DCAT}distribution`).flatMap((one) => objects(one, `${DCAT}downloadURL`));
  const paths = files.map((url) => url.replace(/^http:\/\/[^/]+/, ''));
  assert.deepEqual(
    paths,
    ['crate.zip', 'records.jsonl', 'records.nq'].map((file) => `/-/c/releases/v1/${file}`),
  );
  for (const path of paths) assert.equal((await request('GET', path)).status, 200, path);
});
