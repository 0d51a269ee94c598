/** Schemas that change without a switch: the file is edited, or the configuration names another one. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { accession } from '../../../test/cli/accession.ts';
import { ADMIN, type TestService, testApp } from '../../../test/support/app.ts';
import { BACKENDS } from '../../../test/support/backends.ts';
import { BEFORE, GONE } from '../../../test/support/schemas.ts';
import { longTest, repeated, test } from '../../../test/support/tier.ts';

type Change = {
  id: string;
  kind: string;
  by: string | null;
  from: { address: string; digest: string };
  to: { address: string; digest: string };
  state: string;
};

async function opened(t: TestContext, type: string) {
  const folder = mkdtempSync(join(tmpdir(), 'accession-edits-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const schema = join(folder, 'schema.yaml');
  writeFileSync(schema, BEFORE);
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const service = await testApp(
    t,
    { collections: { c: { schema, backend: { type } } }, tokens: { cora: { c: 'CURATOR' } } },
    { logger },
  );
  const edits = () => lines.filter(({ msg }) => msg === 'the schema was changed without a switch');
  return { folder, schema, service, edits, lines };
}

const changesOf = async ({ request }: TestService) =>
  (await request('GET', '/-/c/switches', { token: 'cora' })).json<Change[]>();

/** Waits until the job has compared the schemas. */
async function compared(service: TestService): Promise<void> {
  for (;;) {
    const { jobs } = (await service.request('GET', '/-/status', { token: ADMIN })).json<{
      jobs: { name: string; state: string }[];
    }>();
    const job = jobs.find(({ name }) => name === 'compare schemas');
    assert.notEqual(job?.state, 'failed', JSON.stringify(job));
    if (job?.state === 'idle' || job?.state === 'done') return;
    await delay(10);
  }
}

for (const type of BACKENDS) {
  repeated(
    `${type}: a schema file that was edited is logged at the start and listed as a change`,
    async (t) => {
      const { schema, service, edits } = await opened(t, type);
      const json = { pid: 'ex:saw', weight: 3 };
      await service.request('POST', '/c/curated/record/Gadget', { token: 'cora', json });
      await compared(service);
      await service.restart();
      await compared(service);
      assert.deepEqual([await changesOf(service), edits()], [[], []], 'nothing has changed');

      writeFileSync(schema, GONE);
      await service.restart();
      await compared(service);
      const [edit, ...others] = await changesOf(service);
      assert.deepEqual([edit?.kind, edit?.by, edit?.state, others], ['edit', null, 'done', []]);
      assert.equal(edit?.to.address, schema);
      const [line, ...more] = edits();
      assert.equal(line?.collection, 'c');
      assert.equal(more.length, 0);
      assert.match(String(line?.first), /Gadget/);
      assert.match(String(line?.see), /accession curate faults c/);
      const status = await service.request('GET', '/-/status', { token: ADMIN });
      const [collection] = status.json<{ collections: { schema_changed: object }[] }>().collections;
      assert.partialDeepStrictEqual(collection, { schema_changed: { id: edit?.id, kind: 'edit' } });

      await service.restart();
      await compared(service);
      assert.equal((await changesOf(service)).length, 1, 'it is listed once');
    },
  );
}

test('an edit is tried with the file in force, before the start that would put it in force', async (t) => {
  const { schema, service } = await opened(t, 'sqlite');
  const json = { pid: 'ex:saw', weight: 3 };
  await service.request('POST', '/c/curated/record/Gadget', { token: 'cora', json });
  await compared(service);
  writeFileSync(
    schema,
    BEFORE.replace('weight: { range: integer }', 'weight: { range: integer, maximum_value: 2 }'),
  );
  const tried = await accession(['schema', 'rehearse', service.store, '--schema', schema]);
  assert.equal(tried.status, 2, tried.stdout);
  assert.match(tried.stdout, /^c curated ex:saw: newly_invalid: weight: found 3, /m);
});

