/** Each row of the endpoint table that callers without curation rights may use is held against hidden records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROBED_ROWS, PROBES, WRITTEN } from '../policies/probes.ts';

test('every row of the endpoint table that users may request has probes for hidden records, and every probe a row', () => {
  const rows = PROBED_ROWS.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual([...new Set([...Object.keys(PROBES), ...Object.keys(WRITTEN)])].sort(), rows.sort());
});
