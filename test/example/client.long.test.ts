/** Every command of the peer's own client on the store that `npm start` makes. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { dtc } from '../parity/client.ts';
import { filesBelow } from '../parity/files.ts';
import { findPeer, type Peer } from '../parity/peer.ts';
import { freePort } from '../support/free-port.ts';
import { type Example, exampleFolder, startExample, stopExample } from './example.ts';

const found = await findPeer();
const skip = 'missing' in found ? found.missing : false;

describe('the client of dump-things-service on the example store', { skip }, () => {
  let folder: string;
  let url: string;
  let example: Example;
  const used = new Set<string>();

  before(async () => {
    folder = exampleFolder();
    const port = await freePort();
    example = await startExample(folder, port);
    url = `http://127.0.0.1:${port}`;
  });
  after(async () => {
    await stopExample(example.process);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a command, which has to succeed without a word on standard error. @returns the lines that it printed */
  async function run(
    token: string,
    args: readonly string[],
    stdin: readonly object[] = [],
  ): Promise<string[]> {
    used.add(args[0] as string);
    const input = stdin.map((record) => `${JSON.stringify(record)}\n`).join('');
    const { status, stdout, stderr } = await dtc((found as { peer: Peer }).peer, args, {
      token: `lab-${token}`,
      stdin: input,
    });
    assert.equal(status, 0, `dtc ${args.join(' ')}\n${stdout}\n${stderr}`);
    assert.doesNotMatch(stderr, /error|traceback/i, `dtc ${args.join(' ')}`);
    return stdout.split('\n').filter((line) => line !== '');
  }
  const records = (lines: readonly string[]) =>
    lines.map((line) => JSON.parse(line) as { pid: string; schema_type: string });
  const curated = async (...options: string[]) =>
    records(await run('curator', ['get-records', '-c', ...options, url, 'laboratory']));
  const zone = async (label: string) =>
    records(await run('curator', ['get-records', '-i', label, url, 'laboratory']));

  test('reads records, pages and zones', async () => {
    assert.match((await run('reader', ['version'])).join(), /0\.3\.0/);
    assert.equal(records(await run('reader', ['get-records', url, 'laboratory'])).length, 200);
    const publications = records(
      await run('reader', ['get-records', '-C', 'Publication', url, 'laboratory']),
    );
    assert.ok(publications.length > 10);
    assert.equal(publications[0]?.schema_type, 'schema:CreativeWork');
    const pages = await run('reader', ['read-pages', '-s', '7', `${url}/laboratory/records/p/Publication`]);
    assert.equal(pages.length, publications.length);
    const turtle = await run('reader', ['get-records', '-f', 'ttl', '-C', 'Publication', url, 'laboratory']);
    assert.equal(turtle.length, publications.length);
    const labels = await run('curator', ['list-incoming', url, 'laboratory']);
    for (const label of ['students', 'submitter']) assert.match(labels.join(), new RegExp(label));
  });

  test('submits publications, whose class has the URI of another name, and curates all of them', async () => {
    const own = [
      { pid: 'labid:work-1', schema_type: 'schema:CreativeWork', title: 'On tides' },
      { pid: 'labid:work-2', schema_type: 'schema:CreativeWork', title: 'On tides, again' },
    ];
    await run('submitter', ['post-records', url, 'laboratory', 'Publication'], own);
    const submitted = (await zone('submitter')).map(({ pid }) => pid);
    assert.ok(submitted.includes('labid:work-2'));
    const list = await run('curator', ['auto-curate', '--list-records', url, 'laboratory', 'submitter']);
    const listed = JSON.parse(list.join('')) as { submitter: unknown[] };
    assert.equal(listed.submitter.length, submitted.length);
    await run('curator', ['auto-curate', '--list-labels', url, 'laboratory']);
    await run('curator', ['auto-curate', '--dry-run', url, 'laboratory', 'submitter']);
    assert.equal((await zone('submitter')).length, submitted.length);
    await run('curator', ['auto-curate', url, 'laboratory', 'submitter']);
    assert.deepEqual(await zone('submitter'), []);
    const now = new Set((await curated()).map(({ pid }) => pid));
    assert.deepEqual(
      submitted.filter((pid) => !now.has(pid)),
      [],
    );
  });

  test('posts to the curated area, deletes, cleans zones, and switches the maintenance mode', async () => {
    const record = { pid: 'labid:work-3', schema_type: 'schema:CreativeWork', title: 'On moons' };
    await run('curator', ['post-records', '--curated', url, 'laboratory', 'Publication'], [record]);
    assert.ok((await curated('-C', 'Publication')).some(({ pid }) => pid === record.pid));
    await run('curator', ['delete-records', '--curated', url, 'laboratory', record.pid, 'labid:work-1']);
    const left = (await curated('-C', 'Publication')).map(({ pid }) => pid);
    assert.ok(!left.includes(record.pid) && left.includes('labid:work-2'));
    assert.ok((await zone('students')).length > 0);
    await run('curator', ['clean-incoming', url, 'laboratory', 'students']);
    assert.deepEqual(await zone('students'), []);
    await run('curator', ['maintenance', url, 'laboratory', 'On']);
    await run('curator', ['maintenance', url, 'laboratory', 'Off']);
    assert.ok((await run('reader', ['get-records', url, 'laboratory'])).length > 200);
  });

  test('exports the collection, and imports it into the service again', async () => {
    const target = join(folder, 'export');
    mkdirSync(target);
    await run('curator', ['export', url, 'laboratory', join(target, 'all')]);
    const files = [...(await filesBelow(target)).keys()].filter((file) => file.endsWith('.json'));
    const before = await curated();
    assert.ok(files.length >= before.length, `${files.length} files`);
    await run('curator', ['import', '-s', url, '-c', 'laboratory', join(target, 'all')]);
    assert.deepEqual(await curated(), before);
  });

  test('has no other commands', async () => {
    const { stdout } = await dtc((found as { peer: Peer }).peer, ['--help']);
    const named = [...stdout.matchAll(/^│ ([a-z]+(?:-[a-z]+)*) {2,}\S/gm)].map(([, name]) => name);
    assert.deepEqual(named.sort(), [...used].sort());
  });
});
