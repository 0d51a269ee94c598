/** The spreadsheet door: templates, imports with faults by cell, round trips. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { strFromU8, unzipSync, zipSync } from 'fflate';
import { canonicalJson, type JsonObject } from '#linkml/json.ts';
import { anyCharacter } from '#linkml-test/any-character.ts';
import { curated } from '../../../examples/laboratory/records.ts';
import { LABORATORY, scratch } from '../../../test/cli/accession.ts';
import { longTest, test } from '../../../test/support/tier.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { csvRow, plainCell, readCsv } from './files/csv.ts';
import { columnLetters } from './files/limits.ts';
import { columnIndex, tableOf, textRows } from './files/table.ts';
import { archiveOf, cellsIn, partsOf, sheetsIn, stylesOf, workbookOf } from './files/workbooks.support.ts';
import { writeXlsx } from './files/xlsx-write.ts';
import { readCell, writeCell } from './rows/cells.ts';
import { columnsOf, headerOf } from './rows/columns.ts';
import { readTables } from './rows/read-table.ts';
import { type ReadOptions, readRows, rowReader, writeRow } from './rows/rows.ts';
import { csvTemplate, xlsxTemplate } from './rows/template.ts';

const schema = await openSchema(LABORATORY);

/** The rows of a CSV text. */
function rowsOf(csv: string, className: string, options: Partial<ReadOptions> = {}) {
  return [...readRows(tableOf(textRows([...readCsv(csv)])), { schema, className, ...options })];
}

test('CSV is read as spreadsheet programs write it', () => {
  assert.deepEqual(
    [...readCsv('a,"b ""c"", d"\r\n"x\ny",\r\n')],
    [
      ['a', 'b "c", d'],
      ['x\ny', ''],
    ],
  );
  assert.deepEqual(
    [...readCsv('\ufeffa;b\n1,5;2')],
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  );
  assert.throws(
    () => [...readCsv('pid,name\nx:1,"a\nx:2,b\nx:3,"c\n')],
    /^Error: Row 2, column B: the cell begins with a quote and has text behind the closing one; double quotes that/,
  );
  assert.deepEqual([...readCsv('"a" ,a"b,"a""b"')], [['a ', 'a"b', 'a"b']]);
  assert.throws(
    () => [...readCsv('a\tb\n"never closed')],
    /^Error: Row 2, column A: the cell begins with a quote that is never closed\.$/,
  );
  assert.deepEqual([...readCsv('')], []);
});

test('any rows survive CSV, and any texts survive XLSX', async () => {
  const hostile = fc.constantFrom('_x000D_', '_x005F_x0041_', '\r', '\n', '\x01', '\uffff', '\ud800', '_');
  const cell = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(hostile).map((parts) => parts.join('')),
  );
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(rows, (table) => {
      // The separator is recognized from the first line.
      const all = [['h1', 'h2'], ...table];
      const read = [...readCsv(all.map((row) => csvRow(row)).join(''))].map((row) => row.map(plainCell));
      assert.deepEqual(read, all);
    }),
  );
  await fc.assert(
    fc.asyncProperty(rows, async (table) => {
      const [sheet] = await sheetsIn(writeXlsx([{ name: 'S', rows: table }]));
      const trimmed = (cells: readonly string[]) =>
        cells.slice(0, cells.findLastIndex((one) => one !== '') + 1);
      const read = [...(sheet?.rows ?? [])].map(({ cells }) => trimmed(cells));
      // Empty rows at the end of a sheet are not rows.
      const rows = table.map(trimmed);
      assert.deepEqual(read, rows.slice(0, rows.findLastIndex((cells) => cells.length > 0) + 1));
    }),
    { numRuns: 50 },
  );
});

test('any text survives a cell, also beside others', () => {
  const range = { kind: 'any' } as const;
  const string = columnsOf(schema, 'Person').find(({ path }) => path[0] === 'name')!.value;
  const context = { isPid: () => true, findLabel: () => [] };
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.boolean(), (text, multivalued) => {
      const column = { ...string, multivalued };
      const value = multivalued ? [text, 'x', text] : text;
      assert.deepEqual(readCell(writeCell(value, column), column, context), value);
    }),
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.parse(JSON.stringify(value));
      if (json === null) return;
      const column = { range, multivalued: false };
      assert.deepEqual(
        canonicalJson(readCell(writeCell(json, column), column, context) as never),
        canonicalJson(json),
      );
    }),
  );
});

