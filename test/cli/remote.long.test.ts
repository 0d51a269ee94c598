/** Commands over HTTP: login, records, imports and exports. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { curated } from '../../examples/laboratory/records.ts';
import { accession, LABORATORY, type RunOptions, scratch } from './accession.ts';
import { type Listening, listening } from './service.ts';

/** Runs a command as the curator, or as another token. */
function as(service: Listening, token = 'cur') {
  return (args: readonly string[], options: RunOptions = {}) =>
    accession(args, {
      ...options,
      env: { ACCESSION_URL: service.url, ACCESSION_TOKEN: token, ...options.env },
    });
}

/** Stores the records of the example. */
async function fill(service: Listening, collection = 'lab'): Promise<void> {
  for (const { className, record } of curated) {
    const stored = await service.request('POST', `/${collection}/curated/record/${className}`, {
      token: 'cur',
      json: record,
    });
    assert.equal(stored.status, 200, stored.text);
  }
}

test('a login is saved for its owner only, and used by the commands that follow', async (t) => {
  const service = await listening(t);
  const config = scratch(t);
  const env = { XDG_CONFIG_HOME: config };
  const refused = await accession(['login', service.url], { input: 'nobody\n', env });
  assert.equal(refused.status, 1, refused.stderr);
  const { status, stderr } = await accession(['login', `${service.url}/-/desk/#/c`], { input: 'cur\n', env });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /cur@example\.org/);
  assert.doesNotMatch(stderr, /"cur"/);
  const file = join(config, 'accession/logins.json');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal((await accession(['list', 'lab', '--curated', '--stats'], { env })).stdout, '0 records\n');
  assert.equal((await accession(['logout'], { env })).status, 0);
  assert.match((await accession(['list', 'lab'], { env })).stderr, /No service is known/);
});

test('records are stored, read, listed and deleted', async (t) => {
  const run = as(await listening(t));
  const ada = '{"pid":"labid:ada","name":"Ada","family_name":"Byron"}';
  const bad = '{"pid":"labid:bad","name":"Bad"}';
  const stored = await run(['put', 'lab', 'Person', '-c'], { input: `${ada}\n${bad}\n` });
  assert.deepEqual([stored.status, stored.stdout], [2, '']);
  assert.match(stored.stderr, /^labid:bad: family_name: found nothing, .*\n1 record stored, 1 refused\n$/);
  const dash = await run(['put', 'lab', 'Person', '-', '-c'], { input: ada });
  assert.equal(dash.stderr, '1 record stored, 0 refused\n');
  const yaml = await run(['get', 'lab', 'labid:ada', '-c', '-f', 'yaml']);
  assert.equal(yaml.stdout, 'family_name: Byron\nname: Ada\npid: labid:ada\n');
  assert.match((await run(['get', 'lab', 'labid:ada', '-f', 'ttl'])).stdout, /a schema:Person/);
  const missing = await run(['get', 'lab', 'labid:ada', 'labid:none']);
  assert.deepEqual(
    [missing.status, /The record 'labid:none' does not exist/.test(missing.stderr)],
    [1, true],
  );
  assert.equal(
    (await run(['list', 'lab'])).stdout,
    'pid        class          title\nlabid:ada  schema:Person  Ada\n',
  );
  const deleted = await run(['delete', 'lab', '-c'], { input: 'labid:ada\nlabid:none\n' });
  assert.deepEqual([deleted.status, /1 record deleted, 1 not/.test(deleted.stderr)], [2, true]);
});

test('zones are listed, and the maintenance mode is switched, by curators', async (t) => {
  const service = await listening(t);
  const [cur, ann] = [as(service), as(service, 'ann')];
  assert.equal((await cur(['list', 'lab', '-i', '-'])).stdout, 'ann\ncur\n');
  assert.equal((await cur(['maintenance', 'lab', 'on'])).status, 0);
  const closed = await ann(['list', 'lab']);
  assert.deepEqual([closed.status, /maintenance/.test(closed.stderr)], [1, true], closed.stderr);
  assert.equal((await cur(['maintenance', 'lab', 'off'])).status, 0);
  assert.equal((await ann(['list', 'lab'])).status, 0);
  assert.match((await cur(['maintenance', 'lab', 'perhaps'])).stderr, /Allowed choices are on, off/);
});

