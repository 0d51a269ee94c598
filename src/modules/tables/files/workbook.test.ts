/** What cells of workbooks mean, and what is written comes back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Numeral } from '#linkml/json.ts';
import { openSchemaText } from '../../../core/schema/schema.ts';
import { columnsOf, headerOf } from '../rows/columns.ts';
import { readTables } from '../rows/read-table.ts';
import { readRows, writeRow } from '../rows/rows.ts';
import { numberText } from './numbers.ts';
import { typedCell } from './typed-cells.ts';
import { cellsIn, sheetsIn, stylesOf, workbookOf } from './workbooks.support.ts';
import { CellTooLong, writeXlsx } from './xlsx-write.ts';

const SCHEMA = `
id: https://example.org/s
name: s
prefixes: {linkml: https://w3id.org/linkml/, ex: https://example.org/}
default_prefix: ex
imports: [linkml:types]
classes:
  Thing:
    attributes:
      pid: {identifier: true, range: uriorcurie, required: true}
      text: {range: string}
      count: {range: integer}
      size: {range: double}
      amount: {range: decimal}
      flag: {range: boolean}
      day: {range: date}
      at: {range: datetime}
      when: {range: date_or_datetime}
      clock: {range: time}
      texts: {range: string, multivalued: true}
  ALongClassNameOfWhichSheetsCanOnlyHaveTheBeginning1: {is_a: Thing}
  ALongClassNameOfWhichSheetsCanOnlyHaveTheBeginning2: {is_a: Thing}
  History: {is_a: Thing}
  Help: {is_a: Thing}
`;
const schema = await openSchemaText(SCHEMA, 'schema.yaml');

type FormattedCell = { readonly slot: string; readonly cell: string; readonly format?: string };

/** What slots have of the cells of one workbook, each in a row of its own, or why they have nothing. */
async function slotValues(cells: readonly FormattedCell[]): Promise<unknown[]> {
  const slots = [...new Set(cells.map(({ slot }) => slot))];
  const text = (value: string) => `<c t="str"><v>${value}</v></c>`;
  const rows = cells.map(({ slot, cell }, at) => {
    const place = `${'BCDEFGHIJ'.charAt(slots.indexOf(slot))}${at + 2}`;
    const placed = cell.replace('<c', `<c r="${place}"`).replace('s="1"', `s="${at + 1}"`);
    return `<row r="${at + 2}">${text(`ex:${at}`)}${placed}</row>`;
  });
  const header = `<row r="1">${['pid', ...slots].map(text).join('')}</row>`;
  const styles = stylesOf(...cells.map(({ format = 'General' }) => format));
  const workbook = workbookOf(`<sheetData>${header}${rows.join('')}</sheetData>`, styles);
  const [one] = await readTables(workbook, 'xlsx', schema);
  const read = [...readRows(one!.table, { schema, className: 'Thing' })];
  assert.equal(read.length, cells.length);
  return read.map(({ record, faults }, at) => {
    if (!record) return faults[0]?.message;
    const checked = schema.check('Thing', record);
    assert.ok(checked.valid);
    return checked.record[cells[at]!.slot];
  });
}

async function slotValue(slot: string, cell: string): Promise<unknown> {
  const [value] = await slotValues([{ slot, cell }]);
  return value;
}

const number = (value: number | string) => `<c s="1"><v>${value}</v></c>`;

