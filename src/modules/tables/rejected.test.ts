/** The file of refused rows: imported as it is, it is refused again, with the options of its source. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { accession, LABORATORY, scratch } from '../../../test/cli/accession.ts';
import { listening } from '../../../test/cli/service.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { cellKey, refusedCsv } from './desk/sheet.ts';
import { csvRow } from './files/csv.ts';
import { writeXlsx } from './files/xlsx-write.ts';
import { columnsOf, headerOf } from './rows/columns.ts';
import { readTables } from './rows/read-table.ts';
import { readRows, writeRow } from './rows/rows.ts';

const HEADER = ['pid', 'name', 'family_name', 'email'];
const people = ['a', 'b', 'c'].map((id) => [`labid:${id}`, 'P', 'P', `${id}@example.org`]);

/** A service with three people, the import of a file, and their e-mail addresses. */
async function withPeople(t: TestContext) {
  const service = await listening(t);
  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' };
  const folder = scratch(t);
  const load = (name: string, content: string | Uint8Array | undefined, ...options: string[]) => {
    const file = join(folder, name);
    if (content !== undefined) writeFileSync(file, content);
    return accession(['import', 'lab', file, '--curated', ...options], { env });
  };
  const first = await load('Person.csv', [HEADER, ...people].map((row) => csvRow(row)).join(''));
  assert.equal(first.status, 0, first.stderr);
  const emails = async () => {
    const { text } = await service.request('GET', '/-/lab/curated/export', { token: 'cur' });
    return [...text.matchAll(/"email":"([^"]*)"/g)].map(([, email]) => email).sort();
  };
  return { load, emails, folder, service };
}

