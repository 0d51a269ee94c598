import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleOf } from './pattern-example.ts';

test('simple patterns have an example that they match, others have none', () => {
  const examples = {
    '^10\\.\\d{4,9}/\\S+$': '10.1234/abc',
    '^orcid:\\d{4}-\\d{4}-\\d{4}-\\d{3}[0-9X]$': 'orcid:1234-5678-9012-3455',
    '^[A-Z]{3}$': 'ABC',
    '^\\+?[0-9]+$': '123',
    '^(a|b)$': undefined,
    '^\\p{Lu}$': undefined,
    '^(?=x).*$': undefined,
    '^[^a]+$': undefined,
    '^x*$': undefined,
    '^a{9999}$': undefined,
    '[': undefined,
  };
  for (const [pattern, example] of Object.entries(examples))
    assert.equal(exampleOf(pattern), example, pattern);
});
