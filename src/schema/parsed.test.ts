/** Parsed schemas that are kept for the next start are used only if they are whole and of this text and release. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { keepingParser } from './load/parsed.ts';
import { parseYaml } from './load/yaml.ts';

const folder = mkdtempSync(join(tmpdir(), 'accession-parsed-'));
after(() => rmSync(folder, { recursive: true }));

const padding = `# ${'a comment '.repeat(300)}\n`;
const text = `${padding}id: https://example.org/s\nclasses:\n  constructor: {description: "no", flag: no, n: 12}\n`;
const parse = keepingParser(folder, '1');

/** Has every copy claim something that the text does not say, with or without a checksum that fits. */
function alter(change: (content: string) => string, where = folder): void {
  for (const name of readdirSync(where)) {
    const path = join(where, name);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  }
}

test('a kept schema is the same as a parsed one', async () => {
  const first = await parse(text, 'here');
  assert.equal(readdirSync(folder).length, 1);
  const second = await parse(text, 'elsewhere');
  assert.deepEqual(second, parseYaml(text, 'here'));
  assert.deepEqual(second, first);
  assert.equal(Object.getPrototypeOf(second), null);
});

test('the copy is used for its text and its release alone', async () => {
  const json = '{"id":"from the copy"}';
  const sum = createHash('sha256').update(json).digest('hex');
  alter(() => `${sum}\n${json}`);
  assert.deepEqual({ ...((await parse(text, 'here')) as object) }, { id: 'from the copy' });
  assert.deepEqual(await parse(`${text}\n`, 'here'), parseYaml(text, 'here'));
  assert.deepEqual(await keepingParser(folder, '2')(text, 'here'), parseYaml(text, 'here'));
});

for (const [name, change] of [
  ['cut off', (content: string) => content.slice(0, -10)],
  ['empty', () => ''],
  ['changed in a byte', (content: string) => content.replace('12', '13').replace('copy', 'Copy')],
  ['without a checksum', (content: string) => content.slice(content.indexOf('\n') + 1)],
] as const) {
  test(`a copy that is ${name} is not used, and replaced`, async () => {
    const own = mkdtempSync(join(folder, 'case-'));
    const parseHere = keepingParser(own, '1');
    await parseHere(text, 'here');
    alter(change, own);
    assert.deepEqual(await parseHere(text, 'here'), parseYaml(text, 'here'));
    alter((content) => {
      const [sum, json = ''] = content.split('\n');
      assert.equal(sum, createHash('sha256').update(json).digest('hex'));
      return content;
    }, own);
    rmSync(own, { recursive: true });
  });
}

test('copies of long ago are removed when another one is written', async () => {
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), 0, 0);
  await parse(`${text}name: s\n`, 'here');
  assert.equal(readdirSync(folder).length, 1);
});

test('a folder that cannot be written keeps nothing and fails nothing', async () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  assert.deepEqual(await keepingParser(file, '1')(text, 'here'), parseYaml(text, 'here'));
});

test('a document that is not YAML is reported with its place', async () => {
  await assert.rejects(parse(`${padding}a: [`, 'the file'), /the file: .*not valid YAML/);
});
