/** The tutorial, as a newcomer runs it: every command of the page, in one shell, in its order. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/tutorial/ten-minutes.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands = '']) => commands);

/** Stands before what each block prints. */
const MARK = '=====block=====';

/** A checkout without its history: the commands make their files in it. */
function checkout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'accession-tutorial-'));
  for (const part of ['bin', 'src', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}

describe('the tutorial', () => {
  const folder = checkout();
  let outputs: string[] = [];
  after(() => rmSync(folder, { recursive: true, force: true }));

  before(async () => {
    const port = await freePort();
    const script = ['set -e', ...blocks.map((block) => `echo ${MARK}\n${block}`)]
      .join('\n')
      .replaceAll('8100', String(port));
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    outputs = stdout.split(`${MARK}\n`).slice(1);
  });

  /** What the block printed that has these words in it. */
  const outputOf = (words: string): string => {
    const index = blocks.findIndex((block) => block.includes(words));
    assert.notEqual(index, -1, words);
    return outputs[index] ?? '';
  };

  test('stores two submissions', () => {
    assert.match(outputOf('garden:rosa-canina", "name": "dog rose"'), /Rosa canina.*garden:plant-1/s);
  });

  test('shows a refusal with three problems', () => {
    const { detail } = JSON.parse(outputOf('last spring')) as { detail: unknown[] };
    assert.equal(detail.length, 3);
  });

  test('accepts one submission and rejects the other', () => {
    assert.match(outputOf('"accept'), /"decision":"accept"/);
    assert.match(outputOf('Which bed?'), /"decision":"reject"/);
  });

  test('lets the submitter read the reason', () => {
    const output = outputOf('/submissions/');
    assert.match(output, /"status":"accepted"/);
    assert.match(output, /"reason":"Which bed\?"/);
  });

  test('has the mended submission waiting again', () => {
    const queue = outputOf('garden:bed-7');
    assert.match(queue, /"total":1/);
    assert.match(queue, /"standing":"waiting"/);
  });

  test('ends with the accepted record as Turtle', () => {
    assert.match(outputOf('format=ttl'), /"Rosa canina"/);
  });
});