test('the format of a cell decides what its number is for a slot', async () => {
  const cases = [
    ['text', 2138, '00000', '02138'],
    ['text', 123456789, '000-00-0000', '123-45-6789'],
    ['text', 5551234567, '[<=9999999]###-####;(###) ###-####', '(555) 123-4567'],
    ['text', 5, '000.00', '005.00'],
    ['text', -5, '00000.00', '-00005.00'],
    ['text', 2138, '[$-407]00000', '02138'],
    ['text', 45352, '*d0', '45352'],
    ['text', 45352, '"aaaa"0', '45352'],
    ['text', 1234, '#,##0', '1,234'],
    ['text', 2.54321, '0.00', '2.54321'],
    ['text', 0.5, '0%', '0.5'],
    ['text', 5, '0 "days"', '5'],
    ['text', 12, '0_D_M', '12'],
    ['text', 1234.5, '[Red]General', '1234.5'],
    ['count', 2138, '00000', 2138],
    ['amount', 1000.5, '0.00', '1000.50'],
    ['amount', 5.25, '000.000', '5.250'],
    ['amount', 1234.5, '#,##0.00', '1234.5'],
    ['amount', 0.1 + 0.2, 'General', '0.3'],
    ['size', Math.PI, 'General', Math.PI],
    ['flag', 1, '"TRUE";"TRUE";"FALSE"', true],
    ['flag', 0, '"Yes";"Yes";"No"', false],
    ['clock', 0, 'h:mm', '00:00:00'],
    ['clock', 0.4375, '[$-F400]h:mm:ss AM/PM', '10:30:00'],
    ['clock', 45352.4375, 'h:mm', '10:30:00'],
    ['clock', 45352, 'yyyy-mm-dd hh:mm', '00:00:00'],
    ['day', 45352, 'mmm yy', '2024-03-01'],
    ['day', 45352, '[$-804]aaaa', '2024-03-01'],
    ['day', 45352, '[$-411]ggge"年"m"月"d"日"', '2024-03-01'],
    ['when', 45352.25, 'd/m/yy h:mm', '2024-03-01T06:00:00'],
    ['when', 1, 'yyyy-mm-dd', '1900-01-01'],
  ] as const;
  const found = await slotValues(
    cases.map(([slot, value, format]) => ({ slot, cell: number(value), format })),
  );
  for (const [at, [slot, value, format, expected]] of cases.entries())
    assert.deepEqual(found[at], expected, `${slot} ${value} ${format}`);
});