test('a backslash is itself, unless a | or a blank at the edge follows', () => {
  const value = columnsOf(schema, 'Person').find(({ path }) => path[0] === 'name')!.value;
  const context = { isPid: () => true, findLabel: () => [] };
  const read = (text: string, multivalued = false) => readCell(text, { ...value, multivalued }, context);
  for (const text of ['a\\ b', '\\\\server\\share', 'C:\\new\\', '\\d+\\e'])
    assert.deepEqual([read(text), writeCell(text, value)], [text, text]);
  assert.deepEqual(read(' a\\|b ', true), ['a|b']);
  assert.deepEqual(read('a\\\\|b\\ ', true), ['a\\', 'b ']);
  assert.deepEqual([read('\\e'), read('\\\\e'), read('\\ a')], ['', '\\e', ' a']);
  const backslashes = fc.string({ unit: fc.constantFrom('\\', '|', ' ', 'e', 'x') });
  fc.assert(
    fc.property(fc.array(backslashes, { minLength: 1 }), (all) => {
      const column = { ...value, multivalued: true };
      assert.deepEqual(readCell(writeCell(all, column), column, context), all);
    }),
  );
});

test('the columns of spreadsheets are counted as they do', () => {
  assert.deepEqual([0, 25, 26, 701, 702].map(columnLetters), ['A', 'Z', 'AA', 'ZZ', 'AAA']);
  for (const index of [0, 25, 26, 700, 16_383]) assert.equal(columnIndex(columnLetters(index)), index);
});

test('a template has a column for each slot, required ones marked, and can be read', async () => {
  const [header = [], help = []] = [...readCsv(csvTemplate(schema, 'Project'))];
  assert.ok(header.includes('name*') && header.includes('budget.amount'), header.join());
  assert.ok(help[0]?.startsWith('# '));
  assert.match(help[header.indexOf('project_status')] ?? '', /one of planned, running, completed, cancelled/);
  assert.deepEqual(rowsOf(csvTemplate(schema, 'Project'), 'Project'), []);

  const bytes = xlsxTemplate(schema, 'Project');
  const [tables] = await readTables(bytes, 'xlsx', schema);
  assert.deepEqual([tables?.className, tables?.table.header], ['Project', header]);
  const sheet = strFromU8(unzipSync(bytes)['xl/worksheets/sheet1.xml'] as Uint8Array);
  assert.match(
    sheet,
    /type="list"[^>]*sqref="\w+2:\w+1048576"><formula1>"planned,running,completed,cancelled"/,
  );
});

test('records of every class survive CSV and XLSX', async () => {
  for (const [className, all] of Map.groupBy(curated, (one) => one.className)) {
    const columns = columnsOf(schema, className);
    const records = all.map(({ record }) => {
      const checked = schema.check(className, record as JsonObject);
      assert.ok(checked.valid);
      return checked.record;
    });
    const rows = [columns.map(headerOf), ...records.map((record) => writeRow(record, columns))];
    const [sheet] = await readTables(writeXlsx([{ name: className, rows }]), 'xlsx', schema);
    for (const table of [
      tableOf(textRows([...readCsv(rows.map((row) => csvRow(row)).join(''))])),
      sheet!.table,
    ]) {
      const read = [...readRows(table, { schema, className })];
      assert.deepEqual(
        read.flatMap(({ faults }) => faults),
        [],
      );
      const again = read.map(({ record }) => schema.check(className, record as JsonObject));
      assert.deepEqual(
        again.map((one) => one.valid && canonicalJson(one.record)),
        records.map(canonicalJson),
      );
    }
  }
});