test('a formula without a result and an error are refused again in the rejected workbook, and no value is lost', async (t) => {
  const { load, emails, folder } = await withPeople(t);
  const [a, b, c] = people.map((cells) => cells.slice(0, 3)) as [string[], string[], string[]];
  const rows = [HEADER, [...a, { error: '' }], [...b, { error: '#DIV/0!' }], [...c, '#N/A']];
  const options = ['--class', 'Person', '--sheet', '2026', '--header-row', '3'];
  const messages = (stderr: string) => stderr.match(/\(email\): The .*\./g);
  const first = await load('cur.xlsx', writeXlsx([{ name: '2026', rows, headerRow: 3 }]), ...options);
  assert.match(first.stderr, /D4 \(email\): The formula has no saved result/);
  assert.match(first.stderr, /D5 \(email\): The cell has the error #DIV\/0!\./);
  assert.match(first.stderr, /0 rows stored, 3 refused, in .*cur\.rejected\.xlsx\n$/);
  const second = await load('cur.rejected.xlsx', undefined, ...options);
  assert.deepEqual(messages(second.stderr), messages(first.stderr));
  const third = await load('cur.rejected.rejected.xlsx', undefined, '--class', 'Person');
  assert.deepEqual(messages(third.stderr), messages(first.stderr), 'without the options, too');
  assert.deepEqual(await emails(), ['a@example.org', 'b@example.org', 'c@example.org']);
  const [sheet] = await readTables(
    readFileSync(join(folder, 'cur.rejected.xlsx')),
    'xlsx',
    await openSchema(LABORATORY),
  );
  assert.deepEqual([sheet?.table.name, sheet?.table.headerRow], ['2026', 3]);
});

test('an error of a spreadsheet in CSV is refused, also in the first cell, and again in the rejected file', async (t) => {
  const { load, emails } = await withPeople(t);
  const rows = [HEADER, ['labid:a', 'P', 'P', '#N/A'], ['#REF!', 'P', 'P', '']];
  const titled = `People\r\n\r\n${rows.map((row) => csvRow(row)).join('')}`;
  const first = await load('Person.csv', titled, '--header-row', '3');
  assert.match(first.stderr, /D4 \(email\): The cell has the error #N\/A\.\n/);
  assert.match(first.stderr, /A5 \(pid\): The cell has the error #REF!\.\n/);
  assert.match(first.stderr, /0 rows stored, 2 refused/);
  const second = await load('Person.rejected.csv', undefined, '--header-row', '3');
  assert.equal(second.stderr.replaceAll('.rejected', ''), first.stderr.replaceAll('.rejected', ''));
  assert.equal((await emails()).length, 3);
});

test('numbers of a workbook are exact with decimal commas, also in its rejected file', async (t) => {
  const { load } = await withPeople(t);
  const header = ['pid', 'name', 'budget.amount', 'budget.currency', 'started'];
  const row = (pid: string, amount: string | { number: string }, started: string) => [
    ...[pid, 'P', amount, 'EUR', started],
  ];
  const rows = [header, row('labid:p', { number: '1.234' }, 'soon'), row('labid:q', '1.234', '2026-01-31')];
  const first = await load('x.xlsx', writeXlsx([{ name: 'Project', rows }]), '--decimal-comma');
  const second = await load('x.rejected.xlsx', undefined, '--decimal-comma');
  for (const { stderr } of [first, second]) {
    assert.match(stderr, /E2 \(started\): /);
    assert.doesNotMatch(stderr, /\bC2\b/);
    assert.match(stderr, /C3 \(budget\.amount\): The number is 1234 or 1,234/);
  }
});

test('a sheet of an unknown class is named', async (t) => {
  const { load } = await withPeople(t);
  const sheets = [
    { name: 'Person', rows: [HEADER] },
    { name: 'Notes', rows: [['a note']] },
  ];
  const { status, stderr } = await load('x.xlsx', writeXlsx(sheets));
  assert.equal(status, 1, stderr);
  assert.match(
    stderr,
    /x\.xlsx: the class of the rows in the sheet "Notes" is unknown\. Use --class, .*--sheet/,
  );
});

test('a string like an error survives an export, and an enum or a pattern may permit it', async (t) => {
  const folder = scratch(t);
  const file = join(folder, 'schema.yaml');
  writeFileSync(
    file,
    `id: https://example.org/s
name: s
prefixes: {ex: https://example.org/, linkml: https://w3id.org/linkml/}
default_prefix: ex
default_range: string
imports: [linkml:types]
enums: {Result: {permissible_values: {"#N/A": {}, found: {}}}}
classes:
  Item:
    attributes:
      pid: {identifier: true, range: uriorcurie}
      result: {range: Result}
      code: {pattern: "^#.*$"}
      note: {}
      notes: {multivalued: true}
`,
  );
  const schema = await openSchema(file);
  const read = async (header: string[], cells: string[]) => {
    const [one] = await readTables(Buffer.from(csvRow(header) + csvRow(cells)), 'csv', schema);
    return [...readRows(one!.table, { schema, className: 'Item' })];
  };
  const [permitted] = await read(['pid', 'result', 'code'], ['ex:a', '#N/A', '#NULL!']);
  assert.deepEqual(permitted?.record, { pid: 'ex:a', result: '#N/A', code: '#NULL!' });
  for (const word of ['#N/A', '#REF!', '#VALUE!', '#DIV/0!', '#NAME?', '#NULL!', '#NUM!'])
    assert.deepEqual(
      (await read(['pid', 'note'], ['ex:a', word]))[0]?.faults.map(({ message }) => message),
      [`The cell has the error ${word}.`],
    );
  const columns = columnsOf(schema, 'Item');
  for (const text of ['#N/A', '\\#N/A', '\\\\#N/A']) {
    const record = { pid: 'ex:a', note: text, notes: [text, 'x'] };
    assert.deepEqual((await read(columns.map(headerOf), writeRow(record, columns)))[0]?.record, record, text);
  }
});

test('the rows that the desk saves have an error in place of a formula without a result', () => {
  const rows = [{ row: 2, cells: ['labid:a', ''] }];
  const sheet = { header: ['pid', 'email'], rows, broken: new Map([[cellKey(2, 1), 'No result.']]) };
  const verdicts = [{ ...rows[0]!, outcome: 'refused' as const, changes: [], faults: [] }];
  assert.equal(refusedCsv(sheet, verdicts, 'problems'), 'pid,email,! problems\r\nlabid:a,#N/A,\r\n');
});

test('of a table that was exported, corrected and imported by a submitter, only the corrected rows are submitted', async (t) => {
  const { folder, service } = await withPeople(t);
  const file = join(folder, 'Person.csv');
  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'ann' };
  const run = (...args: string[]) => accession(args, { env });
  assert.equal((await run('export', 'lab', file, '--class', 'Person', '--overwrite')).status, 0);
  writeFileSync(file, readFileSync(file, 'utf8').replace('b@example.org', 'new@example.org'));
  for (const counts of ['1 changed, 2 unchanged\n1 row stored', '0 changed, 3 unchanged\n0 rows stored']) {
    const { status, stderr } = await run('import', 'lab', file);
    assert.deepEqual([status, stderr], [0, `0 new, ${counts}, 0 refused\n`]);
  }
  const zone = await service.request('GET', '/lab/incoming/ann/records/', { token: 'cur' });
  assert.deepEqual(
    zone.json<{ pid: string; email: string }[]>().map(({ pid, email }) => [pid, email]),
    [['labid:b', 'new@example.org']],
  );
});

test('an import reports what it did to records, and refuses options that would be ignored', async (t) => {
  const { load } = await withPeople(t);
  const row = (...cells: string[]) => csvRow(cells);
  const [a, b] = people as [string[], string[]];
  const table = csvRow(HEADER) + row(...a) + row(...b.with(1, 'Other')) + row('labid:new', 'N', 'N', '');
  const counts = /^1 new, 1 changed, 1 unchanged\n(3 rows valid|2 rows stored), 0 refused\n$/;
  for (const options of [['--dry-run'], []]) {
    const run = await load('Person.csv', table, ...options);
    assert.match(run.stderr, counts);
  }
  assert.match((await load('Person.csv', csvRow(HEADER))).stderr, /Person\.csv has no rows\n0 rows stored/);
  assert.match((await load('p.ndjson', '')).stderr, /p\.ndjson has no records\n0 records stored/);
  for (const [file, ...options] of [
    ['Person.csv', '--sheet', 'x'],
    ['p.ndjson', '--decimal-comma'],
    ['p.ndjson', '--replace'],
    ['p.ndjson', '--batch', 'x'],
    ['p.ndjson', '--message', 'x'],
  ] as const) {
    const refused = await load(file, undefined, ...options);
    assert.deepEqual([refused.status, /has no effect/.test(refused.stderr)], [1, true], refused.stderr);
  }
  const zone = await load('p.ndjson', undefined, '--new-zone');
  assert.match(zone.stderr, /--new-zone makes the zone that --incoming names/);
});

test('a row that repeats a pid comes back without it, so it does not replace the other one', async (t) => {
  const { load, emails } = await withPeople(t);
  const rows = [HEADER, ['labid:d', 'P', 'P', 'd@example.org'], ['labid:d', 'P', 'P', 'e@example.org']];
  const first = await load('Person.csv', rows.map((row) => csvRow(row)).join(''));
  assert.match(
    first.stderr,
    /A3 \(pid\): The pid labid:d is already in row 2\.\n[\s\S]*1 row stored, 1 refused/,
  );
  const second = await load('Person.rejected.csv', undefined);
  assert.match(second.stderr, /A2 \(pid\): Found nothing, expected a value[\s\S]*0 rows stored, 1 refused/);
  assert.equal((await emails()).includes('e@example.org'), false);
});

test('a number with a dot is ambiguous beside decimal commas, in whatever order', async (t) => {
  const { load } = await withPeople(t);
  const table =
    'pid;name;budget.amount;budget.currency\nlabid:p;P;1.000;EUR\nlabid:q;Q;1.000,50;EUR\nlabid:r;R;2.5;EUR\n';
  const { stderr } = await load('Project.csv', table);
  assert.match(stderr, /C2 \(budget\.amount\): The number is 1000 or 1\.000: other cells of the column have/);
  assert.match(stderr, /C3 \(budget\.amount\): Found "1\.000,50", expected a decimal number\./);
  assert.match(stderr, /1 row stored, 2 refused/);
});

test('a rejected CSV keeps the separator of its source, and headers may be mapped', async (t) => {
  const { load, emails, folder } = await withPeople(t);
  const table = 'pid;name;Familie;email\nlabid:d;P;P;no mail\nlabid:e;P|x;P;e@example.org\n';
  const unknown = await load('Person.csv', table);
  assert.match(unknown.stderr, /has no slot "Familie"\. Its slots are pid, name, family_name, /);
  const first = await load('Person.csv', undefined, '--map', 'Familie=family_name');
  assert.match(first.stderr, /1 row stored, 1 refused/);
  const rejected = readFileSync(join(folder, 'Person.rejected.csv'), 'utf8');
  assert.match(rejected, /^\ufeffpid;name;Familie;email;!problems\r\nlabid:d;P;P;no mail;/);
  assert.ok((await emails()).includes('e@example.org'));
  writeFileSync(join(folder, 'Person.rejected.csv'), rejected.replace('no mail', 'd@example.org'));
  const second = await load('Person.rejected.csv', undefined, '--map', 'Familie=family_name');
  assert.match(second.stderr, /1 row stored, 0 refused/);
  const wrong = await load('Person.csv', undefined, '--map', 'Familie');
  assert.match(wrong.stderr, /--map: expected a header and a slot/);
  const named = await load(
    'Other.csv',
    `sep=^\npid^name^family_name^email\nlabid:f^P^P^no mail\n`,
    '--class',
    'Person',
  );
  assert.match(named.stderr, /1 refused/);
  assert.match(readFileSync(join(folder, 'Other.rejected.csv'), 'utf8'), /^\ufeffsep=\^\r\npid\^name/);
});