test('cells without a value are faults: durations, days that do not exist, errors, words as booleans', async () => {
  const cases = [
    ['clock', number(1.5), '[h]:mm', /has a duration \(36:00\)/],
    ['day', number(60), 'yyyy-mm-dd', /a date that does not exist \(60\)/],
    ['day', number(0), 'yyyy-mm-dd', /1900-01-00/],
    ['day', number(-1), 'yyyy-mm-dd', /does not exist \(-1\)/],
    ['day', number(2_958_466), 'yyyy-mm-dd', /does not exist/],
    ['text', '<c t="e"><v>#SPILL!</v></c>', '0', /has the error #SPILL!\./],
    ['text', '<c><f>A1</f></c>', '0', /no saved result/],
    ['text', '<c t="b"><f>A1</f><v/></c>', '0', /no saved result/],
    ['flag', '<c t="b"><v>maybe</v></c>', '0', /has "maybe" as a boolean/],
    ['size', '<c><v>1,5</v></c>', '0', /has "1,5" as a number/],
    ['text', '<c t="n"><v>NaN</v></c>', '0', /has "NaN" as a number/],
  ] as const;
  const found = await slotValues(cases.map(([slot, cell, format]) => ({ slot, cell, format })));
  for (const [at, [, cell, , expected]] of cases.entries()) assert.match(String(found[at]), expected, cell);
  for (const slot of ['flag', 'text'])
    assert.equal(
      await slotValue(slot, '<c t="b"><v></v></c>'),
      undefined,
      'a boolean without a value is none',
    );
  assert.equal(await slotValue('flag', '<c t="b"><v>true</v></c>'), true);
});

test('integers beyond a double keep their digits, and texts of formulas what looks like XML', async () => {
  const long = '9007199254740993';
  const cases = [
    ['text', `<c><v>${long}</v></c>`, long],
    ['amount', `<c><v>${long}</v></c>`, long],
    ['count', `<c><v>${long}</v></c>`, new Numeral(long)],
    ...[
      ['a&amp;#10;b', 'a&#10;b'],
      ['a&amp;lt;b', 'a&lt;b'],
      ['&#38;amp; &lt;', '&amp; <'],
    ].flatMap(([xml, text]) => [
      ['text', `<c t="str"><v>${xml}</v></c>`, text] as const,
      ['text', `<c t="inlineStr"><is><t>${xml}</t></is></c>`, text] as const,
    ]),
  ] as const;
  const found = await slotValues(cases.map(([slot, cell]) => ({ slot, cell })));
  for (const [at, [, cell, expected]] of cases.entries()) assert.deepEqual(found[at], expected, cell);
});

test('dates of ISO 8601 are rounded to milliseconds', async () => {
  const iso = (text: string) => `<c t="d"><v>${text}</v></c>`;
  assert.equal(await slotValue('when', iso('2014-12-31T23:59:59.99999979')), '2015-01-01');
  assert.equal(await slotValue('clock', iso('10:59:59.9999999999')), '11:00:00');
  assert.equal(await slotValue('when', iso('2014-01-16T15:59:30.25')), '2014-01-16T15:59:30.250');
});

test('the noise of sums goes, and digits that were meant stay', () => {
  for (const [number, text] of [
    [1.1 + 2.2, '3.3'],
    [4.35 * 100, '435'],
    [0.1 + 0.7, '0.8'],
    [2 / 3, '0.6666666666666666'],
    [Math.E, '2.718281828459045'],
    [12345678901234.56, '12345678901234.56'],
    [1e21, '1e+21'],
  ] as const)
    assert.equal(numberText(number), text);
});

test('days count from 1904 where a workbook says so, also with elements of newer versions', async () => {
  const bytes = workbookOf('<sheetData><row><c s="1"><v>43890</v></c></row></sheetData>', {
    ...stylesOf('yyyy-mm-dd'),
    'xl/workbook.xml':
      '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><workbookPr date1904="1"/><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets><extLst><ext><x15:workbookPr chartTrackingRefBase="1"/></ext></extLst></workbook>',
  });
  assert.deepEqual(await cellsIn(bytes), [['2024-03-01']]);
});

test('numbers and dates are written as such if they come back as they were; all else is text', async () => {
  const columns = columnsOf(schema, 'Thing');
  const kind = (slot: string, text: string) => {
    const cell = typedCell(text, columns.find(({ path }) => path[0] === slot)!.value);
    return typeof cell === 'string' ? 'text' : 'number' in cell ? (cell.format ?? 'number') : 'error';
  };
  assert.deepEqual(
    [
      kind('count', '12'),
      kind('count', '12345678901234567'),
      kind('size', '0.30000000000000004'),
      kind('size', '0.5'),
      kind('amount', '1000.50'),
      kind('amount', '1.0000000000000000001'),
      kind('amount', '+1'),
      kind('text', '12'),
      kind('pid', '12'),
      kind('texts', '12'),
      kind('day', '2024-03-01'),
      kind('day', '1899-03-01'),
      kind('at', '2024-03-01T10:00:00Z'),
      kind('when', '2024-03-01T10:00:00.250'),
    ],
    [
      ...['number', 'text', 'text', 'number', '0.00', 'text', 'text', 'text', 'text', 'text'],
      ...['yyyy\\-mm\\-dd', 'text', 'text', 'yyyy\\-mm\\-dd hh:mm:ss.000'],
    ],
  );
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789.-'), maxLength: 18 });
  const moment = fc.date({ noInvalidDate: true, min: new Date('1800-01-01'), max: new Date('9999-12-31') });
  const texts = fc.record({
    count: fc.maxSafeInteger().map(String),
    size: fc.double({ noDefaultInfinity: true, noNaN: true }).map((one) => String(one === 0 ? 0 : one)),
    amount: digits,
    day: moment.map((one) => one.toISOString().slice(0, 10)),
    when: moment.map((one) => one.toISOString().slice(0, 19)),
    at: moment.map((one) => one.toISOString()),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 5 }), async (all) => {
      const slots = ['count', 'size', 'amount', 'day', 'when', 'at'] as const;
      const values = slots.map((slot) => columns.find(({ path }) => path[0] === slot)!.value);
      const rows = all.map((one) => slots.map((slot, index) => typedCell(one[slot], values[index]!)));
      const [sheet] = await sheetsIn(writeXlsx([{ name: 'S', rows: [[...slots], ...rows] }]));
      for (const [index, one] of all.entries()) {
        const { cells, readings } = sheet!.rows[index + 1]!;
        for (const [column, slot] of slots.entries())
          assert.equal(
            (slot === 'amount' && readings?.get(column)?.decimal) || (cells[column] ?? ''),
            one[slot],
            slot,
          );
      }
    }),
    { numRuns: 100 },
  );
});

