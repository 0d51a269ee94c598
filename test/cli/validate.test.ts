/** `accession validate`: the verdicts of the service, with locations. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { judgeText } from '../../src/cli/offline/judge.ts';
import { FORMATS } from '../../src/core/formats/formats.ts';
import { openSchema } from '../../src/core/schema/schema.ts';
import { testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { accession, LABORATORY, scratch } from './accession.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Writes files below a folder. */
function files(folder: string, texts: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const GOOD = 'pid: labid:a\nname: A\nfamily_name: A\n';

test('each problem of a folder has its file, line and column', async (t) => {
  const folder = scratch(t);
  files(folder, {
    'Person/a.yaml': GOOD,
    'Person/b.yaml': 'pid: labid:b\nname: B\nemail: nowhere\nfamily_name: B\n',
    'Person/c.yaml': 'pid: labid:c\nname: [\n',
    'Organization/d.json': '{\n  "pid": "labid:d",\n  "name": "D",\n  "founded": "long ago"\n}',
    'more.ndjson': `{"pid": "labid:e", "name": "E", "family_name": "E", "schema_type": "schema:Person"}\n{"pid": "nix:f", "name": "F", "family_name": "F", "schema_type": "schema:Person"}\n{"pid": "labid:g"}\n`,
    'Person/h.ttl': '@prefix schema: <http://schema.org/> .\nthis is not Turtle\n',
    '.hidden/Person/x.yaml': 'nothing',
    'description.json': '{}',
  });
  const { status, stdout, stderr } = await accession(['validate', '--schema', LABORATORY, '.'], {
    cwd: folder,
  });
  assert.equal(status, 2);
  const lines = stdout.trimEnd().split('\n').sort();
  const expected = [
    /^Organization\/d\.json:4:14: founded: /,
    /^Person\/b\.yaml:3:8: email: /,
    /^Person\/c\.yaml:\d+:\d+: Not valid YAML/,
    /^Person\/h\.ttl:2:\d+: /,
    /^more\.ndjson:2:9: .*prefix 'nix'/,
    /^more\.ndjson:3:1: The class of the record is unknown/,
  ];
  assert.equal(lines.length, expected.length, stdout);
  for (const [index, pattern] of expected.entries()) assert.match(lines[index] as string, pattern);
  assert.equal(stderr, '8 records checked, 6 problems\n');
});

test('Turtle, JSON-LD and N-Quads have a record each, and other files of a release are left out', async (t) => {
  const folder = scratch(t);
  const schema = await openSchema(LABORATORY);
  for (const format of ['ttl', 'jsonld', 'nq'] as const) {
    const written = (json: object) => FORMATS[format].serialize(JSON.stringify(json), 'Person', schema);
    files(folder, {
      [`Person/good.${format}`]: written(person('a')),
      [`Person/wrong.${format}`]: written({ ...person('a'), email: 'nowhere' }),
      [`Person/broken.${format}`]: '{"@id":',
    });
  }
  files(folder, { 'context.jsonld': '{"@context": {}}' });
  const { status, stdout, stderr } = await accession(['validate', '--schema', LABORATORY, '.'], {
    cwd: folder,
  });
  assert.equal(status, 2);
  const lines = stdout.trimEnd().split('\n').sort();
  assert.deepEqual(
    lines.map((line) => /^Person\/(\w+\.\w+):\d+:\d+: (email: )?/.exec(line)?.slice(1)),
    ['jsonld', 'nq', 'ttl']
      .map((format) => [`broken.${format}`, undefined])
      .concat(['jsonld', 'nq', 'ttl'].map((format) => [`wrong.${format}`, 'email: '])),
  );
  assert.equal(stderr, '9 records checked, 6 problems\n');
  const input = readFileSync(join(folder, 'Person/good.jsonld'), 'utf8');
  const options = ['--schema', LABORATORY, '--class', 'Person', '--input', 'jsonld'];
  const piped = await accession(['validate', '-', ...options], { input });
  assert.equal(piped.status, 0, piped.stderr);
});

test('a folder names its schema, standard input needs one', async (t) => {
  const folder = scratch(t);
  files(folder, {
    '.dumpthings.yaml': `type: records\nversion: 1\nschema: ${LABORATORY}\n`,
    'Person/a.yaml': GOOD,
  });
  assert.deepEqual(await accession(['validate', folder]), {
    status: 0,
    stdout: '',
    stderr: '1 record checked, 0 problems\n',
  });
  const one = await accession(['validate', join(folder, 'Person/a.yaml')]);
  assert.equal(one.status, 0, one.stderr);
  const piped = await accession(
    ['validate', '-', '--schema', LABORATORY, '--class', 'Person', '--input', 'yaml'],
    { input: GOOD },
  );
  assert.equal(piped.status, 0, piped.stderr);
  const without = await accession(['validate', '-'], { input: GOOD });
  assert.deepEqual([without.status, /Standard input needs --schema/.test(without.stderr)], [1, true]);
});

test('a file with an unknown suffix is an error, because nothing of it would be checked', async (t) => {
  const folder = scratch(t);
  files(folder, { 'Person/a.yaml': GOOD, 'Person/x.doc': 'PK', 'rec.txt': GOOD, README: '' });
  for (const file of ['Person/x.doc', 'rec.txt', 'README']) {
    const checked = ['validate', '--schema', LABORATORY, 'Person/a.yaml', file];
    const { status, stderr } = await accession(checked, { cwd: folder });
    assert.equal(status, 1, file);
    assert.ok(stderr.includes(`${file}: expected a file with one of the suffixes .yaml, .yml, `), stderr);
  }
  const whole = await accession(['validate', '--schema', LABORATORY, '.'], { cwd: folder });
  assert.deepEqual([whole.status, whole.stderr], [0, '1 record checked, 0 problems\n']);
});

test('the formats for programs: JSON, annotations of GitHub', async (t) => {
  const folder = scratch(t);
  files(folder, { 'Person/b.yaml': 'pid: labid:b\nname: B\nemail: "100% no"\nfamily_name: B\n' });
  const run = async (format: string) =>
    (await accession(['validate', '--schema', LABORATORY, '-f', format, 'Person'], { cwd: folder })).stdout;
  const { message: _, ...rest } = JSON.parse(await run('json'));
  assert.deepEqual(rest, {
    file: 'Person/b.yaml',
    line: 3,
    column: 8,
    pid: 'labid:b',
    path: '/email',
    type: 'pattern',
  });
  assert.match(
    await run('github'),
    /^::error file=Person\/b\.yaml,line=3,col=8,title=\w+::email: .*100%25 no/,
  );
});

test('files get the verdict that the service gives to submissions', async (t) => {
  const service = await testApp(t, {
    collections: { lab: {} },
    tokens: { ann: { lab: 'WRITE_COLLECTION' } },
  });
  const schema = await openSchema(LABORATORY);
  const cases: [className: string, record: object][] = [
    ['Person', person('a')],
    ['Person', { ...person('b'), email: 'nowhere' }],
    ['Person', { ...person('c'), pid: 'nix:c' }],
    ['Person', { ...person('d'), colour: 'red' }],
    ['Person', {}],
    ['Thing', { pid: 'labid:e', relations: { 'labid:f': { ...person('f'), schema_type: 'schema:Person' } } }],
    ['Thing', { pid: 'labid:e', relations: { 'labid:f': { pid: 'labid:f', schema_type: 'schema:Person' } } }],
    ['Organization', { pid: 'labid:g', name: 'G', organization_kind: 'club' }],
    ['Organization', { pid: 'labid:g', name: 'G', organization_kind: 'agency' }],
  ];
  for (const [className, record] of cases) {
    const answer = await service.request('POST', `/lab/validate/record/${className}`, {
      token: 'ann',
      json: record,
    });
    const { findings } = await judgeText('x.json', 'json', JSON.stringify(record), { schema, className });
    assert.equal(findings.length === 0, answer.status === 200, `${JSON.stringify(record)}: ${answer.text}`);
    if (answer.status === 200) continue;
    const { detail } = answer.json<{ detail: string | { msg: string }[] }>();
    const told = typeof detail === 'string' ? [detail] : detail.map(({ msg }) => msg);
    assert.deepEqual(
      findings.map(({ message }) => message),
      told,
    );
  }
});

test('a store is validated area by area', async (t) => {
  const service = await testApp(t, {
    collections: { c: {}, rows: { backend: { type: 'sqlite' } } },
    tokens: { ann: { c: 'CURATOR', rows: 'CURATOR' } },
  });
  for (const collection of ['c', 'rows']) {
    const path = `/${collection}/record/Person`;
    const stored = await service.request('POST', path, { token: 'ann', json: person('a') });
    assert.equal(stored.status, 200);
  }
  const { status, stderr } = await accession(['validate', service.store]);
  assert.deepEqual([status, stderr], [0, '2 records checked, 0 problems\n']);
});

/** The code blocks of a page by the line `# name`, which is the first but for `#!`. */
function blocks(page: string): Map<string, string> {
  const all = readFileSync(join(ROOT, page), 'utf8').matchAll(
    /^```\w+\n((?:#!.*\n)?# (.*)\n[\s\S]*?)^```$/gm,
  );
  return new Map([...all].map(([, text = '', name = '']) => [name, text]));
}

test('the pre-commit hook of the documentation refuses a commit with a broken record', async (t) => {
  const folder = scratch(t);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
    });
  git('init', '-q');
  files(folder, {
    'bin/accession': `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'bin/accession.js')}" "$@"\n`,
    '.git/hooks/pre-commit': blocks('docs/command-line.md').get('.git/hooks/pre-commit') as string,
    'schema.yaml': readFileSync(LABORATORY, 'utf8'),
    '.github/workflows/records.yaml': blocks('docs/command-line.md').get(
      '.github/workflows/records.yaml',
    ) as string,
    'records/.dumpthings.yaml': 'type: records\nversion: 1\nschema: ../schema.yaml\n',
    'records/Person/a.yaml': GOOD,
  });
  chmodSync(join(folder, 'bin/accession'), 0o755);
  chmodSync(join(folder, '.git/hooks/pre-commit'), 0o755);
  git('add', '.');
  git('commit', '-qm', 'one');
  files(folder, { 'records/Person/b.yaml': 'pid: labid:b\nname: B\n' });
  git('add', 'records');
  assert.throws(
    () => git('commit', '-qm', 'two'),
    (error: { stdout: string; stderr: string }) =>
      /Person\/b\.yaml:1:1: family_name/.test(error.stdout + error.stderr),
  );
});

test('the CI example of the documentation annotates a broken record', async (t) => {
  const folder = scratch(t);
  const workflow = parse(blocks('docs/command-line.md').get('.github/workflows/records.yaml') as string);
  const step = workflow.jobs.records.steps.at(-1).run as string;
  files(folder, {
    'bin/accession': `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'bin/accession.js')}" "$@"\n`,
    'schema.yaml': readFileSync(LABORATORY, 'utf8'),
    'records/Person/b.yaml': 'pid: labid:b\nname: B\n',
  });
  chmodSync(join(folder, 'bin/accession'), 0o755);
  assert.throws(
    () =>
      execFileSync('sh', ['-ec', step], {
        cwd: folder,
        stdio: 'pipe',
        encoding: 'utf8',
        env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
      }),
    (error: { status: number; stdout: string }) =>
      error.status === 2 && /^::error file=records\/Person\/b\.yaml,line=1/.test(error.stdout),
  );
});
