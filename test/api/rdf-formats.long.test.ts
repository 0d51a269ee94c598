/** Turtle, N-Quads and JSON-LD of a record are one graph for rdflib, too. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { canonicalJson } from '#linkml/json.ts';
import { FORMATS } from '../../src/core/formats/formats.ts';
import { sampleSchemas } from '../generate/schemas.ts';
import { environmentWith } from '../support/python.ts';

const found = await environmentWith('pyshacl-0.40.1', ['pyshacl==0.40.1']);
const skip = 'missing' in found ? found.missing : false;

test('records of all schemas have one graph in all formats, as rdflib parses them', { skip }, async (t) => {
  const python = join((found as { venv: string }).venv, 'bin/python');
  const child = spawn(python, [join(import.meta.dirname, 'rdf-formats.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const output = Promise.all([text(child.stdout), once(child, 'close')]);
  let records = 0;
  let last = {};
  for (const { name, schema, valid } of await sampleSchemas()) {
    t.diagnostic(`${name}: ${valid.length} records`);
    for (const { className, record } of valid) {
      const json = canonicalJson(record);
      const documents = (['ttl', 'nq', 'jsonld'] as const).map((format) => [
        format,
        FORMATS[format].serialize(json, className, schema),
      ]);
      last = Object.fromEntries(documents);
      child.stdin.write(`${JSON.stringify(last)}\n`);
      records += 1;
    }
  }
  // A graph that lacks everything is another one.
  child.stdin.end(`${JSON.stringify({ ...last, nq: '' })}\n`);
  const { compared, differ, first } = JSON.parse((await output)[0]);
  assert.deepEqual(
    { compared, differ },
    { compared: records + 1, differ: 1 },
    JSON.stringify(first, null, 1),
  );
});
