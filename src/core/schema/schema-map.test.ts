import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openSchema, openSchemaText, parseSchemaMap } from './schema.ts';

const folder = mkdtempSync(join(tmpdir(), 'accession-map-'));
after(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'deep'));
const CORE =
  'id: https://schemas.invalid/s/core\nname: core\nclasses: {Base: {attributes: {pid: {identifier: true}}}}';
const MAIN =
  'id: https://schemas.invalid/s/main\nname: main\nimports: [linkml:types, ./deep/core]\nclasses: {Thing: {is_a: Base}}';
writeFileSync(join(folder, 'main.yaml'), MAIN);
writeFileSync(join(folder, 'deep/core.yaml'), CORE);

test('schemas below a mapped URL are read from the folder, imports too', async () => {
  for (const target of [folder, pathToFileURL(folder).href]) {
    const map = parseSchemaMap([`https://schemas.invalid/s/=${target}`]);
    const schema = await openSchema('https://schemas.invalid/s/main.yaml', { map });
    assert.deepEqual([...schema.classes.keys()], ['Base', 'Thing']);
  }
  const files = parseSchemaMap([`file:///nowhere/s=${folder}`]);
  assert.deepEqual((await openSchema('file:///nowhere/s/main.yaml', { map: files })).recordClasses, [
    'Thing',
  ]);
});

test('a mapped URL does not lead out of its folder', async () => {
  const map = parseSchemaMap([`https://schemas.invalid/s/=${join(folder, 'deep')}`]);
  await assert.rejects(
    openSchema('https://schemas.invalid/s/%2e%2e/main.yaml', { map, timeout: 2000 }),
    /cannot be read|no schema/,
  );
});

test('a schema map that cannot be used is refused', () => {
  for (const [entry, message] of [
    ['nonsense', /expected <URL prefix>=<folder>/],
    ['ftp://x/=.', /expected a URL/],
    [`https://x/=${join(folder, 'missing')}`, /is not a directory/],
  ] as const)
    assert.throws(() => parseSchemaMap([entry]), { code: 'config_invalid', message });
});

test('the error of a schema that cannot be reached says how to read it from a folder', async () => {
  await assert.rejects(
    openSchema('https://schemas.invalid/s/main.yaml', { timeout: 2000, cacheDir: folder }),
    {
      code: 'schema_invalid',
      message: /--schema-map https:\/\/schemas\.invalid\/s\/=<folder>/,
    },
  );
});

test('a schema opens from text as if it were at an address, and can be merged into one', async () => {
  const changed = MAIN.replace('is_a: Base', 'is_a: Base, description: changed');
  const address = join(folder, 'main.yaml');
  const schema = await openSchemaText(changed, address);
  assert.equal(schema.classes.get('Thing')?.description, 'changed');
  assert.equal(schema.text, changed);
  assert.notEqual(schema.digest, (await openSchema(address)).digest);
  const merged = await openSchemaText(JSON.stringify(schema.merged()), address);
  assert.deepEqual([...merged.classes.keys()], ['Base', 'Thing']);
  assert.equal(schema.merged().imports, undefined);
});

test('a merged schema keeps the IRIs of what it imports', async () => {
  writeFileSync(
    join(folder, 'deep/part.yaml'),
    'id: https://part.invalid/s\nname: part\nprefixes: {part: "https://part.invalid/"}\ndefault_prefix: part\nclasses: {Piece: {attributes: {pid: {identifier: true}}}}',
  );
  const whole =
    'id: https://whole.invalid/s\nname: whole\nprefixes: {whole: "https://whole.invalid/"}\ndefault_prefix: whole\nimports: [linkml:types, ./deep/part]\nclasses: {Thing: {is_a: Piece}}';
  const schema = await openSchemaText(whole, join(folder, 'whole.yaml'));
  const merged = await openSchemaText(JSON.stringify(schema.merged()), join(folder, 'whole.yaml'));
  for (const name of ['Piece', 'Thing'])
    assert.equal(merged.classes.get(name)?.uri, schema.classes.get(name)?.uri);
  assert.equal(merged.classes.get('Piece')?.uri, 'https://part.invalid/Piece');
});
