/** OAI-PMH 2.0: the verbs, the errors, lists of one moment, deletions, sets, policies, and hostile values. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { testApp } from '../../../../test/support/app.ts';
import { organization, person } from '../../../../test/support/people.ts';
import { longTest, test } from '../../../../test/support/tier.ts';
import type { Pool } from '../../../core/work/pool.ts';
import { harvestedRecords } from './harvest.ts';

const ID = 'https://example.org/laboratory/id/';
const CONFIGURATION = {
  collections: { c: { default_token: 'guest' }, closed: {} },
  tokens: {
    guest: { c: 'READ_CURATED' },
    ann: { closed: 'WRITE_SUBMISSIONS' },
    cleo: { c: 'CURATOR', closed: 'CURATOR' },
  },
};

async function repository(t: TestContext) {
  const { request } = await testApp(t, CONFIGURATION);
  const put = async (className: string, json: object) => {
    const { status, text } = await request('POST', `/c/curated/record/${className}`, { token: 'cleo', json });
    assert.equal(status, 200, text);
  };
  const remove = (name: string) =>
    request('DELETE', `/c/curated/record?pid=labid:${name}`, { token: 'cleo' });
  const ask = async (query: string) => {
    const { status, headers, text } = await request('GET', `/-/c/oai?${query}`);
    assert.equal(status, 200, text);
    assert.equal(headers['content-type'], 'text/xml; charset=utf-8');
    assert.match(
      text,
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<OAI-PMH xmlns="http:\/\/www.openarchives.org/,
    );
    return text;
  };
  return { request, put, remove, ask };
}

const identifiersIn = (text: string) =>
  [...text.matchAll(/<header( status="deleted")?><identifier>[^<]*\/id\/([^<]*)</g)].map(
    ([, deleted, name]) => (deleted ? `-${name}` : name),
  );
const tokenIn = (text: string) => /<resumptionToken>([^<]+)</.exec(text)?.[1];
const dc = 'metadataPrefix=oai_dc';

test('Identify, formats and sets describe the collection', async (t) => {
  const { request, put, ask } = await repository(t);
  await put('Person', person('ada'));
  const publish = { title: 'People', contact: 'lab@example.org' };
  await request('PUT', '/-/c/settings', { token: 'cleo', json: { publish } });
  const about = await ask('verb=Identify');
  assert.match(about, /<request verb="Identify">http:\/\/[^<]*\/-\/c\/oai<\/request>/);
  assert.match(about, /<repositoryName>People<.*<adminEmail>lab@example.org<.*<deletedRecord>persistent</);
  assert.match(about, /<earliestDatestamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ</);
  const sets = await ask('verb=ListSets');
  assert.match(sets, /<set><setSpec>Person<\/setSpec><setName>Person<\/setName><\/set>/);
  const prefixes = (text: string) =>
    [...text.matchAll(/<metadataPrefix>(\w+)</g)].map(([, prefix]) => prefix);
  assert.deepEqual(prefixes(await ask('verb=ListMetadataFormats')), ['oai_dc', 'datacite', 'rdf']);
  const own = await ask(`verb=ListMetadataFormats&identifier=${ID}ada`);
  assert.deepEqual(prefixes(own), ['oai_dc', 'rdf']);
  const posted = await request('POST', '/-/c/oai', { body: 'verb=Identify' });
  assert.match(posted.text, /<repositoryName>People</);
});

test('a record is Dublin Core, DataCite or RDF, with the titles of what it refers to', async (t) => {
  const { request, put, ask } = await repository(t);
  await put('Person', person('ada', { name: 'Ada & Co' }));
  const paper = { title: 'On <x>', authors: ['labid:ada', 'labid:gone'], published: '2020-05-01' };
  await put('Publication', { pid: 'labid:p', ...paper });
  const publish = { publisher: 'We', license: 'https://example.org/l' };
  await request('PUT', '/-/c/settings', { token: 'cleo', json: { publish } });
  const record = (prefix: string, name = 'p') =>
    ask(`verb=GetRecord&identifier=${ID}${name}&metadataPrefix=${prefix}`);
  const plain = await record('oai_dc');
  assert.match(
    plain,
    /<setSpec>Publication<\/setSpec><setSpec>Thing<\/setSpec><\/header><metadata><oai_dc:dc /,
  );
  assert.match(
    plain,
    /<dc:title>On &lt;x&gt;<\/dc:title><dc:creator>Ada &amp; Co<\/dc:creator><dc:creator>https:/,
  );
  assert.match(plain, /<dc:publisher>We<.*<dc:date>2020-05-01<.*<dc:rights>https:\/\/example.org\/l</);
  const cited = await record('datacite');
  assert.match(cited, /<creatorName>Ada &amp; Co<.*<publicationYear>2020</);
  const graph = await record('rdf');
  assert.match(graph, /<rdf:Description rdf:about="https:\/\/example.org\/laboratory\/id\/p">/);
  assert.match(
    graph,
    /<(n\d):author rdf:resource="https:\/\/example.org\/laboratory\/id\/ada"><\/\1:author>/,
  );
  assert.match(await record('datacite', 'ada'), /<error code="cannotDisseminateFormat">/);
  assert.deepEqual(identifiersIn(await ask('verb=ListRecords&metadataPrefix=datacite')), ['p']);
  await put('Publication', { pid: 'labid:p', title: 'Without authors' });
  assert.deepEqual(identifiersIn(await ask('verb=ListRecords&metadataPrefix=datacite')), ['-p']);
});

test('a list is of one moment, whatever is written meanwhile, and names each record once', async (t) => {
  const { put, remove, ask } = await repository(t);
  const names = Array.from({ length: 230 }, (_, at) => `p${at}`);
  for (const name of names) await put('Person', person(name));
  await put('Person', person('p0', { name: 'Again' }));
  await remove('p1');
  let text = await ask(`verb=ListRecords&${dc}`);
  const found = identifiersIn(text);
  for (const [at, change] of [
    () => remove('p150'),
    () => put('Person', person('p151', { name: 'New' })),
  ].entries()) {
    await change();
    text = await ask(`verb=ListRecords&resumptionToken=${tokenIn(text)}`);
    found.push(...identifiersIn(text));
    if (at === 0) assert.match(text, /<dc:title>p151</);
  }
  assert.equal(tokenIn(text), undefined);
  assert.match(text, /<resumptionToken><\/resumptionToken>/);
  assert.deepEqual(found, [...names.slice(2), 'p0', '-p1']);
  assert.deepEqual(identifiersIn(await ask(`verb=ListIdentifiers&${dc}`)).slice(-4), [
    'p0',
    '-p1',
    '-p150',
    'p151',
  ]);
});

longTest('a page of long records ends early, and the next one goes on', async (t) => {
  const { put, ask } = await repository(t);
  const names = Array.from({ length: 30 }, (_, at) => `p${at}`);
  for (const [at, name] of names.entries())
    await put('Person', person(name, { description: at % 3 === 0 ? 'x'.repeat(1_000_000) : 'x' }));
  let text = await ask(`verb=ListRecords&${dc}`);
  const found = identifiersIn(text);
  assert.ok(found.length < 30);
  for (let next = tokenIn(text); next !== undefined; next = tokenIn(text)) {
    text = await ask(`verb=ListRecords&resumptionToken=${next}`);
    assert.ok(text.length < 10_000_000);
    found.push(...identifiersIn(text));
  }
  assert.deepEqual(found, names);
});

test('from, until and set select changes', async (t) => {
  const { put, remove, ask } = await repository(t);
  const today = () => new Date().toISOString().slice(0, 10);
  const from = today();
  await put('Person', person('ada'));
  await put('Organization', organization('lab'));
  await remove('ada');
  // It may be another day than at the first change.
  const until = today();
  assert.deepEqual(identifiersIn(await ask(`verb=ListIdentifiers&${dc}&from=${from}&until=${until}`)), [
    'lab',
    '-ada',
  ]);
  assert.deepEqual(identifiersIn(await ask(`verb=ListIdentifiers&${dc}&set=Person`)), ['-ada']);
  assert.deepEqual(identifiersIn(await ask(`verb=ListIdentifiers&${dc}&set=Agent`)), ['lab', '-ada']);
  for (const query of ['from=2999-01-01T00:00:00Z', 'until=2000-01-01', 'set=Instrument', 'set=None'])
    assert.match(await ask(`verb=ListRecords&${dc}&${query}`), /<error code="noRecordsMatch">/);
});

test('what the protocol refuses is an error in a document', async (t) => {
  const { put, ask } = await repository(t);
  await put('Person', person('ada'));
  for (const [query, code] of [
    ['', 'badVerb'],
    ['verb=List', 'badVerb'],
    ['verb=constructor', 'badVerb'],
    ['verb=Identify&verb=Identify', 'badVerb'],
    ['verb=Identify&x=1', 'badArgument'],
    ['verb=ListRecords', 'badArgument'],
    [`verb=ListRecords&${dc}&${dc}`, 'badArgument'],
    [`verb=ListRecords&${dc}&from=2026-02-30`, 'badArgument'],
    [`verb=ListRecords&${dc}&from=yesterday`, 'badArgument'],
    [`verb=ListRecords&${dc}&from=2026-02-03&until=2026-02-03T00:00:00Z`, 'badArgument'],
    [`verb=ListRecords&${dc}&from=2026-02-03&until=2026-02-02`, 'badArgument'],
    [`verb=ListRecords&${dc}&resumptionToken=x`, 'badArgument'],
    ['verb=ListRecords&resumptionToken=x', 'badResumptionToken'],
    ['verb=ListSets&resumptionToken=x', 'badResumptionToken'],
    ['verb=ListRecords&metadataPrefix=marc', 'cannotDisseminateFormat'],
    [`verb=GetRecord&metadataPrefix=marc&identifier=${ID}ada`, 'cannotDisseminateFormat'],
    [`verb=GetRecord&${dc}&identifier=${ID}none`, 'idDoesNotExist'],
    ['verb=ListMetadataFormats&identifier=x', 'idDoesNotExist'],
  ] as const) {
    const text = await ask(query);
    assert.match(text, new RegExp(`<error code="${code}">[A-Z].*\\.</error>`), query);
    assert.equal(/<request>/.test(text), code === 'badVerb' || code === 'badArgument', query);
  }
});

test('hostile values stay text, without characters that XML 1.0 cannot have', async (t) => {
  const { put, ask } = await repository(t);
  const hostile = ']]></dc:title><x a="\u0001\ufffe&amp;';
  await put('Person', person('evil', { name: 'x', description: hostile }));
  for (const prefix of ['oai_dc', 'rdf']) {
    const text = await ask(`verb=ListRecords&metadataPrefix=${prefix}`);
    assert.match(text, /\]\]&gt;&lt;\/dc:title&gt;&lt;x a=&quot;\ufffd\ufffd&amp;amp;/);
  }
  const asked = await ask(`verb=GetRecord&${dc}&identifier=${encodeURIComponent(hostile)}`);
  assert.doesNotMatch(asked, /<x |\u0001/);
});

longTest('the titles of many references are looked up in turns with other requests', async (t) => {
  const { app, request } = await testApp(t, CONFIGURATION);
  for (let n = 0; n < 20; n++) {
    const authors = Array.from({ length: 2000 }, (_, k) => `labid:${'x'.repeat(40)}-${n}-${k}`);
    const json = { pid: `labid:paper-${n}`, title: 'T', authors };
    assert.equal(
      (await request('POST', '/c/curated/record/Publication', { token: 'cleo', json })).status,
      200,
    );
  }
  const collection = app.registry.collection('c')!;
  const { curated } = collection;
  const at = await curated.revision();
  const { changes } = await curated.feed({ after: 0, lastUpTo: at, limit: 100 });
  let turns = 0;
  let next = setImmediate(function turn() {
    turns++;
    next = setImmediate(turn);
  });
  t.after(() => clearImmediate(next));
  // No thread gives the loop its turns.
  const pool = { run: async () => [] as unknown } as unknown as Pool;
  await harvestedRecords({ collection, curated, urlOf: (pid) => pid, pool }, 'oai_dc', changes, at);
  assert.ok(turns > 1, `${turns} turns`);
});

test('a token that reads no curated records harvests nothing', async (t) => {
  const { request } = await repository(t);
  assert.equal((await request('GET', '/-/closed/oai?verb=Identify')).status, 401);
  assert.equal((await request('GET', '/-/closed/oai?verb=Identify', { token: 'ann' })).status, 403);
});
