/**
 * No statement walks an area. SQLite's plans for the statements of many requests are explained; each step through a table that
 * grows with the records has to be bound by more than the area. A walk is allowed below, with its reason.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { ReadingThread } from '../../src/core/storage/sqlite/reading-threads.ts';
import { person } from '../support/people.ts';
import { sqliteAt } from '../support/sqlite.ts';

const statements = new Set<string>();
const add = (sql: string) => {
  if (/^\s*(SELECT|WITH|UPDATE|DELETE)\b/i.test(sql)) statements.add(sql);
};
const { prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (sql: string) {
  add(sql);
  return prepare.call(this, sql);
};
const { query } = ReadingThread.prototype;
ReadingThread.prototype.query = function (client, request) {
  add(request.sql);
  return query.call(this, client, request);
};
// Everything that is imported from here on prepares by it.
const { ADMIN, testApp } = await import('../support/app.ts');
const { ENDPOINTS, readsOf } = await import('../support/endpoints.ts');

const GROWING = 'record|entry|link|block|file|patch|identifier|submission|decision|fault|text|word|doc';
/** All of a table, or all rows of an area, a queue or a curated area. */
const WALK = new RegExp(
  `^(SCAN .*accession_(${GROWING})\\b(?!.*VIRTUAL TABLE INDEX)|(SEARCH|SCAN) .*accession_(${GROWING})_\\w* \\((area|queue|curated)=\\?\\)$)`,
);

/** Parts of statements that may walk. */
const ALLOWED: Readonly<Record<string, string>> = {
  'accession_record z JOIN accession_record c ON c.area = ?2 AND c.iri = z.iri WHERE z.area = ?1':
    'the shadowed records, once after the start; it goes through the smaller area',
  'accession_record c JOIN accession_record z ON z.area = ?1 AND z.iri = c.iri WHERE c.area = ?2': 'the same',
  'length(r.json) > 65536': 'an index of the long records alone',
  'GROUP BY policy': 'the policies of an area, for administrators',
  'fault IS NOT NULL': 'an index of the faulty files alone',
  'DELETE FROM accession_submission_count': 'an index of the empty rows alone',
  'FROM accession_submission_count': 'a row for each kind of submission',
  'ORDER BY id DESC LIMIT': 'ends after a page',
  'ORDER BY time': 'ends after a page',
  'count(*) FROM accession_decision': 'decisions that have no filter are counted in an index',
  'max(block)': 'the first row of an index from its end',
};

/** Of query parameters. Others are sent as `2`. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  pid: ['labid:p1'],
  record: ['labid:p1'],
  around_pid: ['labid:p1'],
  label: ['ann'],
  around_label: ['ann'],
  class: ['Person'],
  author: ['ann@example.org'],
  submitter: ['ann@example.org'],
  reviewer: ['cur@example.org'],
  matching: ['%p1%'],
  q: ['person'],
  format: ['json'],
  expand: ['affiliations', '^affiliations(Person)'],
  state: ['new', 'changed'],
  standing: ['waiting', 'accepted'],
  status: ['waiting', 'accepted'],
  decision: ['accepted'],
  valid: ['true'],
  wait: ['0'],
  assignee: ['me', 'none'],
  sort: ['pid', 'class', '-submitted', 'label', 'due'],
  since: ['0', '2020-01-01T00:00:00Z'],
  until: ['2099-01-01T00:00:00Z'],
};

/** Of the row whose parameters are those of a protocol. */
const HARVESTS = [
  'verb=ListRecords&metadataPrefix=oai_dc',
  'verb=ListRecords&metadataPrefix=rdf&set=Person&from=2020-01-01&until=2099-01-01',
  'verb=GetRecord&metadataPrefix=oai_dc&identifier=https://example.org/laboratory/id/p1',
].map((query) => `/-/c/oai?${query}`);

/** Every row of the table that reads, without and with each parameter. */
function requests(): string[] {
  const rows = ENDPOINTS.filter(({ method, path }) => method === 'GET' && path.includes('{collection}'));
  return rows.flatMap((endpoint) => readsOf(endpoint, VALUES));
}

test('no statement walks an area', async (t) => {
  const service = await testApp(t, {
    collections: { c: { policy_annotation_tag: 'schema:policy' } },
    tokens: { ann: { c: 'WRITE_COLLECTION' }, cur: { c: 'CURATOR' } },
  });
  let succeeded = 0;
  const send = async (token: string, method: string, url: string, json?: unknown) => {
    const answer = await service.request(method, url, { token, ...(json !== undefined && { json }) });
    assert.ok(answer.status < 500, `${method} ${url}: ${answer.status} ${answer.text.slice(0, 200)}`);
    if (answer.status < 300) succeeded++;
    else if (method !== 'GET') assert.fail(`${method} ${url}: ${answer.text.slice(0, 300)}`);
  };
  const read = async () => {
    for (const url of [...requests(), ...HARVESTS])
      for (const token of ['ann', 'cur']) await send(token, 'GET', url);
  };
  for (const name of ['p1', 'p2', 'p3']) await send('cur', 'POST', '/c/curated/record/Person', person(name));
  await send('ann', 'POST', '/c/record/Person', person('p1', { name: 'Changed' }));
  await send('ann', 'POST', '/c/record/Person', person('p4'));
  await read();
  await send('cur', 'DELETE', '/c/curated/record?pid=labid:p3');
  await send('ann', 'POST', '/c/record/Person', person('p5'));
  await read();
  await send(ADMIN, 'GET', '/-/status');

  assert.ok(succeeded > 250 && statements.size > 80, `${succeeded} requests, ${statements.size} statements`);
  t.diagnostic(`${succeeded} requests, ${statements.size} statements`);
  const walks: string[] = [];
  const database = sqliteAt(`${service.store}/accession.db`, { readOnly: true });
  for (const sql of statements) {
    const text = sql.replaceAll(/\s+/g, ' ');
    if (!sql.includes('accession_') || Object.keys(ALLOWED).some((part) => text.includes(part))) continue;
    const steps = prepare.call(database, `EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
    const found = steps.map(({ detail }) => detail).filter((step) => WALK.test(step));
    if (found.length > 0) walks.push(`${found.join('; ')}: ${text}`);
  }
  database.close();
  assert.deepEqual(walks, []);
});
