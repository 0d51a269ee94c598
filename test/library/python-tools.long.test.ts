/** The library beside LinkML's own Python tools: the metamodel that they ship, and the verdicts of their validators. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { JsonObject } from '#linkml/json.ts';
import { readYaml } from '#linkml/yaml/read.ts';
import { openSchema, parseSchemaMap } from '../../src/core/schema/schema.ts';
import { findPeer } from '../parity/peer.ts';
import { LABORATORY } from '../support/app.ts';

const run = promisify(execFile);
const found = await findPeer();
const skip = 'missing' in found ? `LinkML's Python tools are not installed: ${found.missing}` : false;
const python = 'peer' in found ? found.peer.python : '';

const SCHEMA = join(import.meta.dirname, 'validators/schema.yaml');
const CASES = join(import.meta.dirname, 'validators/cases.yaml');
type Case = { name: string; class: string; object: JsonObject; accepted: boolean[] };
const cases = readYaml(readFileSync(CASES, 'utf8')) as unknown as Case[];

test('the metamodel opens, and checks schemas as data', { skip }, async () => {
  const { stdout } = await run(python, [
    '-c',
    'import linkml_runtime.linkml_model as m; print(m.__path__[0])',
  ]);
  const folder = join(stdout.trim(), 'model/schema');
  const map = parseSchemaMap([`https://w3id.org/linkml/=${folder}`]);
  const metamodel = await openSchema('https://w3id.org/linkml/meta.yaml', { map });
  const problems = (text: string) => {
    const checked = metamodel.check('SchemaDefinition', readYaml(text), { identifiers: 'any' });
    return checked.valid ? [] : checked.problems.map(({ loc }) => loc.join('.'));
  };
  for (const file of [join(folder, 'meta.yaml'), LABORATORY, SCHEMA])
    assert.deepEqual(problems(readFileSync(file, 'utf8')), [], file);
  const broken = readFileSync(SCHEMA, 'utf8').replace('tree_root: true', 'tree_root: [perhaps]');
  assert.deepEqual(problems(broken), ['classes.C.tree_root']);
  assert.deepEqual(problems('id: https://example.org/x\nname: x\ncolour: red'), ['colour']);
});

test('the verdicts of Python’s validators are those of the comparison', { skip }, async () => {
  const schema = await openSchema(SCHEMA);
  const own = cases.map((one) => schema.check(one.class, one.object).valid);
  const { stdout } = await run(python, [join(dirname(SCHEMA), 'verdicts.py'), SCHEMA, CASES]);
  const theirs = JSON.parse(stdout) as boolean[][];
  for (const [index, { name, accepted }] of cases.entries())
    assert.deepEqual([own[index], ...(theirs[index] ?? [])], accepted, name);
});
