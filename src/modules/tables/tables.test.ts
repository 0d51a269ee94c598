/** `POST /-/…/table/{Class}`: tables of people as records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipSync } from 'fflate';
import { sharedApp } from '../../../test/support/app.ts';
import { assertDescribed } from '../../../test/support/described-values.ts';
import { observed } from '../../../test/support/observed.ts';
import { archiveOf, partsOf, sheetsIn, workbookOf } from './files/workbooks.support.ts';
import { writeXlsx } from './files/xlsx-write.ts';

const CONFIGURATION = {
  collections: { lab: {} },
  tokens: {
    cur: { lab: 'CURATOR' },
    ann: { lab: 'WRITE_COLLECTION' },
    sub: { lab: 'SUBMIT_ONLY' },
    reader: { lab: 'READ_CURATED' },
  },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);
const CSV = { 'content-type': 'text/csv' };

type Result = {
  rows: number;
  stored: number;
  unchanged: number;
  refused: number;
  faults: { row: number; column: string; header: string; value: string; type: string; message: string }[];
  removed: number;
  removals: { row: number; column: string; header: string; value: string }[];
};

test('good rows are stored, and each fault of the others has its cell', async () => {
  const service = await emptyService();
  const organization = { pid: 'labid:norbury', name: 'University of Norbury' };
  await service.request('POST', '/lab/curated/record/Organization', { token: 'cur', json: organization });
  const body = `pid,name,family_name,affiliations,email
labid:a,A,A,university of norbury,
labid:b,B,,Nowhere,
nix:c,C,C,,no mail
`;
  const answer = await service.request('POST', '/-/lab/table/Person', { token: 'ann', headers: CSV, body });
  assert.equal(answer.status, 200, answer.text);
  const { faults, ...counts } = answer.json<Result>();
  assert.deepEqual(counts, {
    rows: 3,
    stored: 1,
    unchanged: 0,
    refused: 2,
    removed: 0,
    removals: [],
    notes: [],
  });
  assert.deepEqual(faults.map(({ row, column, header, value }) => [row, column, header, value]).sort(), [
    [3, 'C', 'family_name', ''],
    [3, 'D', 'affiliations', 'Nowhere'],
    [4, 'A', 'pid', 'nix:c'],
    [4, 'E', 'email', 'no mail'],
  ]);
  const stored = await service.request('GET', '/lab/record?pid=labid:a', { token: 'ann' });
  assert.deepEqual(stored.json<{ affiliations: string[] }>().affiliations, ['labid:norbury']);
  const curated = await service.request('GET', '/lab/curated/record?pid=labid:a', { token: 'cur' });
  assert.equal(curated.text, 'null', 'a user stores into the own zone');
});

test('of 1,000 rows with 50 planted faults 950 are stored, and 50 faults have their cells', async () => {
  const service = await emptyService();
  const rows = Array.from({ length: 1000 }, (_, i) => [`labid:p${i}`, `P${i}`, `F${i}`, `p${i}@example.org`]);
  const planted = Array.from({ length: 50 }, (_, i) => ({ row: 3 + i * 20, column: i % 2 === 0 ? 2 : 3 }));
  for (const { row, column } of planted) rows[row - 2]![column] = column === 2 ? '' : 'no mail';
  const body = [['pid', 'name', 'family_name', 'email'], ...rows].map((row) => row.join(',')).join('\n');
  const answer = await service.request('POST', '/-/lab/curated/table/Person', {
    token: 'cur',
    headers: CSV,
    body,
  });
  const { faults, ...counts } = answer.json<Result>();
  assert.deepEqual(counts, {
    rows: 1000,
    stored: 950,
    unchanged: 0,
    refused: 50,
    removed: 0,
    removals: [],
    notes: [],
  });
  assert.deepEqual(
    faults.map(({ row, column }) => ({ row, column })),
    planted.map(({ row, column }) => ({ row, column: 'ABCD'[column] })),
  );
  const page = await service.request('GET', '/lab/curated/records/p/Person?size=1', { token: 'cur' });
  assert.equal(page.json<{ total: number }>().total, 950);
});

test('a workbook, a form of a browser, the curated area and a dry run', async () => {
  const service = await emptyService();
  const workbook = Buffer.from(
    writeXlsx([
      {
        name: 'People',
        rows: [
          ['pid', 'name', 'family_name'],
          ['labid:a', 'A', 'A'],
        ],
      },
    ]),
  );
  const dry = await service.request('POST', '/-/lab/curated/table/Person?dry_run=true', {
    token: 'cur',
    body: workbook,
  });
  assert.deepEqual(dry.json<Result>(), {
    rows: 1,
    stored: 1,
    unchanged: 0,
    refused: 0,
    faults: [],
    removed: 0,
    removals: [],
    notes: [],
  });
  assert.equal(
    (await service.request('GET', '/lab/curated/record?pid=labid:a', { token: 'cur' })).text,
    'null',
  );
  const form = Buffer.concat([
    Buffer.from('--xyz\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n'),
    Buffer.from(
      '--xyz\r\nContent-Disposition: form-data; name="file"; filename="p.xlsx"\r\nContent-Type: x/y\r\n\r\n',
    ),
    workbook,
    Buffer.from('\r\n--xyz--\r\n'),
  ]);
  const headers = { 'content-type': 'multipart/form-data; boundary=xyz' };
  const sent = await service.request('POST', '/-/lab/curated/table/Person', {
    token: 'cur',
    headers,
    body: form,
  });
  assert.deepEqual(sent.json<Result>(), {
    rows: 1,
    stored: 1,
    unchanged: 0,
    refused: 0,
    faults: [],
    removed: 0,
    removals: [],
    notes: [],
  });
  assert.equal(
    (await service.request('GET', '/lab/curated/record?pid=labid:a', { token: 'cur' })).json<{
      name: string;
    }>().name,
    'A',
  );
});

test('a template can be read by everybody who may use the collection, and stored when it is filled in', async () => {
  const service = await emptyService();
  const csv = await service.request('GET', '/-/lab/table/Person', { token: 'ann' });
  assert.equal(csv.status, 200, csv.text);
  assert.match(csv.headers['content-type'] ?? '', /^text\/csv/);
  const [header = ''] = csv.text.split('\r\n');
  const empty = await service.request('POST', '/-/lab/table/Person', {
    token: 'ann',
    headers: CSV,
    body: csv.text,
  });
  assert.deepEqual(empty.json<Result>(), {
    rows: 0,
    stored: 0,
    unchanged: 0,
    refused: 0,
    faults: [],
    removed: 0,
    removals: [],
    notes: [],
  });
  const cells = header
    .split(',')
    .map((name) => ({ 'pid*': 'labid:a', 'name*': 'A', 'family_name*': 'A' })[name] ?? '');
  const filled = await service.request('POST', '/-/lab/table/Person', {
    token: 'ann',
    headers: CSV,
    body: `${csv.text}${cells.join(',')}\r\n`,
  });
  assert.equal(filled.json<Result>().stored, 1, filled.text);
  const xlsx = await service.app.server.inject({
    url: '/-/lab/table/Person?format=xlsx',
    headers: { 'x-service-token': 'ann' },
  });
  assert.deepEqual(
    (await sheetsIn(xlsx.rawPayload)).map(({ name }) => name),
    ['Person', 'Help'],
  );
});

test('a column that is left out keeps its values, and an empty cell removes one', async () => {
  const service = await emptyService();
  const ada = {
    pid: 'labid:ada',
    name: 'Ada',
    family_name: 'Abe',
    given_name: 'Ada',
    email: 'ada@example.org',
    orcid: 'orcid:0000-0002-1000-0000',
    affiliations: ['labid:x', 'labid:y'],
  };
  const read = async (path: string, token: string) =>
    (await service.request('GET', `/lab/${path}record?pid=labid:ada`, { token })).json<
      Record<string, unknown>
    >();
  const body = 'pid,name,email,affiliations\nlabid:ada,Ada B.,,labid:z\nlabid:new,New,,\n';
  for (const [path, token, dry] of [
    ['', 'ann', '?dry_run=true'],
    ['', 'ann', ''],
    ['curated/', 'cur', ''],
  ] as const) {
    await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: ada });
    const before = await read(path, token);
    const answer = await service.request('POST', `/-/lab/${path}table/Person${dry}`, {
      token,
      headers: CSV,
      body,
    });
    const { faults, ...result } = answer.json<Result>();
    assert.deepEqual(result, {
      rows: 2,
      stored: 1,
      unchanged: 0,
      refused: 1,
      removed: 1,
      removals: [{ row: 2, column: 'C', header: 'email', value: 'ada@example.org' }],
      notes: [],
    });
    assert.deepEqual(
      faults.map(({ row, message }) => [row, message.split(':')[0]]),
      [[3, 'family_name']],
      'a new record has no values to keep',
    );
    const { email: _, ...kept } = before;
    const changed = { ...kept, name: 'Ada B.', affiliations: ['labid:z'] };
    assert.deepEqual(await read(path, token), dry ? before : changed, path + dry);
  }
});

test('columns of one object keep the others, and numbers keep their digits', async () => {
  const service = await emptyService();
  const json =
    '{"pid":"labid:p","name":"P","budget":{"amount":"1.50","currency":"CHF"},"annotations":{"labid:a":"1","labid:b":"2"}}';
  const headers = { 'content-type': 'application/json' };
  await service.request('POST', '/lab/curated/record/Project', { token: 'cur', headers, body: json });
  const post = (body: string) =>
    service.request('POST', '/-/lab/curated/table/Project', { token: 'cur', headers: CSV, body });
  const read = async () =>
    (await service.request('GET', '/lab/curated/record?pid=labid:p', { token: 'cur' })).json<
      Record<string, unknown>
    >();
  assert.equal((await post('pid,budget.amount\nlabid:p,2.50\n')).json<Result>().removed, 0);
  assert.deepEqual((await read()).budget, { amount: '2.50', currency: 'CHF' });
  const emptied = (await post('pid,budget.amount,budget.currency\nlabid:p,,\n')).json<Result>();
  assert.equal(emptied.removed, 2, JSON.stringify(emptied));
  assert.equal('budget' in (await read()), false);
});

test('a table cannot change records of many million characters at once', async () => {
  const service = await emptyService();
  for (const pid of ['labid:a', 'labid:b']) {
    const json = { pid, name: 'x'.repeat(3_000_000), family_name: 'A' };
    await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json });
  }
  const body = 'pid,given_name\nlabid:a,A\nlabid:b,B\n';
  const answer = await service.request('POST', '/-/lab/table/Person', { token: 'ann', headers: CSV, body });
  assert.equal(answer.status, 413, answer.text);
  assert.match(
    answer.text,
    /stored records have more than 5000000 characters\. Send the table in several parts/,
  );
});

test('a row for a record of another class is refused', async () => {
  const service = await emptyService();
  const json = { pid: 'labid:x', name: 'X' };
  await service.request('POST', '/lab/curated/record/Organization', { token: 'cur', json });
  const body = 'pid,name,family_name\nlabid:x,X,X\n';
  const answer = await service.request('POST', '/-/lab/curated/table/Person', {
    token: 'cur',
    headers: CSV,
    body,
  });
  const [fault] = answer.json<Result>().faults;
  assert.equal(fault?.message, 'The record is of the class Organization, and the table of the class Person.');
});

test('who may not read stores rows as they are', async () => {
  const service = await emptyService();
  const json = { pid: 'labid:a', name: 'A', family_name: 'A', email: 'a@example.org' };
  await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json });
  const body = 'pid,name,family_name\nlabid:a,A,A\n';
  const answer = await service.request('POST', '/-/lab/table/Person', { token: 'sub', headers: CSV, body });
  assert.deepEqual(answer.json<Result>(), {
    rows: 1,
    stored: 1,
    unchanged: 0,
    refused: 0,
    faults: [],
    removed: 0,
    removals: [],
    notes: [],
  });
});

test('labels are found among records that the token may read, and nowhere else', async () => {
  const service = await emptyService();
  await service.request('POST', '/lab/curated/record/Organization', {
    token: 'cur',
    json: { pid: 'labid:o', name: 'Secret' },
  });
  const body = 'pid,name,family_name,affiliations\nlabid:a,A,A,Secret\n';
  const answer = await service.request('POST', '/-/lab/table/Person', { token: 'sub', headers: CSV, body });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json<Result>().faults[0]?.type, 'reference_unknown');
});

test('who may not store is refused, and so is what is not a table', async () => {
  const service = await emptyService();
  const post = (path: string, token: string, body: string | Buffer, type = 'text/csv') =>
    service.request('POST', path, { token, body, headers: { 'content-type': type } });
  const good = 'pid,name,family_name\nlabid:a,A,A\n';
  assert.equal((await post('/-/lab/table/Person', 'reader', good)).status, 403);
  assert.equal((await post('/-/lab/curated/table/Person', 'ann', good)).status, 403);
  assert.equal((await post('/-/lab/table/Nothing', 'ann', good)).status, 404);
  assert.equal((await post('/-/lab/table/Person?drY_run=1', 'ann', good)).status, 422);
  const broken: [string, string | Buffer, string?][] = [
    ['an empty body', ''],
    ['a cut workbook', Buffer.from(writeXlsx([{ name: 'P', rows: [['pid']] }])).subarray(0, 300)],
    ['another archive', Buffer.from(zipSync({ 'a.txt': new Uint8Array(10) }))],
    [
      'a form without a file',
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n',
      'multipart/form-data; boundary=x',
    ],
    ['a form without a boundary', 'x', 'multipart/form-data'],
  ];
  for (const [name, body, type] of broken) {
    const { status, text } = await post('/-/lab/table/Person', 'ann', body, type);
    assert.equal(status, 400, `${name}: ${status} ${text}`);
  }
  const header = await post('/-/lab/table/Person', 'ann', 'pid,nome\nlabid:a,A\n');
  assert.deepEqual(
    header.json<Result>().faults.map(({ row, column, type }) => [row, column, type]),
    [[1, 'B', 'column_unknown']],
  );
});

test('what turns out not to be a table while its rows are read is refused, and none of them is stored', async () => {
  const service = await emptyService();
  const good = 'pid,name,family_name\nlabid:a,A,A\n';
  const header = '<row r="1"><c r="A1" t="str"><v>pid</v></c></row>';
  for (const [body, expected] of [
    [
      `${good}labid:b,B,"B\nlabid:c,C,C\n`,
      /Row 3, column C: the cell begins with a quote that is never closed/,
    ],
    [Buffer.from(`${good}labid:b,M\u00fcller,B\n`, 'latin1'), /not UTF-8/],
    [Buffer.from(`\ufeff${good}x`, 'utf16le').subarray(0, -1), /not UTF-16LE/],
    [
      workbookOf(`<sheetData>${header}<row r="2"><c r="ZZZZ2"><v>1</v></c></row></sheetData>`),
      /too many columns/,
    ],
    [
      workbookOf(`<sheetData>${header}<row r="99999999"><c><v>1</v></c></row></sheetData>`),
      /more than 1048576 rows/,
    ],
  ] as const) {
    const answer = await service.request('POST', '/-/lab/table/Person', { token: 'ann', headers: CSV, body });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, expected);
  }
  const stored = await service.request('GET', '/lab/record?pid=labid:a', { token: 'ann' });
  assert.equal(stored.text, 'null');
});

test('the faults of cells are reported together with those of the header', async () => {
  const service = await emptyService();
  const body = `pid,nome,family_name,email,affiliations
nix:a,A,A,no mail,Nowhere
labid:b,B,,b@example.org,
labid:c,C,C,,
`;
  const answer = await service.request('POST', '/-/lab/table/Person', { token: 'ann', headers: CSV, body });
  const { faults, stored } = answer.json<Result>();
  assert.equal(stored, 0);
  assert.deepEqual(
    faults.map(({ row, column }) => `${column}${row}`),
    ['B1', 'E2', 'A2', 'D2', 'C3'],
    answer.text,
  );
  const budget = 'pid,name,budget.amont,budget.currency\nlabid:p,P,1,CHF\n';
  const other = await service.request('POST', '/-/lab/table/Project', {
    token: 'ann',
    headers: CSV,
    body: budget,
  });
  assert.deepEqual(
    other.json<Result>().faults.map(({ row, column }) => `${column}${row}`),
    ['C1'],
    other.text,
  );
});

test('a table of too many faults is answered with the first of them', async () => {
  const service = await emptyService();
  const body = `pid,name,family_name,email,orcid\n${'x,A,A,no mail,none\n'.repeat(3334)}`;
  const answer = await service.request('POST', '/-/lab/table/Person', { token: 'ann', headers: CSV, body });
  const { faults, ...counts } = answer.json<Result>();
  assert.deepEqual(counts, {
    rows: 3334,
    stored: 0,
    unchanged: 0,
    refused: 3334,
    removed: 0,
    removals: [],
    notes: [],
  });
  assert.equal(faults.length, 10_001);
  assert.deepEqual(faults.at(-1), {
    row: 3335,
    column: '',
    header: '',
    value: '',
    type: 'more_problems',
    message: '2 more faults are not listed.',
  });
});

test('a table that is larger than a request may send is refused with the limit', async () => {
  const service = await emptyService();
  const row = (_: unknown, i: number) => `<row><c r="XFD${i + 1}"><v>1</v></c></row>`;
  const wide = `<sheetData>${Array.from({ length: 7 }, row).join('')}</sheetData>`;
  const strings = archiveOf({ ...partsOf('<sheetData/>'), 'xl/sharedStrings.xml': ' '.repeat(9 * 2 ** 20) });
  for (const [body, expected] of [
    [`pid,name,family_name\n${'x,A,A\n'.repeat(5001)}`, /more than 5000 rows/],
    [`pid,affiliations\nlabid:a,${'labid:b|'.repeat(100_000)}\n`, /more than 100000 values/],
    [`pid,name\nlabid:a,${'x'.repeat(2_000_000)}\n`, /more than 2000000 characters/],
    [workbookOf(wide), /more than 100000 values/],
    [strings, /unpacks to more than 8 MiB/],
  ] as const) {
    const answer = await service.request('POST', '/-/lab/table/Person', { token: 'ann', headers: CSV, body });
    assert.equal(answer.status, 413, answer.text);
    assert.match(answer.text, expected);
    assert.match(answer.text, /Send the table in several parts\./);
  }
});

test('a fault has at most 200 characters of its cell', async () => {
  const service = await emptyService();
  const body = `pid,name,family_name,email,affiliations\nlabid:a,A,A,${'x'.repeat(1000)},${'y'.repeat(1000)}\n`;
  const answer = await service.request('POST', '/-/lab/table/Person', { token: 'ann', headers: CSV, body });
  const { faults } = answer.json<Result>();
  assert.deepEqual(faults.map(({ column, value }) => [column, value]).sort(), [
    ['D', `${'x'.repeat(199)}…`],
    ['E', `${'y'.repeat(199)}…`],
  ]);
  for (const { message } of faults) assert.ok(message.length < 300, message);
});

test('a row that changes nothing is not stored again, in any area, and so is no submission', async () => {
  const service = await emptyService();
  const ada = { pid: 'labid:ada', name: 'Ada', family_name: 'Abe', email: 'ada@example.org' };
  await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: ada });
  const revision = async () =>
    (await service.request('GET', '/lab/records/p/Person', { token: 'cur' })).headers['accession-revision'];
  const body = 'pid,name,family_name\nlabid:ada,Ada,Abe\nlabid:b,Bo,\n';
  for (const [path, token] of [
    ['', 'ann'],
    ['curated/', 'cur'],
  ]) {
    const before = await revision();
    for (const dry of ['?dry_run=true', '']) {
      const answer = await service.request('POST', `/-/lab/${path}table/Person${dry}`, {
        token,
        headers: CSV,
        body,
      });
      const { faults: _, ...counts } = answer.json<Result>();
      const expected = { rows: 2, stored: 0, unchanged: 1, refused: 1, removed: 0, removals: [], notes: [] };
      assert.deepEqual(counts, expected, path + dry);
    }
    assert.equal(await revision(), before, path);
  }
  const zone = await service.request('GET', '/lab/incoming/ann/records/', { token: 'cur' });
  assert.deepEqual(zone.json(), []);
  const replaced = await service.request('POST', '/-/lab/curated/table/Person?replace=true&details=true', {
    token: 'cur',
    headers: CSV,
    body,
  });
  const { stored, unchanged, removed, items } = replaced.json<Result & { items: { outcome: string }[] }>();
  assert.deepEqual({ stored, unchanged, removed }, { stored: 1, unchanged: 0, removed: 1 });
  assert.deepEqual(
    items.map(({ outcome }) => outcome),
    ['changed', 'refused'],
  );
});

test('details list every row: what it changes, what is new, what is refused, and what no slot belongs to', async () => {
  const service = await emptyService();
  const ada = { pid: 'labid:ada', name: 'Ada', family_name: 'Abe', email: 'ada@example.org' };
  await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: ada });
  const send = (body: string, query = '') =>
    service.request('POST', `/-/lab/table/Person?details=true${query}`, { token: 'ann', headers: CSV, body });
  const rows = 'labid:ada,Ada,Abel,,\nlabid:b,Bo,Bo,,\nlabid:c,Cy,,,\n';
  const { columns, items } = (
    await send(`pid,name,Family name,email,! note\n${rows}`, '&dry_run=true')
  ).json<{
    columns: object[];
    items: { row: number; outcome: string; changes: object[] }[];
  }>();
  assert.deepEqual(columns, [
    { header: 'pid', slot: 'pid' },
    { header: 'name', slot: 'name' },
    { header: 'Family name', slot: 'family_name' },
    { header: 'email', slot: 'email' },
    { header: '! note', slot: null },
  ]);
  assert.deepEqual(
    items.map(({ row, outcome, changes }) => ({ row, outcome, changes })),
    [
      {
        row: 2,
        outcome: 'changed',
        changes: [
          { column: 'C', header: 'Family name', before: 'Abe', after: 'Abel' },
          { column: 'D', header: 'email', before: 'ada@example.org', after: '' },
        ],
      },
      { row: 3, outcome: 'new', changes: [] },
      { row: 4, outcome: 'refused', changes: [] },
    ],
  );
  const unread = (await send(`pid,nix\n${rows}`, '&dry_run=true')).json<{ items: { outcome: string }[] }>();
  assert.deepEqual(new Set(unread.items.map(({ outcome }) => outcome)), new Set(['unread']));
  const stored = await send(`pid,name,Family name,email\n${rows}`, '&batch=autumn&message=Please');
  assert.equal(stored.json<{ stored: number }>().stored, 2, stored.text);
  const { database, zones } = service.app.registry.collection('lab');
  const [zone] = await zones.areas();
  const entries = await (await database.area(zone!.path)).entries({ newestFirst: true, limit: 2 });
  assert.deepEqual(
    entries.map(({ batch, message }) => [batch, message]),
    [
      ['autumn', 'Please'],
      ['autumn', 'Please'],
    ],
  );
});

test('a table is read as its parameters say: sheet, header row, encoding, decimal comma, dates', async () => {
  const service = await emptyService();
  const send = (className: string, query: string, body: Buffer | string) =>
    service.request('POST', `/-/lab/curated/table/${className}?${query}`, {
      token: 'cur',
      headers: CSV,
      body,
    });
  const book = Buffer.from(
    writeXlsx([
      { name: 'Notes', rows: [['nothing']] },
      { name: 'P', rows: [['Our people'], ['pid', 'name', 'family_name'], ['labid:a', 'A', 'A']] },
    ]),
  );
  const sheet = await send('Person', 'sheet=P&header_row=2', book);
  assert.deepEqual([sheet.json<Result>().stored, sheet.json<Result>().refused], [1, 0], sheet.text);
  const missing = await send('Person', 'sheet=Q', book);
  assert.match(missing.text, /no sheet \\"Q\\", only Notes, P/);
  const latin = Buffer.from('pid;name;family_name\nlabid:m;M\xfcller;M\xfcller\n', 'latin1');
  assert.equal((await send('Person', 'dry_run=true', latin)).status, 400);
  assert.equal((await send('Person', 'encoding=windows-1252', latin)).json<Result>().stored, 1);
  const project = 'pid;name;started;budget.amount;budget.currency\nlabid:p;P;3.4.2025;1.000,50;EUR\n';
  assert.equal((await send('Project', '', project)).json<Result>().stored, 0);
  const read = await send('Project', 'decimal_comma=true&dates=dmy', project);
  assert.equal(read.json<Result>().stored, 1, read.text);
  const found = await service.request('GET', '/lab/curated/record?pid=labid:p', { token: 'cur' });
  assert.match(found.text, /"1000\.50".*"2025-04-03"/);
  assert.equal((await send('Project', 'dates=ymd', project)).status, 422);
});

test('rows replace whole records if the request says so', async () => {
  const service = await emptyService();
  const ada = { pid: 'labid:ada', name: 'Ada', family_name: 'Abe', email: 'ada@example.org' };
  await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: ada });
  const body = 'pid,name,family_name\nlabid:ada,Ada,Abe\n';
  const send = (query: string) =>
    service.request('POST', `/-/lab/curated/table/Person?${query}`, { token: 'cur', headers: CSV, body });
  assert.equal((await send('')).json<Result>().removed, 0);
  assert.deepEqual((await send('replace=true')).json<Result>().removals, [
    { row: 2, column: '', header: 'email', value: 'ada@example.org' },
  ]);
  const found = await service.request('GET', '/lab/curated/record?pid=labid:ada', { token: 'cur' });
  assert.doesNotMatch(found.text, /email/);
});

test('a table is read, compared with stored records and checked in threads, however short it is', async () => {
  const service = await emptyService();
  const body = 'pid,name,family_name,affiliations\nlabid:a,A,A,Norbury\nlabid:b,B,,\nlabid:c,C,C,Nowhere\n';
  const json = { pid: 'labid:norbury', name: 'Norbury' };
  await service.request('POST', '/lab/curated/record/Organization', { token: 'cur', json });
  const { answer, tasks } = await observed(service, () =>
    service.request('POST', '/-/lab/table/Person', {
      token: 'ann',
      body,
      headers: { 'content-type': 'text/csv' },
    }),
  );
  const { rows, stored } = answer.json<{ rows: number; stored: number }>();
  assert.deepEqual([rows, stored], [3, 1], answer.text);
  // Rows, labels, records.
  assert.equal(tasks, 3);
});

test('a row of a table may refer by label to a row that refers by label itself', async () => {
  const service = await emptyService();
  const body = 'pid,name,part_of\nlabid:a,A,B\nlabid:b,B,C\nlabid:c,C,\n';
  const answer = await service.request('POST', '/-/lab/table/Organization', {
    token: 'ann',
    body,
    headers: { 'content-type': 'text/csv' },
  });
  assert.equal(answer.json<{ stored: number }>().stored, 3, answer.text);
});

test('a number is not a time', async () => {
  const service = await emptyService();
  const body = 'pid,name,calibrated\nlabid:j,J,2024\n';
  const sent = await service.request('POST', '/-/lab/curated/table/Instrument', {
    token: 'cur',
    headers: CSV,
    body,
  });
  assert.equal(sent.json<Result>().refused, 1, sent.text);
});

test('a table names the revision that it has made', async () => {
  const service = await emptyService();
  const body = 'pid,name,family_name\nlabid:t,t,t\n';
  const before = await service.request('GET', '/lab/records/p/', { token: 'cur' });
  const sent = await service.request('POST', '/-/lab/curated/table/Person', {
    token: 'cur',
    headers: CSV,
    body,
  });
  const numbers = [before, sent].map(({ headers }) => Number(headers['accession-revision']));
  assert.equal(numbers[1], numbers[0]! + 1);
});

test('encodings are described as they are accepted', async () => {
  const service = await emptyService();
  const values = ['utf-8', 'latin1', '', 'x'.repeat(50)];
  await assertDescribed(service, 'ann', [['/-/lab/table/{class}', 'post', 'encoding', values]]);
});
