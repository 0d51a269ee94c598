/** Rows and texts of tables: none is lost, and those that look the same are compared as people see them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { comparable, differenceOf } from '#linkml/look-alikes.ts';
import { candidatesIn, lookAlike } from '#linkml/suggestions.ts';
import { accession, scratch } from '../../../test/cli/accession.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { csvRow, markedText, plainCell, readCsv } from './files/csv.ts';
import { type FileReading, formatOf } from './files/file-tables.ts';
import { writeXlsx } from './files/xlsx-write.ts';
import { Labels } from './rows/labels.ts';
import { readTables } from './rows/read-table.ts';
import { readRows } from './rows/rows.ts';
import { csvTemplate } from './rows/template.ts';

const SCHEMA = `
id: https://example.org/s
name: s
prefixes: {linkml: https://w3id.org/linkml/, ex: https://example.org/}
default_prefix: ex
imports: [linkml:types]
enums:
  Soil: {permissible_values: {"B\u00f6den": , Gestein: {aliases: [Stein, Fels]}, "Ca\u00a0x": }}
classes:
  "Ger\u00e4t":
    attributes:
      pid: {identifier: true, range: uriorcurie, required: true}
      title: {}
      "gr\u00f6\u00dfe": {}
      soil: {range: Soil}
      fixed: {equals_string: "B\u00f6den"}
      ref: {range: "Ger\u00e4t"}
`;
const GERAET = 'Ger\u00e4t';

async function schemaIn(folder: string) {
  const file = join(folder, 'schema.yaml');
  writeFileSync(file, SCHEMA);
  return openSchema(file);
}

test('a value of an enum is read by an alias, too, in any case', async (t) => {
  const schema = await schemaIn(scratch(t));
  const [found] = await readTables(
    Buffer.from('pid,soil\nex:1,Stein\nex:2,FELS\nex:3,Felz\n'),
    'csv',
    schema,
    undefined,
    {},
  );
  const rows = [...readRows(found!.table, { schema, className: GERAET })];
  assert.deepEqual(
    rows.map(({ record, faults }) => record?.soil ?? faults.map(({ type }) => type)),
    ['Gestein', 'Gestein', ['enum']],
  );
  const checked = schema.check(GERAET, { pid: 'ex:1', soil: 'stein' });
  assert.match(checked.valid ? '' : checked.problems[0]!.msg, /Did you mean "Gestein"\?/);
});

test('no row is lost: only the help of a template and blank rows are skipped', async (t) => {
  const schema = await schemaIn(scratch(t));
  const read = async (bytes: Uint8Array, reading: FileReading = {}) => {
    const [found] = await readTables(bytes, formatOf(bytes), schema, undefined, reading);
    return [...readRows(found!.table, { schema, className: GERAET })];
  };
  const rows = [
    ['title', 'pid'],
    ['#1 sample', 'ex:1'],
    ['# heading', 'ex:2'],
    ['#', 'ex:3'],
    ['# Expected: nothing.', 'ex:4'],
    ['#only'],
    ['', ''],
    ['last', 'ex:5'],
  ];
  const csv = Buffer.from(rows.map((cells) => `${cells.join(',')}\n`).join(''));
  for (const bytes of [csv, writeXlsx([{ name: GERAET, rows }])]) {
    const found = await read(bytes);
    assert.deepEqual(
      found.map(({ record, faults }) => record?.title ?? faults.map(({ type }) => type)),
      ['#1 sample', '# heading', '#', '# Expected: nothing.', ['missing'], 'last'],
    );
  }
  const template = csvTemplate(schema, GERAET);
  assert.equal(template.split('\r\n').length, 3, template);
  const filled = await read(Buffer.from(`${template}ex:1,a\r\n`));
  assert.deepEqual(
    filled.map(({ row, record }) => [row, record?.pid]),
    [[3, 'ex:1']],
  );
  const [commented] = await read(Buffer.from('# by me\npid,title\nex:1,a\n'));
  assert.equal(commented?.record?.title, 'a');
});

test('apostrophes are text, and what an export puts before formulas comes back off', async (t) => {
  const schema = await schemaIn(scratch(t));
  const texts = [
    "'+' strand",
    "'=1",
    "'-5",
    "''@a",
    "'",
    "'x'",
    "'\\",
    "'\\x",
    '=1+1',
    '+49 30',
    '-x',
    '@a',
    "'\\=1",
    "'\\'\\=1",
    '\\=1',
    '-5',
    '\t=1',
  ];
  const foreign = Buffer.from(
    `pid,title\n${texts
      .slice(0, 8)
      .map((text, i) => `ex:${i},${text}\n`)
      .join('')}`,
  );
  const [found] = await readTables(foreign, 'csv', schema);
  assert.deepEqual(
    [...readRows(found!.table, { schema, className: GERAET })].map(({ record }) => record?.title),
    texts.slice(0, 8),
  );
  const written = texts.map((text) => csvRow([text])).join('');
  assert.deepEqual(
    [...readCsv(written)].map(([cell]) => plainCell(cell!)),
    texts,
  );
  for (const [cell = ''] of readCsv(written)) assert.doesNotMatch(cell, /^[=+@\t\r]|^-\D/);
});

test('a first line may name the separator', async (t) => {
  const schema = await schemaIn(scratch(t));
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  for (const [line, separator] of [
    ['sep=;', ';'],
    ['SEP=;', ';'],
    ['"sep=;"', ';'],
    ['sep=,', ','],
    ['sep=\t', '\t'],
    ['sep=^', '^'],
    ['sep=;;;', ';'],
  ])
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `${line}${end}pid${separator}title${end}ex:1${separator}a${end}`;
      for (const bytes of [Buffer.from(text), Buffer.from(markedText(text)), utf16(text)]) {
        const [found] = await readTables(bytes, 'csv', schema, undefined, { headerRow: 1 });
        const all = [...readRows(found!.table, { schema, className: GERAET })];
        assert.deepEqual(
          all.map(({ row, record }) => [row, record?.title]),
          [[2, 'a']],
          JSON.stringify(text),
        );
      }
    }
  assert.deepEqual([...readCsv('sep=;')], []);
  assert.deepEqual(
    [...readCsv('sep=a,b\n1,2\n')],
    [
      ['sep=a', 'b'],
      ['1', '2'],
    ],
  );
});

test('labels, values, headers and names are found however they are composed, with signs that are not shown', async (t) => {
  const folder = scratch(t);
  const schema = await schemaIn(folder);
  const variants = (text: string) => [
    text.normalize('NFD'),
    `${text}\u200b`,
    `\ufeff${text}`,
    `${text.slice(0, 2)}\u00ad${text.slice(2)}`,
    `${text}\ufe0f`,
    `${text}\u00a0`,
    text.toUpperCase().normalize('NFD'),
  ];
  const read = async (header: readonly string[], ...rows: string[][]) => {
    const bytes = Buffer.from([header, ...rows].map((row) => csvRow(row)).join(''));
    const [found] = await readTables(bytes, 'csv', schema);
    const labels = new Labels(schema);
    labels.add(GERAET, { pid: 'ex:m', title: 'M\u00fcller' });
    return [...readRows(found!.table, { schema, className: GERAET, findLabel: labels.find })][0]!;
  };
  for (const value of variants('B\u00f6den'))
    assert.equal(
      (await read(['pid', 'soil'], ['ex:1', value])).record?.soil,
      'B\u00f6den',
      JSON.stringify(value),
    );
  for (const label of variants('M\u00fcller'))
    assert.equal((await read(['pid', 'ref'], ['ex:1', label])).record?.ref, 'ex:m', JSON.stringify(label));
  for (const name of ['gr\u00f6\u00dfe'.normalize('NFD'), '\ufeffgr\u00f6\u00dfe', 'gr\u00f6\u00dfe\u200b'])
    assert.equal((await read(['pid', name], ['ex:1', 'x'])).record?.['gr\u00f6\u00dfe'], 'x');
  for (const name of [GERAET.normalize('NFD'), `${GERAET}\u200b`]) {
    const rows = [['pid'], ['ex:1']];
    const [found] = await readTables(writeXlsx([{ name, rows }]), 'xlsx', schema);
    assert.equal(found?.className, GERAET);
    const sheets = await readTables(writeXlsx([{ name, rows }]), 'xlsx', schema, undefined, {
      sheet: GERAET,
    });
    assert.equal([...sheets].length, 1);
  }
  const file = join(folder, `${GERAET.normalize('NFD')}.csv`);
  writeFileSync(file, 'pid\nex:1\n');
  const ran = await accession(['validate', '--schema', join(folder, 'schema.yaml'), file]);
  assert.equal(ran.status, 0, ran.stderr);
});

test('a message with two texts that look the same says where they differ', async (t) => {
  const schema = await schemaIn(scratch(t));
  const problem = (record: object) => {
    const checked = schema.check(GERAET, { pid: 'ex:1', ...record });
    return checked.valid ? '' : checked.problems[0]!.msg;
  };
  assert.match(
    problem({ soil: 'Bo\u0308den' }),
    /It looks the same, but what was found has U\+006F U\+0308 in place of U\+00F6\.$/,
  );
  assert.match(
    problem({ soil: 'Gest\u0435in' }),
    /looks the same, but what was found has U\+0435 in place of U\+0065\.$/,
  );
  assert.match(problem({ soil: 'Gestein\u00a0' }), /looks the same, but what was found has U\+00A0 more\.$/);
  assert.match(problem({ soil: 'Ges\u00adtein' }), /has U\+00AD more\.$/);
  assert.match(problem({ soil: 'Ca x' }), /has U\+0020 in place of U\+00A0\.$/);
  assert.match(problem({ fixed: 'Bo\u0308den' }), /looks the same, but what was found has U\+006F U\+0308/);
  assert.match(
    problem({ 'titl\u0435': 'x' }),
    /Did you mean title\? It looks the same, but what was found has U\+0435 in place of U\+0065/,
  );
  const [found] = await readTables(Buffer.from('pid,t\u0456tle\nex:1,x\n'), 'csv', schema);
  const [header] = [...readRows(found!.table, { schema, className: GERAET })];
  assert.match(
    header!.faults[0]!.message,
    /Did you mean title\? It looks the same, .*U\+0456 in place of U\+0069/,
  );
  assert.equal(
    lookAlike(
      'Gestein',
      candidatesIn(() => ['Gestein ', 'Wasser']),
    ),
    'Gestein ',
  );
  assert.equal(
    lookAlike(
      'Gestein',
      candidatesIn(() => ['gestein', 'Wasser']),
    ),
    undefined,
  );
  assert.equal(differenceOf('ab', 'a\u200bb'), 'lacks U+200B');
  for (const [latin, other] of [
    [
      'ABCEHIJKMOPSTYX',
      '\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0423\u0425',
    ],
    ['aeijopcyxs', '\u0430\u0435\u0456\u0458\u043e\u0440\u0441\u0443\u0445\u0455'],
    ["it's a-b", 'it\u2019s a\u2010b'],
  ] as const)
    assert.equal(
      lookAlike(
        other,
        candidatesIn(() => [latin]),
      ),
      latin,
    );
  assert.equal(comparable('u\u0308\u200b'), '\u00fc');
});

test('a cell of an object with a key twice has a fault', async (t) => {
  const file = join(scratch(t), 'any.yaml');
  const any = '      any: {range: Any}\n  Any: {class_uri: linkml:Any}\n';
  writeFileSync(file, `${SCHEMA.slice(0, SCHEMA.indexOf('      title'))}${any}`);
  const schema = await openSchema(file);
  const [found] = await readTables(Buffer.from('pid,any\nex:1,"{""a"":1,""a"":2}"\n'), 'csv', schema);
  const [row] = [...readRows(found!.table, { schema, className: GERAET })];
  assert.match(row!.faults[0]!.message, /has the key "a" twice in one object/);
});
