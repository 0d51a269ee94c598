/** `accession template`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accession } from '../../../test/cli/accession.ts';
import { LABORATORY } from '../../../test/support/app.ts';

test('a template needs a collection and a class, or a class and a schema', async () => {
  const { status, stderr } = await accession(['template', 'Person']);
  assert.equal(status, 1);
  assert.match(stderr, /Expected a collection and a class, or a class and --schema/);
  const { stdout } = await accession(['template', 'Person', '--schema', LABORATORY]);
  assert.match(stdout, /^pid\*,/m);
});