test('of 1,000 rows with 50 planted faults 950 are records, and each fault has its cell and cause', () => {
  const header = ['pid', 'name', 'family_name', 'email', 'affiliations', 'orcid'];
  const rows = Array.from({ length: 1000 }, (_, i) => [
    `labid:p${i}`,
    `Person ${i}`,
    `Family ${i}`,
    `p${i}@example.org`,
    'labid:organization-a|labid:organization-b',
    '',
  ]);
  const plant: [column: number, value: string, type: RegExp][] = [
    [0, '', /required|missing/],
    [2, '', /required|missing/],
    [3, 'nowhere', /pattern/],
    [4, 'labid:organization-a|No Such Place', /reference_unknown/],
    [4, 'Twin', /reference_ambiguous/],
    [0, 'nix:p', /prefix|curie|uri/],
    [0, 'labid:p0', /pid_repeated/],
    [5, 'no orcid', /.*/],
  ];
  const planted = new Map<string, RegExp>();
  for (let i = 0; i < 50; i += 1) {
    const [column, value, type] = plant[i % plant.length]!;
    rows[10 + i * 19]![column] = value;
    planted.set(`${columnLetters(column)}${10 + i * 19 + 2}`, type);
  }
  const findLabel = (label: string) =>
    label === 'Twin' ? ['labid:organization-a', 'labid:organization-b'] : [];
  const read = rowsOf([header, ...rows].map((row) => csvRow(row)).join(''), 'Person', { findLabel });
  assert.equal(read.filter(({ record }) => record).length, 950);
  const faults = read.flatMap((row) => row.faults);
  assert.equal(faults.length, 50, JSON.stringify(faults.slice(0, 3)));
  for (const { row, column, type, message, header: name, value } of faults) {
    const expected = planted.get(`${column}${row}`);
    assert.ok(expected, `${column}${row} ${message}`);
    assert.match(type, expected, `${column}${row} ${message}`);
    assert.equal(header[columnIndex(column)], name);
    assert.equal(rows[row - 2]![columnIndex(column)], value);
  }
});

test('references by label, of the pid spelling or the label, are resolved', () => {
  const findLabel = (label: string) => (label === 'Norbury' ? ['labid:organization-norbury'] : []);
  const csv = 'pid,name,family_name,affiliations\nlabid:a,A,A,Norbury | labid:x\n';
  const [row] = rowsOf(csv, 'Person', { findLabel });
  assert.deepEqual(row?.record?.affiliations, ['labid:organization-norbury', 'labid:x']);
});

test('columns are recognized by name and in any case; an unknown one is an error of the header', () => {
  const [row] = rowsOf('PID,Name*,family_name,!note\nlabid:a,A,A,x\n', 'Person');
  assert.deepEqual(row?.record, { pid: 'labid:a', name: 'A', family_name: 'A' });
  const [unknown, ...none] = rowsOf('pid,name,famly_name\nlabid:a,A,A\n', 'Person');
  assert.deepEqual(none, []);
  assert.deepEqual(
    unknown?.faults.map(({ row: number, column, message }) => [number, column, message]),
    [[1, 'C', 'The class Person has no slot "famly_name". Did you mean family_name?']],
  );
  assert.match(
    rowsOf('pid,name,name\n', 'Person')[0]?.faults[0]?.message ?? '',
    /columns B and C are both for name/,
  );
});

test('values of nested columns make one object; keys of mappings are columns too', () => {
  const csv = 'pid,name,budget.amount,budget.currency,annotations.ex:a.b\nlabid:p,P,100.50,CHF,x\n';
  const [row] = rowsOf(csv, 'Project');
  assert.deepEqual(row?.record?.budget, { amount: '100.50', currency: 'CHF' });
  assert.deepEqual(row?.record?.annotations, { 'ex:a.b': 'x' });
});

test('cells that a spreadsheet program typed are read as people see them', async (t) => {
  const folder = scratch(t);
  const file = join(folder, 'typed.xlsx');
  writeFileSync(file, typedWorkbook());
  const [sheet] = await sheetsIn(readFileSync(file));
  assert.deepEqual(
    [...(sheet?.rows ?? [])].map(({ cells }) => cells),
    [
      ['shared text', '3', '0.1', 'true', '2024-02-29', '2024-02-29T12:30:00', 'inline'],
      [],
      ['', 'third row'],
    ],
  );
});

