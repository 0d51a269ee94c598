/** `accession schema generate`: what the library generates, on standard output or in a file. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { GENERATED } from '../../src/cli/offline/commands.ts';
import { GENERATORS } from '../../src/cli/offline/generate.ts';
import { openSchema } from '../../src/core/schema/schema.ts';
import { accession, LABORATORY, scratch } from './accession.ts';

test('each generator writes what it makes of the schema, and reports what it leaves out', async (t) => {
  const file = join(scratch(t), 'out');
  const schema = await openSchema(LABORATORY);
  for (const name of GENERATED) {
    const { text, warnings } = GENERATORS[name](schema, { className: undefined, references: false });
    const stderr = warnings.map((warning) => `accession: ${warning}\n`).join('');
    const printed = await accession(['schema', 'generate', name, LABORATORY]);
    assert.deepEqual(printed, { status: 0, stdout: text, stderr }, name);
    // The name of an earlier release.
    const written = await accession(['schema', name, LABORATORY, '-o', file]);
    assert.deepEqual([written.stdout, readFileSync(file, 'utf8')], ['', text], name);
  }
});

test('a class can be named, and references of shapes can be demanded', async () => {
  const form = await accession(['schema', 'generate', 'form', LABORATORY, 'Money']);
  assert.equal(JSON.parse(form.stdout).class, 'Money');
  const wrong = await accession(['schema', 'generate', 'json-schema', LABORATORY, 'Monye']);
  assert.deepEqual([wrong.status, /has no class Monye. Did you mean Money\?/.test(wrong.stderr)], [1, true]);
  const shapes = await accession(['schema', 'generate', 'shacl', LABORATORY, '--references']);
  assert.match(
    shapes.stdout,
    /sh:path schema:affiliation ;[\s\S]{1,150}sh:nodeKind sh:IRI ;\n\s+sh:class schema:Organization\n/,
  );
  const elsewhere = await accession(['schema', 'generate', 'form', LABORATORY, '--references']);
  assert.deepEqual([elsewhere.status, /an option of shacl/.test(elsewhere.stderr)], [1, true]);
});
