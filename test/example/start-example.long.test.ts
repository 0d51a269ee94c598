/** `npm start`, as a newcomer runs it: the program itself, and the commands that it prints. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.ts';
import { type Example, exampleFolder, ROOT, startExample, stopExample } from './example.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

describe('npm start', () => {
  let folder: string;
  let port: number;
  let example: Example;

  before(async () => {
    folder = exampleFolder();
    port = await freePort();
    example = await startExample(folder, port);
  });
  after(async () => {
    await stopExample(example.process);
    rmSync(folder, { recursive: true, force: true });
  });

  test('prints its address and a token for each kind of user', () => {
    assert.match(example.output, new RegExp(`http://127\\.0\\.0\\.1:${port}`));
    for (const name of ['reader', 'submitter', 'curator', 'admin']) {
      assert.match(example.output, new RegExp(`^ +${name} +lab-${name}$`, 'm'));
    }
  });

  test('serves 200 curated records, and those of two zones to curators', async () => {
    const { total } = (await get(port, 'records/p/', 'lab-reader')) as { total: number };
    assert.equal(total, 200);
    assert.deepEqual(await get(port, 'incoming/', 'lab-curator'), ['curator', 'students', 'submitter']);
    const zone = (await get(port, 'incoming/students/records/', 'lab-curator')) as unknown[];
    assert.equal(zone.length, 4);
  });

  test('shows its curated records to everybody, and nothing else', async () => {
    const statusOf = async (path: string) =>
      (await fetch(`http://127.0.0.1:${port}/laboratory/${path}`)).status;
    assert.equal(await statusOf('record?pid=labid:person-ada-abe'), 200);
    assert.equal(await statusOf('incoming/'), 401);
  });

  test('has submissions of every state in both zones', async () => {
    const url = `http://127.0.0.1:${port}/-/laboratory/review/`;
    const answer = await fetch(url, { headers: { 'x-service-token': 'lab-curator' } });
    const { items } = (await answer.json()) as { items: { label: string; state: string }[] };
    for (const label of ['submitter', 'students']) {
      const states = items.filter((item) => item.label === label).map(({ state }) => state);
      assert.deepEqual([...new Set(states)].sort(), ['changed', 'diverged', 'new', 'same'], label);
    }
  });

  test('prints three curl commands that work', { skip: curl ? false : 'curl is not installed' }, async () => {
    const commands = example.output.split('\n').filter((line) => line.trim().startsWith('curl '));
    assert.equal(commands.length, 3);
    const answers = [];
    for (const command of commands) {
      const { stdout } = await promisify(execFile)('sh', [
        '-c',
        command.replace('curl ', 'curl --fail --silent '),
      ]);
      answers.push(JSON.parse(stdout));
    }
    const [page, stored, zone] = answers;
    assert.equal(page.items.length, 3);
    assert.equal(stored[0].pid, 'labid:person-grace-hopper');
    assert.ok(zone.some(({ pid }: { pid: string }) => pid === 'labid:person-grace-hopper'));
  });

  test('says where it runs already when it is started again', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/start-example.ts')], {
      cwd: folder,
    });
    assert.match(stdout, new RegExp(`already runs: http://127\\.0\\.0\\.1:${port} \\(process \\d+\\)`));
  });

  test('says what to do if the port is taken, and makes nothing', () => {
    const cwd = exampleFolder();
    const script = join(ROOT, 'scripts/start-example.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--port', `${port}`], {
      cwd,
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, new RegExp(`^Port ${port} .* in use .*:\n\n  npm start -- --port 9000$`, 'm'));
    assert.deepEqual(readdirSync(cwd), []);
    rmSync(cwd, { recursive: true });
  });

  test('keeps the records between runs', async () => {
    const headers = { 'x-service-token': 'lab-submitter', 'content-type': 'application/json' };
    const body = JSON.stringify({ pid: 'labid:kept' });
    const url = `http://127.0.0.1:${port}/laboratory/record/Thing`;
    assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 200);
    await stopExample(example.process);
    example = await startExample(folder, port);
    assert.deepEqual(await get(port, 'record?pid=labid:kept', 'lab-submitter'), {
      pid: 'labid:kept',
      schema_type: 'schema:Thing',
    });
  });
});

async function get(port: number, path: string, token: string): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}/laboratory/${path}`, {
    headers: { 'x-service-token': token },
  });
  return answer.json();
}
