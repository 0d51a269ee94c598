/** `GET /-/metrics`: who may read it, and that its numbers are those of the service. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ADMIN, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: {} },
  tokens: { ann: { c: 'WRITE_COLLECTION' }, cur: { c: 'CURATOR' } },
};
const METRICS = 'metrics-secret';

/** The value of one series; labels in the order of the text. */
function numberOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test('metrics are for their own token and for administrators', async (t) => {
  const metricsToken = createHash('sha256').update(METRICS).digest('hex');
  const service = await testApp(t, CONFIGURATION, { metricsToken });
  const rows: [string | undefined, number][] = [
    [undefined, 401],
    ['wrong', 401],
    ['cur', 401],
    [METRICS, 200],
    [ADMIN, 200],
  ];
  for (const [token, status] of rows) {
    assert.equal((await service.request('GET', '/-/metrics', { token })).status, status, token);
  }
  const { text } = await service.request('GET', '/-/metrics', { token: 'cur' });
  assert.match(
    text,
    /The measurements require the token for metrics or an admin token, and 'cur' is not one/,
  );
  const asPrometheus = await service.request('GET', '/-/metrics', {
    headers: { authorization: `Bearer ${METRICS}` },
  });
  assert.match(asPrometheus.headers['content-type'] ?? '', /^text\/plain; version=0\.0\.4/);
  assert.equal((await service.request('GET', '/tokens', { token: METRICS })).status, 401);
});

test('requests are counted by route template and status, records by collection and area', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  for (const pid of ['labid:a', 'labid:b'])
    await service.request('POST', '/c/curated/record/Person', { token: 'cur', json: person(pid) });
  await service.request('POST', '/c/record/Person', { token: 'ann', json: person('labid:z') });
  await service.request('GET', '/c/record?pid=labid:a', { token: 'nobody at all' });
  await service.request('GET', '/no/such/path/at/all');
  const { text } = await service.request('GET', '/-/metrics', { token: ADMIN });
  const expected: [string, number | undefined][] = [
    ['accession_requests_total{method="POST",route="/:collection/curated/record/:class",status="200"}', 2],
    ['accession_requests_total{method="GET",route="/:collection/record",status="401"}', 1],
    ['accession_requests_total{method="GET",route="unmatched",status="404"}', 1],
    ['accession_request_seconds_count{method="POST",route="/:collection/curated/record/:class"}', 2],
    ['accession_records{collection="c",area="curated"}', 2],
    ['accession_records{collection="c",area="incoming"}', 1],
    ['accession_zones{collection="c"}', 1],
    ['accession_collections{state="served"}', 1],
    ['accession_collections{state="failed"}', 0],
    ['accession_faults{collection="c"}', 0],
    ['accession_store_writable', 1],
    ['accession_requests_in_progress', 0],
    ['accession_bodies_bytes', 0],
    ['accession_info{version="0.0.0-test"}', 1],
  ];
  for (const [series, value] of expected) assert.equal(numberOf(text, series), value, series);
  assert.ok((numberOf(text, 'accession_jobs{state="idle"}') ?? -1) >= 0);
  assert.doesNotMatch(text, /labid|no\/such/);
});
