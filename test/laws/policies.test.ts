/** Each row of the endpoint table that callers without curation rights may use is held against hidden records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROBES } from '../policies/probes.ts';
import { ENDPOINTS } from '../support/endpoints.ts';

/** They concern no collection, or show nothing of its records: what a token may do, and what there is besides records. */
const WITHOUT_RECORDS = ['GET /-/me'];

test('every row of the endpoint table that users may request has probes for hidden records', () => {
  const rows = ENDPOINTS.filter(
    ({ token, path }) => token === 'optional' || (token === 'none' && /\{collection\}/.test(path)),
  )
    .map(({ method, path }) => `${method} ${path}`)
    .filter((row) => !WITHOUT_RECORDS.includes(row));
  assert.deepEqual(Object.keys(PROBES).sort(), rows.sort());
});
