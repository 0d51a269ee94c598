/** The export of records of every schema of a corpus comes back unchanged. `ACCESSION_CORPUS` is its folder. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { accession, scratch } from '../../../test/cli/accession.ts';
import { testApp } from '../../../test/support/app.ts';

const CORPUS = process.env.ACCESSION_CORPUS;
const skip = CORPUS === undefined && 'ACCESSION_CORPUS names no corpus';

type Case = {
  readonly class: string;
  readonly format: string;
  readonly input: unknown;
  readonly expect: { readonly valid: boolean };
};

/** The valid records of a schema. */
function casesOf(name: string): Case[] {
  const files = globSync(join(CORPUS!, 'cases', name, '*.json'));
  const cases = files.sort().map((file) => JSON.parse(readFileSync(file, 'utf8')) as Case);
  return cases.filter(
    ({ format, expect, input }) => format === 'json' && expect.valid && typeof input === 'object',
  );
}

const names = skip
  ? ['no corpus']
  : readdirSync(join(CORPUS!, 'schemas')).map((file) => basename(file, '.yaml'));

for (const name of names)
  test(`${name}: the rows of a workbook with all records are unchanged when it is imported`, {
    skip,
  }, async (t) => {
    const folder = join(CORPUS!, 'schemas', name);
    const schema = existsSync(folder) ? join(folder, 'schema.yaml') : `${folder}.yaml`;
    const service = await testApp(t, {
      collections: { c: { schema, backend: { type: 'sqlite' } } },
      tokens: { cur: { c: 'CURATOR' } },
    });
    await service.app.server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = service.app.server.server.address() as AddressInfo;
    for (const { class: className, input } of casesOf(name))
      await service.request('POST', `/c/curated/record/${className}`, { token: 'cur', json: input });
    const all = () => service.request('GET', '/-/c/curated/export', { token: 'cur' });
    const before = (await all()).text;
    const records = before.trim().split('\n').length;
    const env = { ACCESSION_URL: `http://127.0.0.1:${port}`, ACCESSION_TOKEN: 'cur' };
    const file = join(scratch(t), 'all.xlsx');
    const exported = await accession(['export', 'c', file, '--curated'], { env });
    assert.equal(exported.status, 0, exported.stderr);
    const imported = await accession(['import', 'c', file, '--curated'], { env });
    assert.equal(imported.status, 0, imported.stderr);
    assert.match(imported.stderr, new RegExp(`^0 new, 0 changed, ${records} unchanged$`, 'm'));
    assert.equal((await all()).text, before);
  });