test('an edit is undone: the former text is in force again', async (t) => {
  const { schema, service, edits } = await opened(t, 'sqlite');
  await compared(service);
  writeFileSync(schema, GONE);
  await service.restart();
  await compared(service);
  const [edit] = await changesOf(service);
  const undone = await service.request('POST', `/-/c/switches/${edit?.id}/undo`, { token: ADMIN });
  assert.equal(undone.status, 200, undone.text);
  const server = (await service.request('GET', '/server')).json<{ collections: { classes: string[] }[] }>();
  assert.ok(server.collections[0]?.classes.includes('Gadget'));
  await service.restart();
  await compared(service);
  assert.deepEqual(
    (await changesOf(service)).map(({ kind, state }) => `${kind} ${state}`),
    ['undo done', 'edit undone'],
  );
  assert.equal(edits().length, 1, 'the undo is not another edit');
});

test('a switch is no edit, another schema in the configuration is one', async (t) => {
  const { folder, service, edits } = await opened(t, 'sqlite');
  await compared(service);
  const other = join(folder, 'other.yaml');
  writeFileSync(other, GONE);
  const rehearsal = await service.request('POST', '/-/c/rehearse', {
    token: ADMIN,
    json: { address: other },
  });
  const { id } = rehearsal.json<{ id: string }>();
  const path = `/-/c/rehearsals/${id}/switch`;
  assert.equal((await service.request('POST', path, { token: ADMIN, json: {} })).status, 200);
  await compared(service);
  assert.deepEqual(
    (await changesOf(service)).map(({ kind }) => kind),
    ['switch'],
  );
  assert.equal(edits().length, 0);

  const configuration = await service.request('GET', '/collections/c', { token: ADMIN });
  const json = { ...configuration.json<object>(), schema: join(folder, 'schema.yaml') };
  const put = await service.request('PUT', '/collections/c', { token: ADMIN, json });
  assert.equal(put.status, 201, put.text);
  await compared(service);
  const [edit] = await changesOf(service);
  assert.deepEqual([edit?.kind, edit?.from.address.includes('switched')], ['edit', true]);
  assert.equal(edits().length, 1);
});

longTest(
  'an edit of the file that a switch has replaced by a copy is logged at the start and found by a check',
  async (t) => {
    const { schema, service, lines } = await opened(t, 'sqlite');
    const idle = () => lines.filter(({ msg }) => msg === 'an edited schema file is not in force');
    const switchTo = async (text: string) => {
      const rehearsal = await service.request('POST', '/-/c/rehearse', {
        token: ADMIN,
        json: { schema: text },
      });
      const { id } = rehearsal.json<{ id: string }>();
      const done = await service.request('POST', `/-/c/rehearsals/${id}/switch`, { token: ADMIN, json: {} });
      assert.equal(done.status, 200, done.text);
    };
    const checked = async () => (await accession(['check', service.store])).stdout;
    await compared(service);
    await switchTo(GONE);
    await service.restart();
    await compared(service);
    assert.deepEqual(idle(), [], 'the former file is as it was');
    assert.doesNotMatch(await checked(), /not in force/);

    const edited = `${GONE}\n# another one\n`;
    for (const text of [edited, 'classes: [']) {
      writeFileSync(schema, text);
      await service.restart();
      await compared(service);
      const [line, ...more] = idle().splice(-1);
      assert.deepEqual([line?.collection, line?.file, more], ['c', schema, []]);
      assert.match(String(line?.in_force), /switched/);
      assert.equal(line?.see, `accession schema switch c ${schema}`);
      assert.match(
        await checked(),
        /^warning schema c: .*schema\.yaml was edited and is not in force: .*switched.*\n.*accession schema switch c \//m,
      );
    }
    assert.equal(idle().length, 2, 'once for each start');

    writeFileSync(schema, edited);
    await switchTo(edited);
    await service.restart();
    await compared(service);
    assert.equal(idle().length, 2, 'the edit is in force');
  },
);
