/** A collection whose backend would not show the records in its directories is refused. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, testApp } from '../../../../test/support/app.ts';
import { writeDirectoryConfig } from '../../../core/formats/directory-config.ts';
import {
  adopt,
  configure,
  person,
  SCHEMA,
  storeDirectory,
  writeRecord,
  writeTable,
} from './stores.support.ts';

const OF_FILES = ['record_dir', 'record_dir+stl'];
const OF_TABLES = ['sqlite', 'sqlite+stl'];
const RECORDS = [person('ada'), person('grace')];

const MADE: Readonly<Record<string, { readonly shownBy: readonly string[]; make(area: string): void }>> = {
  files: {
    shownBy: OF_FILES,
    make(area) {
      for (const record of RECORDS) writeRecord(area, record);
    },
  },
  'described files': {
    shownBy: OF_FILES,
    make(area) {
      for (const record of RECORDS) writeRecord(area, record);
      writeDirectoryConfig(area, 'digest-md5', SCHEMA);
    },
  },
  table: { shownBy: OF_TABLES, make: (area) => writeTable(area, RECORDS) },
};

test('records of another form in the curated area or a zone are refused by administration and at the start', async (t) => {
  const service = await testApp(t, {});
  for (const [form, { shownBy, make }] of Object.entries(MADE)) {
    for (const type of [...OF_FILES, ...OF_TABLES]) {
      for (const place of ['curated', 'incoming/ann']) {
        const name = `${form}-${type}-${place}`.replaceAll(/[^a-z]/g, '-');
        make(join(service.store, name, place));
        const paths = { curated: `${name}/curated`, incoming: `${name}/incoming` };
        const body = { name, schema: SCHEMA, default_token: 'anonymous', backend: { type }, ...paths };
        const { status, text } = await service.request('POST', '/collections', { token: ADMIN, json: body });
        const root = storeDirectory(t);
        make(join(root, 'c', place));
        configure(root, { c: { backend: { type } } });
        if (shownBy.includes(type)) {
          assert.equal(status, 201, `${name}: ${text}`);
          assert.equal((await adopt(root))?.records, 2, name);
          continue;
        }
        assert.equal(status, 400, `${name}: ${text}`);
        assert.match(text, /expected .* found .* Use the backend /, name);
        await assert.rejects(
          adopt(root),
          /^ServiceError: The store cannot be adopted with its collection 'c': .* Use the backend /,
        );
      }
    }
  }
});

test('a collection changes its backend while the database has its records', async (t) => {
  const service = await testApp(t, {});
  make(join(service.store, 'c/curated'));
  const put = async (type: string) => {
    const paths = { curated: 'c/curated', incoming: 'c/incoming' };
    const json = { name: 'c', schema: SCHEMA, default_token: 'anonymous', backend: { type }, ...paths };
    const { status, text } = await service.request('PUT', '/collections', { token: ADMIN, json });
    assert.equal(status, 201, `${type}: ${text}`);
    const { curated } = service.app.registry.current().collections.get('c')!;
    return await curated.count({});
  };
  assert.equal(await put('sqlite'), 2);
  for (const type of ['record_dir', 'sqlite+stl', 'record_dir+stl', 'sqlite'])
    assert.equal(await put(type), 2, type);
});

const make = (area: string) => writeTable(area, RECORDS);
