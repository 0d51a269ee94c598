/** Tables of other programs and languages: ODS, encodings, headers below a title, decimal commas, local dates. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { utils, write } from '@e965/xlsx';
import { strToU8, zipSync } from 'fflate';
import { accession, LABORATORY, scratch } from '../../../test/cli/accession.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { csvRow, markedText } from './files/csv.ts';
import { type FileReading, formatOf } from './files/file-tables.ts';
import { sheetsIn } from './files/workbooks.support.ts';
import type { CellLocale } from './rows/locale.ts';
import { readTables } from './rows/read-table.ts';
import { readRows } from './rows/rows.ts';
import { csvTemplate } from './rows/template.ts';

const schema = await openSchema(LABORATORY);

/** The rows of a CSV file. */
async function rowsOf(
  bytes: Uint8Array,
  className: string,
  reading: FileReading = {},
  locale: CellLocale = {},
) {
  const [one] = await readTables(bytes, formatOf(bytes), schema, undefined, reading);
  return [...readRows(one!.table, { schema, className, locale })];
}

const csv = (...rows: string[][]) => Buffer.from(rows.map((row) => csvRow(row)).join(''));

/** An OpenDocument spreadsheet as programs write it. */
function odsOf(tables: string): Uint8Array {
  const content = `<office:document-content><office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`;
  return zipSync({
    mimetype: [strToU8('application/vnd.oasis.opendocument.spreadsheet'), { level: 0 }],
    'content.xml': strToU8(content),
  });
}

const text = (...words: string[]) =>
  words
    .map((word) => `<table:table-cell office:value-type="string"><text:p>${word}</text:p></table:table-cell>`)
    .join('');
const row = (cells: string, more = '') => `<table:table-row${more}>${cells}</table:table-row>`;

test('an ODS file is read as people see it', async () => {
  const padding = '<table:table-cell table:number-columns-repeated="16000"/>';
  const bytes = odsOf(
    `<table:table table:name="Help">${row(text('no'))}</table:table>` +
      `<table:table table:name="Person">${row(text('pid', 'name') + padding)}` +
      row(
        '<table:table-cell office:value-type="float" office:value="0.5"><text:p>0,5</text:p></table:table-cell>' +
          '<table:table-cell office:value-type="date" office:date-value="2025-12-31T00:00:00"><text:p>31.12.25</text:p></table:table-cell>' +
          '<table:table-cell office:value-type="boolean" office:boolean-value="true"><text:p>WAHR</text:p></table:table-cell>' +
          '<table:table-cell office:value-type="string"><office:annotation><text:p>a note</text:p></office:annotation><text:p>a<text:s text:c="2"/>b</text:p><text:p>c &amp; d</text:p></table:table-cell>' +
          '<table:table-cell table:number-columns-repeated="2" office:value-type="string"><text:p>twice</text:p></table:table-cell>',
      ) +
      row('<table:table-cell/>', ' table:number-rows-repeated="3"') +
      row('<table:table-cell table:formula="of:=1"/>') +
      row(padding, ' table:number-rows-repeated="1048000"') +
      '</table:table>',
  );
  assert.notEqual(formatOf(bytes), 'csv');
  const [, sheet] = await sheetsIn(bytes);
  const rows = [...sheet!.rows];
  assert.deepEqual(
    rows.map(({ cells }) => cells),
    [['pid', 'name'], ['0.5', '2025-12-31', 'true', 'a  b\nc & d', 'twice', 'twice'], [], [], [], ['']],
  );
  assert.match(rows.at(-1)?.broken?.get(0) ?? '', /no saved result/);
  const tables = await readTables(bytes, 'ods', schema);
  assert.deepEqual(
    tables.map(({ className }) => className),
    ['Person'],
  );
  await assert.rejects(sheetsIn(strToU8('PK')), /not a workbook/);
});

