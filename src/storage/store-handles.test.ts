import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from './backends.ts';
import { BY, expand, schemaTypeOf } from './contract/subject.ts';
import { StoreHandles } from './store-handles.ts';

for (const config of [{ type: 'record_dir', mapping_method: 'digest-md5' }, { type: 'sqlite' }] as const) {
  test(`${config.type}: who opens a place that is being closed gets it when it is closed`, async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'accession-handles-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const options = { schema: 'https://example.org/schema', handles: new StoreHandles() };
    const open = () => openStore(config, directory, { ...options, expand, schemaTypeOf });
    const first = await open();
    const json = '{"pid":"ex:a"}';
    await first.write([{ put: { pid: 'ex:a', iri: expand('ex:a') ?? '', className: 'Person', json } }], BY);
    const events: string[] = [];
    const closed = first.close().then(() => events.push('closed'));
    const [second, third] = await Promise.all([open(), open()]);
    events.push('opened');
    await closed;
    assert.deepEqual(events, ['closed', 'opened']);
    assert.equal(await second.count({}), 1);
    await second.close();
    assert.equal(await third.count({}), 1);
    await third.close();
  });
}
