/** A refresh of a vocabulary: rehearsed, put in force with patches of records, undone. */
import assert from 'node:assert/strict';
import { pino } from 'pino';
import { ADMIN } from '../../../test/support/app.ts';
import { type Cells, cells } from '../../../test/support/cells.ts';
import { YEAR } from '../../../test/support/clock.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ofTier, repeated, test } from '../../../test/support/tier.ts';

type Item = { pid: string; outcome: string; problems: { type: string }[]; steps: { message: string }[] };
type Report = { id: string; changes: { message: string }[]; items: Item[] };

const rehearse = (service: Cells, vocabularies: object, token = 'cleo') =>
  service.request('POST', '/-/samples/rehearse', { token, json: { vocabularies } });

const switchTo = (service: Cells, id: string, json: object = {}) =>
  service.request('POST', `/-/samples/rehearsals/${id}/switch`, { token: ADMIN, json });

const all = async (service: Cells) =>
  (await service.request('GET', '/samples/records/', { token: 'cleo' })).text;

for (const backend of ofTier(['record_dir+stl', 'postgresql']))
  repeated(
    `${backend}: records with terms that are gone, obsolete and relabeled are listed, patched, and restored`,
    async (t) => {
      const service = await cells(t, { backend: { type: backend } });
      await service.taken();
      const records = {
        same: { cell: 'CL:0000100' },
        relabeled: { found: { id: 'CL:0000100', label: 'motor neuron' } },
        obsolete: { cell: 'CL:0000099' },
        gone: { cell: 'CL:0000101' },
        both: { found: { id: 'CL:0000099', label: 'interneuron' } },
      };
      for (const [pid, record] of Object.entries(records))
        assert.deepEqual(await service.put(pid, record), [200]);
      const before = await all(service);
      const replacement = 'http://purl.obolibrary.org/obo/CL_0000100';
      service.edit('CL_0000100', { lbl: 'motoneuron' });
      service.edit('CL_0000101', undefined);
      service.edit('CL_0000099', {
        meta: {
          deprecated: true,
          basicPropertyValues: [{ pred: 'http://purl.obolibrary.org/obo/IAO_0100001', val: replacement }],
        },
      });
      const answer = await rehearse(service, { cl: {} });
      assert.equal(answer.status, 200, answer.text);
      const { id, changes, items } = answer.json<Report>();
      assert.deepEqual(
        changes.map(({ message }) => message),
        ['The vocabulary cl has other terms.'],
      );
      const found = items.map(({ pid, outcome, problems, steps }) => [
        ...[pid, outcome],
        ...problems.map(({ type }) => type),
        ...steps.map(({ message }) => message),
      ]);
      assert.deepEqual(found.sort(), [
        [
          ...['ex:both', 'mendable', 'the value CL:0000099 is CL:0000100 now'],
          'the value interneuron is motoneuron now',
        ],
        ['ex:gone', 'newly_invalid', 'term_unknown'],
        ['ex:obsolete', 'mendable', 'the value CL:0000099 is CL:0000100 now'],
        ['ex:relabeled', 'mendable', 'the value motor neuron is motoneuron now'],
      ]);
      assert.equal(await all(service), before);
      assert.deepEqual(await service.put('still', { cell: 'CL:0000101' }), [200], 'nothing is in force yet');
      assert.equal((await switchTo(service, id, { if_valid: true })).status, 409);

      const made = await switchTo(service, id);
      assert.equal(made.status, 200, made.text);
      const { id: change, records: patched } = made.json<{ id: string; records: number }>();
      assert.equal(patched, 3);
      assert.match(await all(service), /"id":"CL:0000100","label":"motoneuron"/);
      assert.deepEqual(await service.put('new', { cell: 'CL:0000101' }), [400, 'term_unknown']);
      await service.restart();
      assert.deepEqual(await service.put('new', { cell: 'CL:0000101' }), [400, 'term_unknown']);

      const undone = await service.request('POST', `/-/samples/switches/${change}/undo`, { token: ADMIN });
      assert.equal(undone.status, 200, undone.text);
      assert.deepEqual(await service.put('still', { cell: 'CL:0000101' }), [200]);
      await service.request('DELETE', '/samples/curated/record?pid=ex:still', { token: 'cleo' });
      assert.equal(await all(service), before);
    },
  );