test('an error of the service and a service that is not there are one line', async (t) => {
  const service = await listening(t);
  const unknown = await as(service)(['list', 'nolab']);
  assert.deepEqual([unknown.status, unknown.stdout], [1, '']);
  assert.match(unknown.stderr, /^accession: .*'nolab'.*\n$/);
  const gone = await accession(['list', 'http://127.0.0.1:9', 'lab']);
  assert.equal(gone.status, 1);
  assert.match(gone.stderr, /^accession: The service at http:\/\/127\.0\.0\.1:9 cannot be reached: .*\n$/);
});

for (const format of ['ndjson', 'json', 'xlsx', 'ttl', 'nq', 'folder']) {
  test(`an export as ${format} and its import into another collection give the same records`, async (t) => {
    const service = await listening(t);
    const run = as(service);
    await fill(service);
    const folder = scratch(t);
    const path = join(folder, format === 'folder' ? 'records' : `records.${format}`);
    const exported = await run(['export', 'lab', path, '--curated']);
    assert.deepEqual([exported.status, exported.stderr], [0, '200 records exported from lab/curated\n']);
    const imported = await run(['import', 'copy', path, '--curated']);
    assert.deepEqual(
      [
        imported.status,
        /^(200 new, 0 changed, 0 unchanged\n)?200 \w+ stored, 0 refused\n$/.test(imported.stderr),
      ],
      [0, true],
      imported.stderr,
    );
    const all = async (collection: string) =>
      (await service.request('GET', `/-/${collection}/curated/export`, { token: 'cur' })).text;
    // Turtle writes decimals by their value.
    const digits = (text: string) =>
      /ttl|nq/.test(format) ? text.replaceAll(/("\d+\.\d*[1-9])0+"/g, '$1"') : text;
    assert.equal(digits(await all('copy')), digits(await all('lab')));
    assert.ok(!existsSync(`${path}.import-progress`));
    if (format === 'folder') {
      assert.equal((await accession(['validate', path])).status, 0);
    }
  });
}

test('an import that was interrupted continues after what is stored', async (t) => {
  const service = await listening(t);
  const folder = scratch(t);
  const source = join(folder, 'many.ndjson');
  const texts = Array.from({ length: 1200 }, (_, i) => `{"pid":"labid:p${i}","name":"P","family_name":"P"}`);
  writeFileSync(source, `${texts.join('\n')}\n`);
  let batches = 0;
  let broken = true;
  service.app.server.server.prependListener('request', (request) => {
    if (!request.url?.includes('/records/Person')) return;
    batches += 1;
    if (broken && batches > 1) request.socket.destroy();
  });
  const args = ['import', 'lab', source, '--class', 'Person', '--curated'];
  const run = as(service);
  const first = await run(args);
  assert.deepEqual([first.status, /cannot be reached/.test(first.stderr)], [1, true], first.stderr);
  assert.match(readFileSync(`${source}.import-progress`, 'utf8'), /"done":500/);
  broken = false;
  const second = await run(args);
  assert.equal(second.stderr, 'continuing after 500 records\n700 records stored, 0 refused\n');
  assert.equal((await run(['list', 'lab', '-c', '--stats'])).stdout, '1,200 records\n');
});

test('an import that is stopped by Ctrl-C says that what was sent is stored, and continues', async (t) => {
  const service = await listening(t);
  const source = join(scratch(t), 'many.ndjson');
  const texts = Array.from(
    { length: 10_000 },
    (_, i) => `{"pid":"labid:p${i}","name":"P","family_name":"P"}`,
  );
  writeFileSync(source, `${texts.join('\n')}\n`);
  const args = ['import', 'lab', source, '--class', 'Person', '--curated'];
  const env = { ...process.env, ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' };
  const command = resolve(import.meta.dirname, '../../bin/accession.js');
  const child = spawn(process.execPath, [command, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  let batches = 0;
  service.app.server.server.prependListener('request', (request) => {
    if (!request.url?.includes('/records/Person')) return;
    batches += 1;
    if (batches === 2) child.kill('SIGINT');
  });
  assert.deepEqual(await once(child, 'close'), [null, 'SIGINT']);
  assert.equal(said, '\nInterrupted: what was sent is stored. Run the same command again to continue.\n');
  const { stderr } = await as(service)(args);
  assert.match(stderr, /^continuing after \d+ records\n[\d,]+ records stored, 0 refused\n$/);
  assert.equal((await as(service)(['list', 'lab', '-c', '--stats'])).stdout, '10,000 records\n');
});

test('refused records of an import are reported, and written to be mended', async (t) => {
  const run = as(await listening(t));
  const source = join(scratch(t), 'some.ndjson');
  writeFileSync(source, '{"pid":"labid:a","name":"A","family_name":"A"}\n{"pid":"labid:b"}\nnot JSON\n');
  const { status, stderr } = await run(['import', 'lab', source, '-C', 'Person', '-c']);
  assert.equal(status, 2, stderr);
  assert.match(
    stderr,
    /^line 2 \(labid:b\): .*name.*\nline 3: .*JSON.*\n1 record stored, 2 refused, in .*rejected\.ndjson\n$/,
  );
  assert.equal(readFileSync(`${source}.rejected.ndjson`, 'utf8'), '{"pid":"labid:b"}\nnot JSON\n');
});

test('an interrupted export leaves nothing, and is whole when it is run again', async (t) => {
  const service = await listening(t);
  await fill(service);
  const proxy = await cuttingProxy(t, service.url);
  const folder = scratch(t);
  const whole = join(folder, 'whole');
  mkdirSync(whole);
  const run = as(service);
  const cut = { env: { ACCESSION_URL: proxy } };
  const asked = await run(['api', 'GET', '/-/lab/curated/export'], cut);
  assert.equal(asked.status, 1);
  assert.match(asked.stderr, /cannot be reached: the connection was closed\.$/m);
  assert.equal((await run(['api', 'GET', '/-/lab/curated/export'], cut)).status, 0);
  // NDJSON is like JSON, Turtle like N-Quads.
  for (const format of ['json', 'csv', 'nq', 'folder', 'xlsx']) {
    const name = format === 'folder' ? 'records' : `records.${format}`;
    const more = format === 'csv' ? ['--class', 'Person'] : [];
    const to = (path: string) => ['export', 'lab', join(folder, path), '--curated', ...more];
    const first = await run(to(name), cut);
    assert.equal(first.status, 1, `${format}: ${first.stderr}`);
    assert.match(first.stderr, /cannot be reached: the connection was closed\.$/m, format);
    assert.deepEqual(readdirSync(folder), ['whole'], format);
    const second = await run(to(name), cut);
    assert.equal(second.status, 0, `${format}: ${second.stderr}`);
    assert.match(second.stderr, /^[\d,]+ records exported from /, format);
    await run(to(join('whole', name)));
    assert.deepEqual(contentOf(join(folder, name)), contentOf(join(whole, name)), format);
    rmSync(join(folder, name), { recursive: true });
  }
});

/** Forwards to a service, but cuts every other export in the middle. */
async function cuttingProxy(t: TestContext, url: string): Promise<string> {
  let exports = 0;
  const proxy = createServer(async (request, response) => {
    const headers = { 'x-service-token': String(request.headers['x-service-token'] ?? '') };
    const upstream = await fetch(url + request.url, { headers });
    const body = Buffer.from(await upstream.arrayBuffer());
    response.writeHead(upstream.status, { 'content-type': upstream.headers.get('content-type') ?? '' });
    if (!request.url?.includes('/export') || exports++ % 2 === 1) return void response.end(body);
    response.write(body.subarray(0, body.length / 2), () => setTimeout(() => response.destroy(), 100));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

/** A file, or the files of a folder. */
function contentOf(path: string): [string, string][] {
  const files = statSync(path).isDirectory() ? globSync('**/*.yaml', { cwd: path }).sort() : [''];
  return files.map((file) => [file, readFileSync(join(path, file), 'latin1')]);
}

test('a dry run checks everything and stores nothing', async (t) => {
  const run = as(await listening(t));
  const folder = scratch(t);
  mkdirSync(join(folder, 'r/Person'), { recursive: true });
  writeFileSync(join(folder, 'r/Person/a.yaml'), 'pid: labid:a\nname: A\nfamily_name: A\n');
  writeFileSync(join(folder, 'r/Person/b.yaml'), 'pid: labid:b\n');
  const { status, stderr } = await run([
    'import',
    'lab',
    join(folder, 'r'),
    '-c',
    '--dry-run',
    '--schema',
    LABORATORY,
  ]);
  assert.equal(status, 2);
  assert.match(stderr, /1 record valid, 1 refused/);
  assert.equal((await run(['list', 'lab', '-c', '--stats'])).stdout, '0 records\n');
});
