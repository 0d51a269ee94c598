/** Clients that others generate from the description of the API: they install, import, and store a record. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { ApiDescription } from '../../src/core/http/openapi.ts';
import { openSchema } from '../../src/core/schema/schema.ts';
import { type Listening, listening } from '../cli/service.ts';
import { LABORATORY } from '../support/app.ts';
import { SCHEMAS } from '../support/configuration-schemas.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { environmentWith } from '../support/python.ts';

const run = promisify(execFile);
const python = await environmentWith('generated-clients', [
  'openapi-python-client==0.29.1',
  'openapi-spec-validator==0.9.0',
]);
const skip = 'missing' in python ? python.missing : false;
const bin = 'venv' in python ? join(python.venv, 'bin') : '';
const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };

const PYTHON = `
import importlib, json, pkgutil, sys
import generated
from generated.api.lab import lab_own_read, lab_own_store_person
from generated.api.review import review_decide
from generated.client import AuthenticatedClient
from generated.models import Person
for module in pkgutil.walk_packages(generated.__path__, 'generated.'):
    importlib.import_module(module.name)
client = AuthenticatedClient(base_url=sys.argv[1], token='ann', prefix='', auth_header_name='X-Service-Token')
body = Person.from_dict({'pid': 'labid:python', 'name': 'Py', 'family_name': 'Thon'})
stored = lab_own_store_person.sync_detailed(client=client, body=body, if_none_match='*')
again = lab_own_store_person.sync_detailed(client=client, body=body, if_none_match='*')
read = lab_own_read.sync(client=client, pid='labid:python')
print(json.dumps([stored.status_code, again.status_code, read.pid]))
`;

const TYPESCRIPT = `
import createClient from 'openapi-fetch';
import type { components, paths } from './types.ts';

const headers = { 'X-Service-Token': 'ann' };
const client = createClient<paths>({ baseUrl: process.argv[2]!, headers });
const body = { pid: 'labid:typed', name: 'Ty', family_name: 'Ped' };
const stored = await client.POST('/lab/record/Person', { body });
// @ts-expect-error the slot is a string
await client.POST('/lab/record/Person', { body: { ...body, family_name: 1 } });
const read = await client.GET('/lab/record', { params: { query: { pid: 'labid:typed' } } });
const { data } = read;
const page = await client.GET('/lab/records/p/{class}', { params: { path: { class: 'Person' } } });
const people = (page.data?.items ?? []) as components['schemas']['laboratory.Person'][];
if (people.find(({ pid }) => pid === body.pid)?.family_name !== 'Ped') throw new Error(JSON.stringify(page));
console.log(JSON.stringify([stored.response.status, typeof data === 'object' && data && 'pid' in data && data.pid]));
`;

describe('the description of the API', () => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-clients-'));
  const file = join(folder, 'openapi.json');
  const ends: (() => unknown)[] = [];
  let service: Listening;

  before(async () => {
    service = await listening({ after: (end) => void ends.push(end as () => unknown) });
    writeFileSync(file, (await service.request('GET', '/openapi.json')).text);
  });
  after(async () => {
    for (const end of ends.toReversed()) await end();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is valid for openapi-spec-validator, for the service and for one collection', { skip }, async () => {
    const { stdout } = await run('openapi-spec-validator', [file, await ofCollection()], { env });
    assert.equal(stdout.match(/: OK/g)?.length, 2, stdout);
  });

  test('for one collection and with templated paths, becomes a Python client of all operations', {
    skip,
  }, async () => {
    const templated = join(folder, 'templated.json');
    const schema = await openSchema(LABORATORY);
    const names = Array.from({ length: 21 }, (_, index) => `c${index}`);
    const collections = new Map(names.map((name) => [name, { name, schema, classes: schema.recordClasses }]));
    const api = new ApiDescription(ENDPOINTS, {
      version: '0.0.0',
      rootPath: '',
      administration: { schemas: SCHEMAS },
    });
    writeFileSync(templated, (await api.document({ collections })).bytes);
    const { stdout } = await run('openapi-spec-validator', [templated], { env });
    assert.match(stdout, /: OK/);
    for (const path of [await ofCollection(), templated]) {
      const output = join(folder, `from-${basename(path, '.json')}`);
      await generate(path, output);
    }
  });

  async function ofCollection(): Promise<string> {
    const path = join(folder, 'lab.json');
    writeFileSync(path, (await service.request('GET', '/-/lab/openapi.json')).text);
    return path;
  }

  async function generate(path: string, output: string): Promise<void> {
    const made = await run(
      'openapi-python-client',
      ['generate', '--path', path, '--output-path', output, '--meta', 'none'],
      { env, maxBuffer: 64 * 1024 * 1024 },
    );
    assert.equal((made.stdout + made.stderr).match(/^.*Endpoint will not be generated.*$/gm), null);
  }

  test('becomes a Python client of all operations, which stores a record', { skip }, async () => {
    const output = join(folder, 'generated');
    await generate(file, output);
    writeFileSync(join(folder, 'use.py'), PYTHON);
    const { stdout } = await run('python', ['use.py', service.url], { cwd: folder, env });
    assert.deepEqual(JSON.parse(stdout), [200, 412, 'labid:python']);
  });

  test('becomes types for a TypeScript client, which stores a record', async () => {
    const own = join(folder, 'typescript');
    mkdirSync(own);
    writeFileSync(join(own, 'package.json'), '{"type": "module"}');
    // openapi-typescript needs a TypeScript older than ours.
    const packages = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5', '@types/node@24'];
    const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    await run('npm', ['install', ...quietly, ...packages], { cwd: own });
    const command = (name: string) => join(own, 'node_modules/.bin', name);
    await run(command('openapi-typescript'), [file, '--output', 'types.ts'], { cwd: own });
    writeFileSync(join(own, 'program.ts'), TYPESCRIPT);
    const strict = ['--strict', '--noEmit', '--allowImportingTsExtensions', '--target', 'es2024'];
    await run(command('tsc'), [...strict, '--module', 'nodenext', '--skipLibCheck', 'program.ts'], {
      cwd: own,
    });
    const { stdout } = await run(process.execPath, ['program.ts', service.url], { cwd: own });
    assert.deepEqual(JSON.parse(stdout), [200, 'labid:typed']);
  });
});
