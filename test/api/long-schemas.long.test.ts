/** Schemas that requests bring are read in a thread, and in slices where they are put in force: others go on meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ADMIN, testApp } from '../support/app.ts';

const HEAD = `id: https://example.org/long
name: long
prefixes:
  long: https://example.org/long/
  linkml: https://w3id.org/linkml/
imports:
  - linkml:types
default_prefix: long
default_range: string
classes:
  Thing:
    attributes:
      pid:
        identifier: true
`;
/** A third of what a request may send. */
const LENGTH = 300_000;

/** A long schema. */
function filled(line: (n: number) => string): string {
  let text = HEAD;
  for (let n = 0; text.length < LENGTH; n++) text += line(n);
  return text;
}

const patterns = () => filled((n) => `      a${n}:\n        pattern: "^(a|b${n})*[a-z]{1,50}$"\n`);
const classes = () => filled((n) => `  C${n}:\n    is_a: Thing\n`);
/** Each class inherits from all before it. */
const deep = () =>
  HEAD + Array.from({ length: 1000 }, (_, n) => `  C${n}: {is_a: ${n ? `C${n - 1}` : 'Thing'}}\n`).join('');

const CONFIGURATION = {
  collections: { c: { backend: { type: 'sqlite+stl' } } },
  tokens: { cleo: { c: 'CURATOR' } },
};

for (const [name, make, status, turns] of [
  ['many patterns', patterns, 200, 50],
  ['many classes', classes, 200, 20],
  ['classes that inherit from too many others', deep, 422, 1],
] as const)
  test(`others have their turn while a schema with ${name} is tried and kept`, async (t) => {
    const { app, request } = await testApp(t, CONFIGURATION);
    const schema = make();
    for (const [url, token] of [
      ['/-/c/rehearse', 'cleo'],
      ['/-/schemas', ADMIN],
    ] as const) {
      const { started } = app.pool;
      let ended = false;
      const answer = request('POST', url, { token, json: { schema } }).finally(() => {
        ended = true;
      });
      let most = 0;
      let count = 0;
      for (let last = process.threadCpuUsage(); !ended; count++) {
        await turn();
        const { user, system } = process.threadCpuUsage(last);
        most = Math.max(most, user + system);
        last = process.threadCpuUsage();
      }
      const { status: found, text } = await answer;
      t.diagnostic(`${url}: ${count} turns, the longest ${Math.round(most / 1000)} ms of the processor`);
      assert.equal(found, status, text.slice(0, 300));
      assert.ok(app.pool.started > started);
      assert.ok(count >= turns, `${count} turns`);
    }
  });
