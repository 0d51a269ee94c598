/** The records of the example store, before any service sees them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { curated, incoming } from '../../examples/laboratory/records.ts';

test('there are 200 curated records, each with a pid of its own, and records in two zones', () => {
  assert.equal(curated.length, 200);
  assert.equal(new Set(curated.map(({ record }) => record.pid)).size, 200);
  assert.deepEqual(Object.keys(incoming), ['submitter', 'students']);
});

test('whatever a curated record refers to is curated too', () => {
  const pids = new Set(curated.map(({ record }) => record.pid));
  const references = JSON.stringify(curated).match(/labid:[a-z0-9-]+/g) ?? [];
  assert.deepEqual(
    references.filter((pid) => !pids.has(pid)),
    [],
  );
});
