/** The files of `deploy/` that other programs read: held to those programs' own judgement. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { validate } from 'dockerfile-utils';

const deploy = resolve(import.meta.dirname, '../../deploy');

/** On systemd's scale from 0 (safe) to 10. */
const MOST_EXPOSED = 2;

test('the Containerfile has no fault', () => {
  const problems = validate(readFileSync(resolve(deploy, 'Containerfile'), 'utf8'));
  assert.deepEqual(
    problems.map(({ message, range }) => `line ${range.start.line + 1}: ${message}`),
    [],
  );
});

test('the Containerfile gives up root, and checks its health', () => {
  const lines = readFileSync(resolve(deploy, 'Containerfile'), 'utf8').split('\n');
  const last = (word: string) => lines.findLast((line) => line.startsWith(`${word} `));
  assert.equal(last('USER'), 'USER node');
  assert.match(last('HEALTHCHECK') ?? '', /--interval/);
});

const systemd = spawnSync('systemd-analyze', ['--version']).error === undefined;

test(`the system unit is sandboxed: at most ${MOST_EXPOSED} of 10`, {
  skip: systemd ? false : 'systemd-analyze is not installed',
}, () => {
  const unit = resolve(deploy, 'accession.service');
  const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unit], {
    encoding: 'utf8',
  });
  const exposure = /Overall exposure level for accession\.service: ([\d.]+)/.exec(stdout)?.[1];
  assert.ok(exposure !== undefined, stdout);
  assert.ok(Number(exposure) <= MOST_EXPOSED, exposure);
});
