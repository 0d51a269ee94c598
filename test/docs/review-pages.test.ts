/** The how-to pages of review and of schema changes, run as they are written: every command, in one shell for each page, on a new laboratory. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');
const MARK = '=====block=====';
const curl = spawnSync('curl', ['--version']).status === 0;

describe('the how-to pages', { skip: curl ? false : 'curl is not installed' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-review-pages-'));
  let port: number;
  let example: ChildProcess;

  before(async () => {
    symlinkSync(join(root, 'examples'), join(folder, 'examples'));
    port = await freePort();
    const script = join(root, 'scripts/start-example.ts');
    example = spawn(process.execPath, [script, '--port', String(port)], { cwd: folder });
    await new Promise<void>((started, failed) => {
      example.once('exit', (status) => failed(new Error(`the laboratory ended with ${status}`)));
      example.stdout?.on('data', (text) => String(text).includes('Ctrl-C') && started());
    });
  });
  after(async () => {
    const ended = new Promise((done) => example.once('exit', done));
    example.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  /** What each block of a page prints. */
  function run(page: string): string[] {
    const text = readFileSync(join(root, 'docs/how-to', page), 'utf8');
    const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands = '']) => commands);
    const script = ['set -e -o pipefail', ...blocks.map((block) => `echo ${MARK}\n${block}`)].join('\n');
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script.replaceAll(':8000', `:${port}`)], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    });
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    return stdout.split(`${MARK}\n`).slice(1);
  }

  test('the page of curators', () => {
    const [, summary, item, accepted, conflict, rejected, many, undone] = run('review-submissions.md');
    assert.match(summary!, /"new":3/);
    assert.match(summary!, /"diverged":2/);
    assert.match(item!, /"changed_by":"curator"/);
    assert.match(item!, /www\.example\.org\/danuta/);
    assert.equal(accepted!.trim(), 'accept');
    assert.equal(conflict!.trim(), 'accept');
    assert.equal(rejected!.trim(), 'reject');
    assert.equal(many!.trim(), '2');
    assert.equal(undone!.trim(), 'curator@example.org');
  });

  test('the page of schema changes', () => {
    const [, diff, rehearsed, line, switched, faults, undone] = run('change-a-schema.md');
    assert.match(diff!, /aliases: \[email\]/);
    assert.match(rehearsed!, /^done$/m);
    assert.match(rehearsed!, /"newly_invalid":0/);
    assert.match(rehearsed!, /is called mail now/);
    assert.match(line!, /"outcome":"mendable"/);
    assert.match(switched!, /^done\n[1-9]/);
    assert.equal(faults!.trim(), '0');
    assert.equal(undone!.trim(), 'done');
  });

  test('the page of references', () => {
    const [, links, refused, settings, renamed, moved, pairs, merged, undone] = run('keep-references.md');
    assert.match(links!, /^[1-9]\d*\n.*"slot"/);
    assert.match(refused!, /refers to 'labid:organization-brightfield-optics'/);
    assert.match(settings!, /"on_delete":"refuse"/);
    assert.match(renamed!, /^[1-9]\d*\nlabid:organization-brightfield\n$/);
    assert.match(moved!, /labid%3Aorganization-brightfield\r?\n/);
    assert.match(pairs!, /labid:person-a-abe/);
    assert.match(pairs!, /labid:person-ada-abe/);
    assert.match(merged!, /"\/name".*\nmerge\n$/);
    assert.equal(undone!.trim(), 'merge');
  });

  test('the page of submitters', () => {
    const [, stored, seen, withdrawn] = run('follow-your-submissions.md');
    assert.match(stored!, /Kit Moss/);
    assert.match(seen!, /"status":"waiting"/);
    assert.match(seen!, /Our new engineer/);
    assert.match(withdrawn!, /"status":"withdrawn"/);
  });
});

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}