test('a formula without a result and an error are faults of their cells; an empty string is a result', async () => {
  const row = (number: number, cells: string) => `<row r="${number}">${cells}</row>`;
  const text = (at: string, value: string) => `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
  const header = ['pid', 'name', 'family_name', 'email']
    .map((name, i) => text(`${'ABCD'[i]}1`, name))
    .join('');
  const person = (n: number) => text(`A${n}`, `labid:p${n}`) + text(`B${n}`, 'P') + text(`C${n}`, 'P');
  const rows = [
    row(1, header),
    row(2, `${person(2)}<c r="D2"><f>A1</f><v></v></c>`),
    row(3, `${person(3)}<c r="D3" t="e"><f>1/0</f><v>#DIV/0!</v></c>`),
    row(4, `${person(4)}<c r="D4" t="str"><f>""</f><v></v></c>`),
  ];
  const [one] = await readTables(workbookOf(`<sheetData>${rows.join('')}</sheetData>`), 'xlsx', schema);
  const read = [...readRows(one!.table, { schema, className: 'Person' })];
  const faults = read.flatMap((result) =>
    result.faults.map(({ row, column, message }) => `${column}${row} ${message}`),
  );
  assert.equal(faults.length, 2);
  assert.match(faults[0]!, /^D2 The formula has no saved result\. /);
  assert.equal(faults[1], 'D3 The cell has the error #DIV/0!.');
  assert.equal(read[2]?.record?.email, undefined);
  assert.equal(read[2]?.record?.pid, 'labid:p4');
});

test('a row keeps what has no column, and replaces the record only if asked', () => {
  const table = () =>
    tableOf(
      textRows([
        ['pid', 'name'],
        ['labid:a', 'B'],
      ]),
    );
  const stored = () => ({
    pid: 'labid:a',
    name: 'A',
    organization_kind: 'university',
    schema_type: 'schema:Organization',
  });
  const read = (replace: boolean) => {
    const { rows } = table();
    const [row] = rows;
    return rowReader(table(), { schema, className: 'Organization', replace }).read(row!, stored());
  };
  assert.deepEqual(read(false).record, { ...stored(), name: 'B' });
  const replaced = read(true);
  assert.deepEqual(replaced.record, { pid: 'labid:a', name: 'B', schema_type: 'schema:Organization' });
  assert.deepEqual(replaced.removed, [
    { row: 2, column: '', header: 'organization_kind', value: 'university' },
  ]);
});

longTest('a file has at most the rows of a spreadsheet, and few empty cells before others', async () => {
  assert.throws(() => [...readCsv('\n'.repeat(1_048_577))], /more than 1048576 rows/);
  const rows = Array.from({ length: 1300 }, (_, i) => `<row><c r="XFD${i + 1}"><v>1</v></c></row>`);
  const sheet = `<sheetData>${rows.join('')}</sheetData>`;
  await assert.rejects(sheetsIn(workbookOf(sheet)), /too many empty cells/);
});

test('a number of a workbook has the digits of the file, without the noise of sums', async () => {
  const numbers = [
    '0.30000000000000004',
    '1234567890.1200001',
    '12345678901234.56',
    '12345678901230.04',
    '3.0',
  ];
  const cells = numbers.map((text) => `<c><v>${text}</v></c>`).join('');
  const [row] = await cellsIn(workbookOf(`<sheetData><row>${cells}</row></sheetData>`));
  assert.deepEqual(row, ['0.3', '1234567890.12', '12345678901234.56', '12345678901230.04', '3']);
});

test('cells have the columns that they stand in, also behind empty ones, and their text without phonetic hints', async () => {
  const phonetic =
    '<row><c t="inlineStr"><is><r><t>東</t></r><rPh sb="0" eb="1"><t>ヒガシ</t></rPh></is></c></row>';
  assert.deepEqual(await cellsIn(workbookOf(`<sheetData>${phonetic}</sheetData>`)), [['東']]);
  const row = '<row><c/><c><v>1</v></c><c s="1"/><c><v>2</v></c><c r="G1"/><c><v>3</v></c></row>';
  const [cells] = await cellsIn(workbookOf(`<sheetData>${row}</sheetData>`));
  assert.deepEqual(cells, ['', '1', '', '2', '', '', '', '3']);
});

test('a workbook without the text of a cell is damaged, and a cell without a value is empty', async () => {
  const cells = (row: string) =>
    cellsIn(
      workbookOf(`<sheetData><row>${row}</row></sheetData>`, {
        'xl/sharedStrings.xml': '<sst><si><t>first</t></si></sst>',
      }),
    );
  const row = '<c t="s"><v>0</v></c><c t="s"><v></v></c>';
  assert.deepEqual(await cells(`${row}<c><v>1</v></c>`), [['first', '', '1']]);
  await assert.rejects(cells(`${row}<c t="s"><v>7</v></c>`), /damaged/);
});

