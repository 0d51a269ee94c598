/** `accession rehearse` and `accession check --records`. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accession, scratch } from '../../../test/cli/accession.ts';
import { testApp } from '../../../test/support/app.ts';
import { BEFORE, GONE, RENAMED } from '../../../test/support/schemas.ts';

for (const type of ['record_dir+stl', 'sqlite+stl']) {
  test(`${type}: a store is rehearsed and checked without a service`, async (t) => {
    const folder = scratch(t);
    const [schema, renamed, gone] = ['one', 'two', 'three'].map((name) => join(folder, `${name}.yaml`)) as [
      string,
      string,
      string,
    ];
    writeFileSync(schema, BEFORE);
    writeFileSync(renamed, RENAMED);
    writeFileSync(gone, GONE);
    const service = await testApp(t, {
      collections: { c: { schema, backend: { type } } },
      tokens: { cora: { c: 'CURATOR' } },
    });
    const post = (className: string, json: object) =>
      service.request('POST', `/c/curated/record/${className}`, { token: 'cora', json });
    await post('Person', { pid: 'ex:ada', mail: 'a@x.org', age: '36' });
    await post('Gadget', { pid: 'ex:saw', weight: 3 });

    const fits = await accession(['rehearse', service.store, '--schema', renamed]);
    assert.equal(fits.status, 0, fits.stderr);
    assert.match(fits.stdout, /Person is called Human now/);
    assert.match(fits.stdout, /c curated ex:ada: mendable/);
    assert.match(fits.stderr, /c: 2 records, valid 1, mendable 1/);
    const breaks = await accession(['rehearse', service.store, '--schema', gone, '--json']);
    assert.equal(breaks.status, 2);
    const rows = breaks.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(rows.find(({ pid }) => pid === 'ex:saw').outcome, 'unreachable');

    const fine = await accession(['check', '--records', service.store]);
    assert.equal(fine.status, 0, fine.stdout);
    writeFileSync(schema, GONE);
    const found = await accession(['check', '--records', service.store]);
    assert.equal(found.status, 2);
    assert.match(found.stdout, /error records c\/curated: ex:saw: The schema has no class 'Gadget'/);
  });
}
