/** Files that a person may have edited. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { person } from '../support/people.ts';
import { accession, scratch } from './accession.ts';
import { listening } from './service.ts';

/** A service with two records, and functions that run lines as its curator in a folder. */
export async function inFolder(t: TestContext) {
  const service = await listening(t);
  for (const id of ['a', 'b']) {
    const path = '/lab/curated/record/Person';
    assert.equal((await service.request('POST', path, { token: 'cur', json: person(id) })).status, 200);
  }
  const cwd = scratch(t);
  const run = (line: string, token = 'cur') =>
    accession(line.split(' '), { cwd, env: { ACCESSION_URL: service.url, ACCESSION_TOKEN: token } });
  const at = (name: string) => join(cwd, name);
  /** Runs a command that makes a file, edits the file, and runs it again. */
  const isKept = async (line: string, name: string, token?: string) => {
    await run(line, token);
    assert.ok(existsSync(at(name)), line);
    appendFileSync(at(name), 'edited\n');
    const edited = readFileSync(at(name), 'utf8');
    const again = await run(line, token);
    assert.deepEqual([again.status, readFileSync(at(name), 'utf8')], [1, edited], line);
    assert.match(again.stderr, new RegExp(`${name} exists already\\. .*--overwrite`));
    await run(`${line} --overwrite`, token);
    assert.doesNotMatch(readFileSync(at(name), 'utf8'), /edited/);
  };
  return { service, run, at, cwd, isKept };
}
