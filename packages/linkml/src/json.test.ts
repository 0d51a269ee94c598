import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson, JsonSyntaxError, Numeral, parseJson } from './json.ts';

const TEXT =
  '{"a":[5.0,1e21,-0,12345678901234567890,5,0.1,-1.50E+2],"b":"5.0 \\" 1e21","5.0":{"c":"\\\\"},"d":1.0}';
const CANONICAL =
  '{"5.0":{"c":"\\\\"},"a":[5.0,1e21,-0,12345678901234567890,5,0.1,-1.50E+2],"b":"5.0 \\" 1e21","d":1.0}';

test('numbers keep their digits', () => {
  assert.equal(canonicalJson(parseJson(TEXT)), CANONICAL);
  assert.equal(JSON.stringify(new Numeral('1.50')), '1.50');
});

test('numbers keep their digits where JavaScript does not tell the text of a number', async () => {
  const known = Object.getOwnPropertyDescriptor(JSON, 'rawJSON')!;
  delete (JSON as { rawJSON?: unknown }).rawJSON;
  try {
    const older = (await import(`./json.ts?${'older'}`)) as typeof import('./json.ts');
    const value = older.parseJson(TEXT);
    assert.equal(older.canonicalJson(value), CANONICAL);
    assert.throws(() => older.parseJson('[1.0, x]'), {
      name: 'JsonSyntaxError',
      message: /"\[1.0, x\]" is not valid JSON/,
    });
    assert.equal(JSON.stringify(new older.Numeral('1.50')), '1.5');
  } finally {
    Object.defineProperty(JSON, 'rawJSON', known);
  }
  assert.throws(() => parseJson('[1.0, x]'), JsonSyntaxError);
});