test('times and numbers of ODS are read in all forms of their types, and what is none is a fault of its cell', async () => {
  const read = async (cell: string) => {
    const cells = `<table:table-cell ${cell}><text:p>shown</text:p></table:table-cell>`;
    const [sheet] = await sheetsIn(odsOf(`<table:table table:name="S">${row(cells)}</table:table>`));
    const [first] = sheet!.rows;
    return first!.broken?.get(0) ?? first!.cells[0];
  };
  const time = (value: string) => read(`office:value-type="time" office:time-value="${value}"`);
  assert.equal(await time('PT10H30M00S'), '10:30:00');
  assert.equal(await time('P0DT10H30M0S'), '10:30:00');
  assert.equal(await time('PT10H30M00,25S'), '10:30:00.250');
  assert.equal(await time('P0D'), '00:00:00');
  for (const duration of ['PT25H00M00S', 'P1DT1H', '-PT1H', 'PT24H', '10:30'])
    assert.equal(
      await time(duration),
      `The cell has a duration (${duration}), which is not a time of a day.`,
    );
  const number = (value: string) =>
    read(`office:value-type="currency" office:currency="EUR" office:value="${value}"`);
  assert.equal(await number('12.5'), '12.5');
  assert.equal(await number('9007199254740993'), '9007199254740993');
  for (const none of ['12,5', '0x1']) assert.equal(await number(none), `The cell has "${none}" as a number.`);
});

test('a small ODS file cannot have endless rows', async () => {
  const sheet = `<table:table table:name="S">${row(text('x'), ' table:number-rows-repeated="2000000"')}</table:table>`;
  await assert.rejects(sheetsIn(odsOf(sheet)), /more than 1048576 rows/);
});

test('a sheet, the row of the header and the encoding can be named', async () => {
  const latin = Buffer.from('a title\r\npid,name\r\nlabid:o,Österreich\r\n', 'latin1');
  await assert.rejects(rowsOf(latin, 'Organization'), /not UTF-8\. .*windows-1252/);
  const [read] = await rowsOf(latin, 'Organization', { encoding: 'windows-1252', headerRow: 2 });
  assert.deepEqual([read?.row, read?.record?.name], [3, 'Österreich']);
  const marked = Buffer.from(markedText('pid,name\r\nlabid:o,Österreich\r\n'));
  const [again] = await rowsOf(marked, 'Organization', { encoding: 'windows-1252' });
  assert.equal(again?.record?.name, 'Österreich', 'what says that it is UTF-8 is read as that');
  await assert.rejects(rowsOf(latin, 'Organization', { encoding: 'ebcdic' }), /encoding "ebcdic" is unknown/);
  const bytes = odsOf(
    `<table:table table:name="2025">${row(text('pid'))}</table:table><table:table table:name="2026">${row(text('name'))}</table:table>`,
  );
  const [one] = await readTables(bytes, 'ods', schema, undefined, { sheet: '2026' });
  assert.deepEqual(one?.table.header, ['name']);
  await assert.rejects(
    readTables(bytes, 'ods', schema, undefined, { sheet: '2027' }),
    /no sheet "2027", only 2025, 2026/,
  );
});

test('a message names some of many sheets, and the start of long names', async () => {
  const names = Array.from({ length: 300 }, (_, n) => `${n}${'x'.repeat(10_000)}`);
  const sheets = names.map((name) => `<table:table table:name="${name}">${row(text('pid'))}</table:table>`);
  await assert.rejects(
    readTables(odsOf(sheets.join('')), 'ods', schema, undefined, { sheet: 'zz' }),
    ({ message }: Error) =>
      message.length < 5000 && /no sheet "zz", only 0x+….* and 280 more\./.test(message),
  );
});

test('a text that is marked as UTF-16 is read so, as Excel saves it', async () => {
  const text = Buffer.from('\ufeffpid\tname\tfamily_name\nlabid:a\tMüller\tM\n', 'utf16le');
  for (const bytes of [text, Buffer.from(text).swap16()]) {
    const [one] = await readTables(bytes, 'csv', schema, undefined, { encoding: 'windows-1252' });
    assert.deepEqual(
      [...one!.table.rows].map(({ cells }) => cells),
      [['labid:a', 'Müller', 'M']],
    );
  }
});

