import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSchemaText } from '../../../core/schema/schema.ts';
import { Labels } from './labels.ts';

const SCHEMA = `
id: https://example.org/labels
name: labels
prefixes: { ex: https://example.org/, linkml: https://w3id.org/linkml/ }
default_prefix: ex
types: { string: { uri: xsd:string, base: str } }
default_range: string
classes:
  Project:
    attributes:
      pid: { identifier: true }
      called: { slot_uri: https://schema.org/name }
`;

test('a record is found by every property that is its title elsewhere', async () => {
  const labels = new Labels(await openSchemaText(SCHEMA, 'schema.yaml'));
  labels.add('Project', { pid: 'ex:a', called: 'Tidal maps' });
  assert.deepEqual(labels.find(' tidal Maps', 'Project'), ['ex:a']);
});
