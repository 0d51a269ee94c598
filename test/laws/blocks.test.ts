/** Every page with commands is run by a test, or says here why not. Blocks of other languages: `test/docs/code.test.ts`. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { LABORATORY_PAGES, OFFLINE_PAGES, OTHER_PAGES } from '../docs/expected.ts';
import { MODULE_PAGES } from '../docs/modules.ts';
import { blocksOf, ROOT } from '../docs/page.ts';

/** Pages that other tests run → the test. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'README.md': 'test/docs/ways-in.long.test.ts',
  'docs/command-line.md': 'test/cli/validate.test.ts',
  'docs/how-to/back-up.md': 'test/deploy/back-up.long.test.ts',
  'docs/how-to/move-to-postgresql.md': 'test/database/how-to.long.test.ts',
};

const NOT_RUN: Readonly<Record<string, string>> = {
  'CONTRIBUTING.md': 'the tests would run themselves',
  'docs/forge.md': 'it needs a forge',
  'docs/search.md': 'test/api/search.test.ts sends such searches',
  'docs/shacl.md':
    'pyshacl is another program, not installed everywhere; test/generate/shacl.long.test.ts runs the commands',
  'docs/vocabularies.md':
    'the vocabulary is on another server; test/cli/vocabulary.test.ts runs the commands',
  'docs/how-to/add-a-reader.md': 'two services; test/follow/processes.long.test.ts starts both',
  'docs/how-to/replace-dump-things-service.md':
    'it needs the peer; test/parity/stores.long.test.ts exports a store for it',
  'docs/how-to/replace-linkml-validate.md':
    'the data is the reader’s own; test/cli/validate-examples.long.test.ts runs the commands',
  'docs/how-to/restrict-records.md':
    'the policies are the reader’s own; test/policies/cases.test.ts reloads some',
  'docs/how-to/run-in-production.md':
    'it needs root, systemd and podman; test/deploy/files.long.test.ts checks the files',
  'docs/how-to/upgrade.md':
    'it needs a former release; test/operation/upgrade.long.test.ts imports its stores',
};

test('the commands of every page are run by a test, or have a reason why not', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'src/modules/*/README.md'], { cwd: ROOT }).filter(
    (page) => blocksOf(page).length > 0,
  );
  const run = { ...LABORATORY_PAGES, ...OFFLINE_PAGES, ...OTHER_PAGES, ...MODULE_PAGES };
  assert.deepEqual(
    pages.sort(),
    [...Object.keys(run), ...Object.keys(RUN_ELSEWHERE), ...Object.keys(NOT_RUN)].sort(),
  );
});

test('the tests that are named for a page are there, and read it', () => {
  for (const [page, file] of Object.entries(RUN_ELSEWHERE))
    assert.ok(readFileSync(resolve(ROOT, file), 'utf8').includes(page.split('/').at(-1) as string), file);
  for (const reason of Object.values(NOT_RUN)) {
    const file = /test\/\S+\.test\.ts/.exec(reason)?.[0];
    if (file !== undefined) assert.ok(readFileSync(resolve(ROOT, file), 'utf8').length > 0, file);
  }
});