test('decimal commas and local dates are read if they are announced, and hinted at else', async () => {
  const project = (amount: string, started: string) =>
    csv(
      ['pid', 'name', 'budget.amount', 'budget.currency', 'started'],
      ['labid:p', 'P', amount, 'EUR', started],
    );
  const locale = { decimalComma: true, dates: 'dmy' } as const;
  const [read] = await rowsOf(project('1.000,50', '31.12.2025'), 'Project', {}, locale);
  assert.deepEqual(read?.record?.budget, { amount: '1000.50', currency: 'EUR' });
  assert.equal(read?.record?.started, '2025-12-31');
  const [plain] = await rowsOf(project('0.125', '2025-12-31'), 'Project', {}, locale);
  assert.deepEqual(plain?.record?.budget, { amount: '0.125', currency: 'EUR' });
  const problems = async (bytes: Uint8Array, how: CellLocale = {}) =>
    (await rowsOf(bytes, 'Project', {}, how)).flatMap(({ faults }) => faults.map(({ message }) => message));
  assert.match(
    (await problems(project('1.125', '2025-12-31'), locale)).join(),
    /The number is 1125 or 1,125/,
  );
  assert.match((await problems(project('1', '12/31/2025'), locale)).join(), /month of "12\/31\/2025" is 31/);
  const hints = await problems(project('1.000,50', '45352'));
  assert.match(hints.join('\n'), /Write 1000\.50, or allow decimal commas/);
  assert.match(hints.join('\n'), /a spreadsheet program: write 2024-03-01/);
  assert.match(
    (await problems(project('1', '31.12.2025'))).join(),
    /Write dates like 2025-12-31, or name their order/,
  );
  assert.doesNotMatch(
    (await problems(project('1', '31.2.2025'), locale)).join(),
    /name their order/,
    'it was named',
  );
});

test('UTF-16 without a byte order mark is named, and read if it is announced', async () => {
  const little = Buffer.from('pid,name\r\nlabid:o,Österreich\r\n', 'utf16le');
  const russian = Buffer.from('pid,name\nlabid:o,Академия наук и искусств\n', 'utf16le');
  const big = Buffer.from(little).swap16();
  for (const [bytes, encoding] of [
    [little, 'utf-16le'],
    [russian, 'utf-16le'],
    [big, 'utf-16be'],
  ] as const) {
    const expected = new RegExp(
      `is ${encoding.toUpperCase()} without a byte order mark.*encoding, ${encoding},`,
    );
    await assert.rejects(rowsOf(bytes, 'Organization'), expected);
    await assert.rejects(rowsOf(bytes, 'Organization', { encoding: 'windows-1252' }), expected);
    const [read] = await rowsOf(bytes, 'Organization', { encoding });
    assert.match(String(read?.record?.name), /Österreich|Академия/);
  }
});

test('separators of thousands are hinted at, also a comma', async () => {
  const hint = async (cell: string, slot: string, className: string) =>
    (await rowsOf(csv(['pid', 'name', slot], ['labid:p', 'P', cell]), className))
      .flatMap(({ faults }) => faults.map(({ message }) => message))
      .join();
  for (const cell of ['1,234,567', '1 234 567', '1\u202f234\u202f567', "1'234'567", '1’234’567', '1.234.567'])
    assert.match(
      await hint(cell, 'budget.amount', 'Project'),
      /Write 1234567, without separators of thousands/,
      cell,
    );
  assert.match(await hint('1,234.50', 'budget.amount', 'Project'), /Write 1234\.50, without/);
  assert.match(
    await hint('1,234', 'budget.amount', 'Project'),
    /Write 1234 if the comma separates thousands, else 1\.234, or allow/,
  );
  assert.match(
    await hint('1,234', 'page_count', 'Publication'),
    /Write 1234, without separators of thousands/,
  );
  assert.match(await hint('1,23', 'budget.amount', 'Project'), /Write 1\.23, or allow decimal commas/);
});

test('German words are booleans, as spreadsheet programs write them', async () => {
  const cells = ['ja', 'Nein', 'WAHR', 'FALSCH', 'vielleicht'];
  const rows = cells.map((cell, index) => [`labid:i${index}`, 'I', cell]);
  const read = await rowsOf(csv(['pid', 'name', 'operational'], ...rows), 'Instrument');
  assert.deepEqual(
    read.map(({ record, faults }) => record?.operational ?? faults[0]?.message),
    [true, false, true, false, 'Found "vielleicht", expected true or false.'],
  );
});