test('curators take the source again, administrators choose another one or none', async (t) => {
  const service = await cells(t);
  await service.taken();
  const other = { cl: { source: 'methods.csv' } };
  assert.equal((await rehearse(service, other)).status, 403);
  assert.equal((await rehearse(service, other, ADMIN)).status, 422, 'there is no such file');
  assert.equal((await rehearse(service, { go: {} })).status, 422, 'a new vocabulary has a source');
  const { changes } = (await rehearse(service, { cl: {} })).json<Report>();
  assert.deepEqual(changes, [], 'the source has the same terms');
  const removed = (await rehearse(service, { cl: null })).json<Report>();
  assert.match(removed.changes[0]?.message ?? '', /The vocabulary cl is gone/);
  assert.equal((await switchTo(service, removed.id)).status, 200);
  assert.deepEqual(await service.put('a', { cell: 'anything' }), [200]);
  const answer = await rehearse(service, { cl: { source: 'cells.json', format: 'obograph' } }, ADMIN);
  const { id, items } = answer.json<Report>();
  assert.deepEqual(
    items.map(({ pid }) => pid),
    ['ex:a'],
  );
  assert.equal((await switchTo(service, id)).status, 200);
  assert.deepEqual(await service.put('b', { cell: 'anything' }), [400, 'term_unknown']);
});

test('a vocabulary with an interval is refreshed by itself, unless a record would not stay valid', async (t) => {
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const vocabularies = { cl: { source: 'cells.json', refresh: 'daily' } };
  const service = await cells(t, { vocabularies }, { logger });
  await service.taken();
  assert.deepEqual(await service.put('here', { cell: 'CL:0000100' }), [200]);
  const said = (message: string) => eventually(message, () => lines.some((line) => line.includes(message)));
  /** As if a day had passed since the last time, by a clock that was ahead or not: the job runs at the start. */
  const nextDay = async (last = -25 * 3600_000) => {
    const { database } = service.app.registry.current().collections.get('samples')!;
    const day = new Date(Date.now() + last).toISOString();
    const key = 'refreshed samples cl';
    const asked = () => database.tuples('SELECT 1 FROM accession_meta WHERE key = $1', [key]);
    await eventually(key, async () => (await asked()).length > 0);
    await database.transact(async (draft) => {
      draft.run('UPDATE accession_meta SET value = $1 WHERE key = $2', [day, key]);
    });
    await service.restart();
  };
  service.edit('CL_0000101', undefined);
  await service.restart();
  assert.deepEqual(await service.put('other', { cell: 'CL:0000101' }), [200], 'no day has passed');
  await service.request('DELETE', '/samples/curated/record?pid=ex:other', { token: 'cleo' });
  await nextDay();
  await said('the vocabulary was refreshed');
  assert.deepEqual(await service.put('other', { cell: 'CL:0000101' }), [400, 'term_unknown']);
  const switches = await service.request('GET', '/-/samples/switches', { token: ADMIN });
  assert.equal(switches.json<unknown[]>().length, 1);

  service.edit('CL_0000100', undefined);
  await nextDay(YEAR);
  await said('was not refreshed');
  const line = JSON.parse(lines.find((one) => one.includes('was not refreshed'))!);
  assert.deepEqual(line.records, { mendable: 0, newly_invalid: 1, unreachable: 0 });
  const found = await service.request('GET', `/-/samples/rehearsals/${line.rehearsal}`, { token: 'cleo' });
  assert.equal(found.json<Report>().items[0]?.pid, 'ex:here');
  assert.deepEqual(await service.put('again', { cell: 'CL:0000100' }), [200]);
});
