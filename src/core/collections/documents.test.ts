/** Documents of whole areas, made in threads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openElements } from '../../../test/support/open-text.ts';
import { FORMATS } from '../formats/formats.ts';
import { Pool } from '../work/pool.ts';
import { documentsOrNotesOf } from './documents.ts';

const RECORDS = 450;

const schema = await openElements(`
classes:
  Thing:
    attributes:
      pid: { identifier: true, required: true }
      name: {}
`);

const recordOf = (n: number) => {
  const pid = `https://example.org/${n}`;
  // One that does not fit the schema.
  const json = JSON.stringify(n === 201 ? { pid, other: 'x' } : { name: `Name ${n}`, pid });
  return { pid, iri: pid, className: 'Thing', json };
};

test('documents of many records are made in threads, in their order, with memory for 200 records', async (t) => {
  const pool = new Pool();
  t.after(() => pool.close());
  let read = 0;
  const records = async function* () {
    for (; read < RECORDS; ) yield recordOf(read++);
  };
  let written = 0;
  for await (const document of documentsOrNotesOf(pool, schema, records(), 'nq')) {
    const { json, className, pid } = recordOf(written);
    if (written === 201) assert.match(document, new RegExp(`^# The record ${pid} of class Thing cannot be`));
    else assert.equal(document, FORMATS.nq.serialize(json, className, schema));
    written += 1;
    assert.ok(read <= written + 200, `${read} records were read for ${written} documents`);
  }
  assert.equal(written, RECORDS);
  assert.equal(pool.started, 3);
});

test('long records are few at a time, and JSON is passed on here', async (t) => {
  const pool = new Pool();
  t.after(() => pool.close());
  const name = 'x'.repeat(100_000);
  const records = async function* () {
    for (let n = 0; n < 4; n++)
      yield { ...recordOf(n), json: JSON.stringify({ name, pid: recordOf(n).pid }) };
  };
  assert.equal((await Array.fromAsync(documentsOrNotesOf(pool, schema, records(), 'ttl'))).length, 4);
  assert.equal(pool.started, 2);
  assert.equal((await Array.fromAsync(documentsOrNotesOf(pool, schema, records(), 'json'))).length, 4);
  assert.equal(pool.started, 2);
});
