/** The authors of commits in audit logs are people with names. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { lacks } from '../../../test/support/lacks.ts';
import { openWorld, signIn } from './world.support.ts';

test('a commit names the person as the source does, with the user id', {
  skip: lacks('audit'),
}, async (t) => {
  const audit_backends = [{ type: 'gitaudit', path: 'lab/log', auto_flush_timeout: 1 }];
  const world = await openWorld(t, { attributes: { audit_backends } });
  const { service } = world;
  const token = await signIn(world, 'cora');
  const json = { pid: 'labid:p1', name: 'Abe', family_name: 'Abe' };
  const stored = await service.request('POST', '/lab/curated/record/Person', { token, json });
  assert.equal(stored.status, 200, stored.text);
  const log = () => {
    const git = ['-C', join(service.store, 'lab/log'), 'log', '--format=%an <%ae>'];
    return execFileSync('git', git, { encoding: 'utf8', stdio: 'pipe' });
  };
  await eventually(
    'the commit',
    async () => {
      try {
        return log();
      } catch {
        return '';
      }
    },
    (text) => text.includes('Cora Cole <institute:cora>'),
  );
});