test('sheets of classes with long, equal and reserved names come back by a hidden sheet', async () => {
  const names = [...schema.classes.keys()].filter((name) => name !== 'Any');
  const columns = columnsOf(schema, 'Thing');
  const rows = [columns.map(headerOf), writeRow({ pid: 'ex:1' }, columns)];
  const bytes = writeXlsx(names.map((name) => ({ name, rows })));
  const tables = await readTables(bytes, 'xlsx', schema);
  assert.deepEqual(
    tables.map(({ className }) => className),
    names,
  );
  const sheets = await sheetsIn(bytes);
  for (const { name } of sheets) assert.ok(name.length <= 31 && name.toLowerCase() !== 'history', name);
});

test('a value that no cell has is refused by its row and column', () => {
  const rows = [
    ['pid', 'text'],
    ['ex:1', 'x'.repeat(32_767)],
    ['ex:2', 'x'.repeat(32_768)],
  ];
  assert.throws(
    () => writeXlsx([{ name: 'Thing', rows }]),
    (error: unknown) => error instanceof CellTooLong && error.row === 2 && error.column === 1,
  );
});

test('numbers in a column of dates are dates if the caller says so', async () => {
  const read = async (text: string) => {
    const [one] = await readTables(Buffer.from(`pid,when\nex:1,${text}\n`), 'csv', schema);
    const [row] = readRows(one!.table, { schema, className: 'Thing', locale: { dates: 'excel' } });
    return row!.record?.when ?? row!.faults[0]?.type;
  };
  assert.deepEqual(
    [await read('45352'), await read('45352.25'), await read('2024-03-01'), await read('60')],
    ['2024-03-01', '2024-03-01T06:00:00', '2024-03-01', await read('x')],
  );
});

test('texts in pieces, lower-case references, charts and merged cells of other programs are read', async () => {
  const pieces = '<t>a</t><r><t>b</t></r><r><rPr><b/></rPr><t>c</t></r>';
  const cells = `<c r="a1" t="inlineStr"><is>${pieces}</is></c><c r="c1" t="s"><v>0</v></c>`;
  const bytes = workbookOf(`<sheetData><row r="1">${cells}</row></sheetData>`, {
    'xl/sharedStrings.xml': `<sst><si>${pieces}</si></sst>`,
    'xl/workbook.xml':
      '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheets><sheet name="S" sheetId="1" r:id="r1"/><sheet name="Chart" sheetId="2" r:id="r2"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/chartsheet" Target="chartsheets/sheet1.xml"/></Relationships>',
    'xl/chartsheets/sheet1.xml': '<chartsheet/>',
  });
  const sheets = await sheetsIn(bytes);
  assert.deepEqual(
    sheets.map(({ name, rows }) => [name, rows.map((row) => row.cells)]),
    [
      ['S', [['abc', '', 'abc']]],
      ['Chart', []],
    ],
  );
});

test('a workbook that has a cell twice, or a reference that names none, is refused, and references may be missing or unsorted', async () => {
  const cell = (text: string, reference?: string) =>
    `<c${reference === undefined ? '' : ` r="${reference}"`} t="str"><v>${text}</v></c>`;
  const read = (...rows: readonly string[]) =>
    cellsIn(workbookOf(`<sheetData>${rows.map((cells) => `<row>${cells}</row>`).join('')}</sheetData>`));
  for (const [rows, message] of [
    [[cell('a', 'A1') + cell('b', 'B1') + cell('lost', 'B1')], /a sheet has the cell B1 twice/],
    [[cell('a', 'A1'), cell('b', 'A2'), cell('lost', 'a1')], /a sheet has the cell A1 twice/],
    [[cell('a', 'A1') + cell('lost', '??')], /a cell has "\?\?" as its reference/],
  ] as const)
    await assert.rejects(read(...rows), { name: 'Error', message });
  assert.deepEqual(await read(cell('a') + cell('b'), cell('c') + cell('d')), [
    ['a', 'b'],
    ['c', 'd'],
  ]);
  assert.deepEqual(await read(cell('b', '$B$1') + cell('a', '$A$1')), [['a', 'b']]);
});
