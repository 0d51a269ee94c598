/** Several instances of the service on one database: the one that leads writes the audit logs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type TestService, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { person } from '../../../test/support/people.ts';
import { startPostgresql, type TestServer } from '../../../test/support/postgresql.ts';
import { startService } from '../../../test/support/real-service.ts';
import { audit } from './part.ts';

let server: TestServer;
before(async () => {
  server = await startPostgresql();
});
after(() => server.close());

const CONFIGURATION = {
  collections: {
    lab: { backend: { type: 'postgresql+stl' }, audit_backends: [{ type: 'gitaudit', path: 'audit/lab' }] },
  },
  tokens: { curator: { lab: 'CURATOR' } },
};

const put = (service: TestService, json: object) =>
  service.request('POST', '/lab/curated/record/Person', { token: 'curator', json });

test('one instance exports to git, and another one takes over', async (t) => {
  const url = await server.createDatabase();
  const first = await testApp(t, CONFIGURATION, { databaseUrl: url });
  const repository = (service: TestService) => join(service.store, 'audit/lab');
  const exported = (service: TestService, pid: string) => {
    const log = spawnSync('git', ['-C', repository(service), 'log', '--all', '-p'], { encoding: 'utf8' });
    return log.status === 0 && log.stdout.includes(pid);
  };
  const flush = (service: TestService) =>
    Promise.all(
      service.app.registry
        .collection('lab')
        .part(audit)
        .logs.map((log) => log.flush()),
    );
  await put(first, person('ada'));
  await eventually('the first one exports', async () => {
    await flush(first);
    return exported(first, 'labid:ada');
  });
  const second = await testApp(t, {}, { databaseUrl: url });
  await put(second, person('bob'));
  await flush(second);
  assert.equal(exported(second, 'labid:bob'), false);
  await eventually('the first one exports what the second one has stored', async () => {
    await flush(first);
    return exported(first, 'labid:bob');
  });
  await first.app.close();
  await put(second, person('eve'));
  await eventually('the second one exports', async () => {
    await flush(second);
    return exported(second, 'labid:eve');
  });
  assert.ok(exported(second, 'labid:ada'), 'its repository has what was stored before it took over');
});

test('another instance exports to git after the one that did is killed', async (t) => {
  const url = await server.createDatabase();
  const settings = await testApp(t, CONFIGURATION, { databaseUrl: url });
  await settings.app.close();
  const first = await startService([settings.store, '--database-url', url]);
  t.after(() => first.kill());
  const second = await testApp(t, {}, { databaseUrl: url });
  const exported = async (pid: string) => {
    for (const log of second.app.registry.collection('lab').part(audit).logs) await log.flush();
    const git = ['-C', join(second.store, 'audit/lab'), 'log', '--all', '-p'];
    return spawnSync('git', git, { encoding: 'utf8' }).stdout.includes(pid);
  };
  await put(second, person('ada'));
  assert.equal(await exported('labid:ada'), false, 'the first one exports');
  await first.kill();
  await eventually('export after a kill', () => exported('labid:ada'));
  await put(second, person('bob'));
  assert.ok(await exported('labid:bob'));
});
