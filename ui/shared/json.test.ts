import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyValueFrom, type JsonObject, parseJson, withValue } from './json.ts';

test('numbers in a field for any value keep their spelling', () => {
  for (const text of ['1.50', '9007199254740993', '{"a":[1e3,-0.0,7]}'])
    assert.equal(JSON.stringify(anyValueFrom(text)), text);
});

test('what is not JSON is a string, and an empty field has no value', () => {
  assert.equal(anyValueFrom('{no'), '{no');
  assert.equal(anyValueFrom(' '), undefined);
});

test('a value is set under any key, also one that objects inherit', () => {
  const texts = (object: JsonObject, ...steps: (readonly (string | number)[])[]) =>
    JSON.stringify(steps.reduce((value, path) => withValue(value, path, 'x') as JsonObject, object));
  assert.equal(
    texts({}, ['__proto__', 'a'], ['__proto__', 'b'], ['constructor']),
    '{"__proto__":{"a":"x","b":"x"},"constructor":"x"}',
  );
  const stored = parseJson('{"__proto__":{"a":1},"b":2}') as JsonObject;
  assert.equal(texts(stored, ['toString', 0]), '{"__proto__":{"a":1},"b":2,"toString":["x"]}');
  assert.equal(JSON.stringify(withValue(stored, ['__proto__', 'a'], undefined)), '{"__proto__":{},"b":2}');
  assert.equal(JSON.stringify(withValue(stored, ['__proto__'], undefined)), '{"b":2}');
  assert.equal(JSON.stringify(stored), '{"__proto__":{"a":1},"b":2}');
});