test('inlined objects are a JSON list, one object, or several with | between them', async () => {
  const one = '{"person": "labid:a", "project_role": "lead"}';
  const other = '{"person": "labid:b", "project_role": "researcher"}';
  for (const [cell, number] of [
    [`[${one}, ${other}]`, 2],
    [one, 1],
    [`${one} | ${other}`, 2],
  ] as const) {
    const [read] = await rowsOf(csv(['pid', 'name', 'participations'], ['labid:p', 'P', cell]), 'Project');
    assert.equal(
      (read?.record?.participations as unknown[] | undefined)?.length,
      number,
      JSON.stringify(read?.faults),
    );
  }
});

test('a fault inside of an object names the object and its slot', async () => {
  const several = '{"person": "labid:a", "project_role": "lead"} | {"person": "labid:b", "role": "lead"}';
  const [read] = await rowsOf(csv(['pid', 'name', 'participations'], ['labid:p', 'P', several]), 'Project');
  const messages = read?.faults.map(({ message }) => message).join('\n') ?? '';
  assert.match(messages, /^participations\.1\.role: the class Participation has no slot of this name/m);
  assert.match(messages, /^participations\.1\.project_role: found nothing, /m);
});

test('a template begins with the pid, titles and what is required, and says how values are written', async () => {
  const [header = '', help = ''] = csvTemplate(schema, 'Person').split('\r\n');
  assert.match(header, /^pid\*,name\*,family_name\*,/);
  assert.match(help, /uriorcurie that matches \^orcid/);
  assert.match(help, /MailAddress that matches \^/, 'the pattern of a type');
  assert.match(csvTemplate(schema, 'Project'), /date, such as 2026-01-31/);
  assert.match(csvTemplate(schema, 'Project'), /Participation, as a JSON list, or with \| between them/);
});

test('offline, a label that no record of the file has is a note; an unknown column is no record', async (t) => {
  const folder = scratch(t);
  const file = join(folder, 'Person.csv');
  const validate = () => accession(['validate', 'Person.csv', '--schema', LABORATORY], { cwd: folder });
  writeFileSync(file, csv(['pid', 'name', 'family_name', 'affiliations'], ['labid:a', 'A', 'A', 'Norbury']));
  const noted = await validate();
  assert.equal(noted.status, 0, noted.stderr);
  assert.match(
    noted.stderr,
    /^note: Person\.csv: No Organization of this file has the pid or label "Norbury"/m,
  );
  assert.match(noted.stderr, /^1 record checked, 0 problems$/m);
  writeFileSync(
    file,
    csv(['pid', 'name', 'family_name', 'email', 'nickname'], ['labid:a', 'A', 'A', 'bob@example', 'B']),
  );
  const header = await validate();
  assert.match(header.stderr, /^0 records checked, 2 problems$/m);
  writeFileSync(file, csv(['pid', 'name', 'family_name', 'email'], ['labid:a', 'A', 'A', 'bob@example']));
  const once = await validate();
  assert.match(once.stdout, /^Person\.csv:2:4: D2 \(email\): Found "bob@example", expected [^"]*\.$/m);
});

test('workbooks of former formats and with macros are read; what is none is refused', async (t) => {
  const folder = scratch(t);
  const rows = [
    ['pid', 'name', 'started', 'budget.amount', 'budget.currency'],
    ['labid:p', 'Müller, Łódź', new Date(Date.UTC(2024, 1, 29)), 1000.5, 'EUR'],
  ];
  const sheet = utils.aoa_to_sheet(rows, { UTC: true });
  const book = utils.book_new(sheet, 'Project');
  for (const bookType of ['xls', 'xlsb', 'xlsm', 'biff5'] as const) {
    const bytes: Buffer = write(book, { type: 'buffer', bookType });
    const [one] = await readTables(bytes, formatOf(bytes), schema);
    const [read] = readRows(one!.table, { schema, className: 'Project' });
    const { name, started, budget } = read!.record ?? {};
    const expected = bookType === 'biff5' ? undefined : 'Müller, Łódź';
    if (expected !== undefined) assert.equal(name, expected, bookType);
    assert.deepEqual([started, budget], ['2024-02-29', { amount: '1000.5', currency: 'EUR' }], bookType);
  }
  for (const name of ['x.xls', 'x.XLSB']) {
    writeFileSync(join(folder, name), 'pid\n');
    const { stdout, status } = await accession(['validate', '--schema', LABORATORY, join(folder, name)]);
    assert.equal(status, 2, stdout);
    assert.match(stdout, /The file is not a workbook/);
  }
});