test('the parts of a workbook are found by their relations, whatever they are called', async () => {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
  const { '[Content_Types].xml': types, 'xl/workbook.xml': workbook } = partsOf('');
  for (const target of ['one.xml', './one.xml', '/book/one.xml', '../book/one.xml', 'x/../one.xml']) {
    const parts = {
      '[Content_Types].xml': types
        .replace('xl/workbook.xml', 'book/main.xml')
        .replace('xl/sharedStrings.xml', 'book/texts.xml')
        .replace('xl/styles.xml', 'book/styles.xml')
        .replace('xl/worksheets/sheet1.xml', 'book/one.xml'),
      '_rels/.rels': `<Relationships>${relation('r1', 'officeDocument', '/book/main.xml')}</Relationships>`,
      'book/main.xml': workbook,
      'book/_rels/main.xml.rels': `<Relationships>${relation('r1', 'worksheet', target)}</Relationships>`,
      'book/one.xml': '<worksheet><sheetData><row><c t="s"><v>0</v></c></row></sheetData></worksheet>',
      'BOOK/Texts.xml': '<sst><si><t>text</t></si></sst>',
      'book/styles.xml': '<styleSheet/>',
    };
    assert.deepEqual(await cellsIn(archiveOf(parts)), [['text']], target);
  }
});

test('a workbook that is damaged is refused as a whole, and no row of it is lost', async () => {
  const whole = writeXlsx([{ name: 'S', rows: [['pid'], ['labid:a']] }]);
  assert.deepEqual(await cellsIn(whole), [['pid'], ['labid:a']]);
  const refuses = (bytes: Uint8Array, expected: RegExp) => assert.rejects(sheetsIn(bytes), expected);
  for (let length = 30; length < whole.length; length += 31)
    await refuses(whole.subarray(0, length), /not a workbook/);
  // Stored without compression, other letters would be read.
  const changed = zipSync(unzipSync(whole), { level: 0 });
  changed.set(Buffer.from('labid:b'), Buffer.from(changed).indexOf('labid:a'));
  await refuses(changed, /damaged/);
  const { 'xl/worksheets/sheet1.xml': _, ...others } = unzipSync(whole);
  await refuses(zipSync(others), /the sheet "S" cannot be read/);
  await refuses(workbookOf('<sheetData><row><c><v>1</v></c></row>'), /breaks off/);
  const ods = { 'content.xml': Buffer.from('<table:table table:name="S"><table:table-row/>') };
  await refuses(zipSync(ods), /breaks off/);
});

test('a pid is repeated in whatever form it is written, and beside a row that is refused', () => {
  const iri = 'https://example.org/laboratory/id/a';
  const rows = rowsOf(`pid,name,family_name\nlabid:a,A,\n${iri},A,A\nlabid:a,,A\n`, 'Person');
  assert.deepEqual(
    rows.map(({ record, faults }) => [record, faults.map(({ column, type }) => `${column} ${type}`)]),
    [
      [undefined, ['C missing']],
      [undefined, ['A pid_repeated']],
      [undefined, ['B missing', 'A pid_repeated']],
    ],
  );
});

test('what is not a workbook is one sentence', async () => {
  await assert.rejects(sheetsIn(new TextEncoder().encode('hello')), /not a workbook/);
  await assert.rejects(sheetsIn(new Uint8Array()), /not a workbook/);
});

/** A workbook as other programs write it: shared strings, numbers, a boolean, dates by style. */
function typedWorkbook(): Uint8Array {
  return workbookOf(
    '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><v>3</v></c><c r="C1"><v>0.10000000000000001</v></c><c r="D1" t="b"><v>1</v></c><c r="E1" s="1"><v>45351</v></c><c r="F1" s="2"><v>45351.520833333336</v></c><c r="G1" t="inlineStr"><is><t>inline</t></is></c></row><row r="3"><c r="B3" t="str"><f>"third "&amp;"row"</f><v>third row</v></c></row></sheetData>',
    {
      ...stylesOf('d/m/yyyy', 'yyyy\\-mm\\-dd hh:mm'),
      'xl/sharedStrings.xml':
        '<sst><si><r><t>shared </t></r><r><t>text</t></r><rPh><t>no</t></rPh></si></sst>',
    },
  );
}
