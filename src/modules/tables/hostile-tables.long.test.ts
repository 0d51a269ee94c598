/** Small tables that are made to be expensive: what they cost the service that reads them. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { longestTurn } from '../../../scripts/stalls/service.ts';
import { LABORATORY } from '../../../test/support/app.ts';
import { startService } from '../../../test/support/real-service.ts';
import { workbookOf } from './files/workbooks.support.ts';

/** On a quiet machine it is half of this; beside other work the same steps take more time of the processor. */
const MOST_SECONDS = 3;
const MOST_MIB = 256;
/** The longest time for which no other request is answered, in processor time. */
const MOST_TURN_MS = 100;

const CONFIGURATION = {
  type: 'collections',
  version: 2,
  collections: {
    c: { schema: LABORATORY, default_token: 'anyone', curated: 'c/curated', incoming: 'c/incoming' },
  },
  tokens: {
    anyone: {
      user_id: 'anyone',
      representation: 'anyone',
      collections: { c: { mode: 'SUBMIT_ONLY', incoming_label: 'anyone' } },
    },
  },
};

type Parts = {
  readonly before?: string;
  readonly sheet?: string;
  readonly after?: string;
  readonly strings?: string;
  readonly formats?: string;
  readonly sheets?: string;
  readonly more?: Readonly<Record<string, string>>;
};

function workbook({
  before = '',
  sheet = '',
  after = '',
  strings = '',
  formats = '',
  sheets,
  more,
}: Parts): Buffer {
  return workbookOf(`${before}<sheetData>${sheet}</sheetData>${after}`, {
    'xl/workbook.xml': `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheets>${sheets ?? '<sheet name="Person" sheetId="1" r:id="r1"/>'}</sheets></workbook>`,
    'xl/sharedStrings.xml': `<sst>${strings}</sst>`,
    'xl/styles.xml': `<styleSheet>${formats}</styleSheet>`,
    ...more,
  });
}

/** A workbook whose directory and headers state that its sheet has a thousand bytes. */
function understated(): Buffer {
  const file = workbook({ sheet: ' '.repeat(100_000_000) });
  const name = 'xl/worksheets/sheet1.xml';
  file.writeUInt32LE(1000, file.indexOf(name) - 30 + 22);
  file.writeUInt32LE(1000, file.lastIndexOf(name) - 46 + 24);
  return file;
}

/** What fits into an unpacked workbook. */
const filled = (piece: string) => piece.repeat(Math.floor((8 * 2 ** 20 - 4000) / piece.length));

/** An OpenDocument spreadsheet with one cell. */
function spreadsheet(cell: string, row = ''): Buffer {
  const xml = `<office:document-content><office:body><office:spreadsheet><table:table table:name="Person"><table:table-row${row}>${cell}</table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`;
  return Buffer.from(
    zipSync({
      mimetype: [strToU8('application/vnd.oasis.opendocument.spreadsheet'), { level: 0 }],
      'content.xml': strToU8(xml),
    }),
  );
}

/** Ten entities of which each stands for ten of the one before. */
const ENTITIES = Array.from(
  { length: 10 },
  (_, n) => `<!ENTITY e${n} "${n === 0 ? 'x' : `&e${n - 1};`.repeat(10)}">`,
);

/** A compound file (MS-CFB) whose directory is a chain of one sector without an end. */
function cyclic(): Buffer {
  const file = Buffer.alloc(512 * 4000);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(file);
  file.writeUInt16LE(0x3e, 24);
  file.writeUInt16LE(3, 26);
  file.writeUInt16LE(0xfffe, 28);
  file.writeUInt16LE(9, 30);
  file.writeUInt16LE(6, 32);
  file.writeUInt32LE(1, 44);
  file.writeUInt32LE(0, 48);
  file.writeUInt32LE(4096, 56);
  file.fill(0xff, 76, 512);
  file.writeUInt32LE(1, 76);
  return file;
}

const row = (cells: string) => `<row>${cells}</row>`;
const string = (text: string) => `<si><t>${text}</t></si>`;
const shared = (index: number) => `<c t="s"><v>${index}</v></c>`;

/** What is sent, and the status of the response; on a slow machine, a table may take more time than it is given. */
const TABLES: readonly (readonly [name: string, body: () => string | Buffer, status: number])[] = [
  [
    'a row with an attribute of a million letters',
    () => workbook({ sheet: `<row ${'a'.repeat(1e6)}>` }),
    200,
  ],
  ['a header with a million blanks', () => `x${' '.repeat(1e6)}y\n1\n`, 200],
  [
    'a header with 4 million blanks and 10,000 wrong rows',
    () => `age${' '.repeat(4e6)}\n${'x,y\n'.repeat(10_000)}`,
    413,
  ],
  [
    'a string of a million letters in 10,000 wrong cells',
    () =>
      workbook({
        strings: string('x'.repeat(1e6)) + string('age'),
        sheet: row(shared(1)) + row(shared(0)).repeat(10_000),
      }),
    413,
  ],
  [
    'a string of 50 million letters in three rows',
    () => workbook({ strings: string('x'.repeat(5e7)), sheet: row(shared(0)).repeat(3) }),
    413,
  ],
  [
    'backslashes in every cell',
    () => `pid,name,family_name\n${`labid:a,${'\\'.repeat(1e5)},b\n`.repeat(19)}`,
    200,
  ],
  ['a million strings that are never closed', () => workbook({ strings: '<si>'.repeat(1e6) }), 413],
  ['5 million empty strings', () => workbook({ strings: '<si/>'.repeat(5e6) }), 413],
  ['50 MB of blanks', () => workbook({ sheet: ' '.repeat(5e7) }), 413],
  ['100 MB of blanks that are stated as a thousand bytes', understated, 400],
  ['a million attributes', () => workbook({ sheet: `<row ${'a="" '.repeat(1e6)}>` }), 200],
  [
    'a number format of a million brackets',
    () =>
      workbook({ formats: `<numFmts><numFmt numFmtId="200" formatCode="${'['.repeat(1e6)}"/></numFmts>` }),
    200,
  ],
  [
    'a row at the end of the sheet',
    () => workbook({ sheet: '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>' }),
    200,
  ],
  [
    'ten thousand million letters by entities',
    () =>
      workbook({ before: `<!DOCTYPE x [${ENTITIES.join('')}]>`, sheet: row('<c t="str"><v>&e9;</v></c>') }),
    200,
  ],
  [
    '360 million blanks in a cell',
    () =>
      spreadsheet(
        `<table:table-cell office:value-type="string"><text:p>${'<text:s text:c="1000"/>'.repeat(360_000)}</text:p></table:table-cell>`,
      ),
    413,
  ],
  [
    'a million long cells in a row',
    () =>
      spreadsheet(
        `<table:table-cell office:value-type="string" table:number-columns-repeated="16384"><text:p>${'x'.repeat(1e6)}</text:p></table:table-cell>`,
      ),
    413,
  ],
  ['a million open elements', () => workbook({ sheet: filled('<a>') }), 200],
  [
    'a million open strings in a cell',
    () => workbook({ sheet: row(`<c t="inlineStr"><is>${filled('<r><t>')}</is></c>`) }),
    200,
  ],
  ['half a million shared strings', () => workbook({ strings: filled(string('a')) }), 413],
  ['a million runs of one shared string', () => workbook({ strings: `<si>${filled('<r><t>')}</si>` }), 200],
  [
    '8 MB of escaped characters',
    () => workbook({ sheet: row(`<c t="str"><v>${filled('&amp;')}</v></c>`) }),
    413,
  ],
  [
    '8 MB of characters by number',
    () => workbook({ sheet: row(`<c t="str"><v>${filled('_x0041_')}</v></c>`) }),
    413,
  ],
  ['half a million cells', () => workbook({ sheet: filled(row('<c><v>1</v></c>')) }), 413],
  ['half a million formulas without results', () => workbook({ sheet: row(filled('<c><f>A</f></c>')) }), 413],
  ['a million open formulas', () => workbook({ sheet: row(filled('<c><f>')) }), 413],
  [
    'a table of all cells of a sheet, merged and linked',
    () =>
      workbook({
        before: '<dimension ref="A1:XFD1048576"/>',
        sheet: '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        after:
          '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells><hyperlinks><hyperlink ref="A1:XFD1048576" location="x"/></hyperlinks>',
      }),
    200,
  ],
  [
    'a hundred thousand links of all cells',
    () => workbook({ after: filled('<hyperlink ref="A1:XFD1048576" location="x"/>') }),
    200,
  ],
  [
    '100,000 formats',
    () => workbook({ formats: `<numFmts>${filled('<numFmt numFmtId="1000" formatCode="0"/>')}</numFmts>` }),
    413,
  ],
  [
    '100,000 styles',
    () => workbook({ formats: `<cellXfs>${'<xf numFmtId="31"/>'.repeat(100_000)}</cellXfs>` }),
    200,
  ],
  [
    'parts that are relations of each other, and outside',
    () =>
      workbook({
        more: {
          'xl/_rels/workbook.xml.rels':
            '<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" TargetMode="External" Target="http://127.0.0.1:9/sheet1.xml"/><Relationship Id="r2" Target="../_rels/.rels"/></Relationships>',
          '_rels/.rels':
            '<Relationships><Relationship Id="r1" Target="xl/_rels/workbook.xml.rels"/></Relationships>',
        },
      }),
    400,
  ],
  [
    'a million rows of a cell',
    () =>
      spreadsheet(
        '<table:table-cell office:value-type="string" table:number-columns-repeated="1000"><text:p>x</text:p></table:table-cell>',
        ' table:number-rows-repeated="1000000"',
      ),
    413,
  ],
  ['a compound file of one sector that follows itself', cyclic, 400],
  ['a hundred thousand sheets', () => workbook({ sheets: '<sheet name="a" r:id="r1"/>'.repeat(1e5) }), 413],
  [
    'a million unknown columns',
    () => `${Array.from({ length: 1e6 }, (_, n) => `c${n}`).join(',')}\n1\n`,
    413,
  ],
  [
    '16,000 unknown columns',
    () => `${Array.from({ length: 16_000 }, (_, n) => `family_nam${n}`).join(',')}\n1\n`,
    200,
  ],
  ['5 million empty columns', () => `${','.repeat(5e6)}\n`, 413],
  ['a million values of one cell', () => `pid,name,affiliations\nlabid:a,a,${'labid:x|'.repeat(1e6)}\n`, 413],
  [
    '500 problems in each of 190 rows of 500 columns',
    () => {
      const keys = Array.from({ length: 500 }, (_, n) => `annotations.ex${n}`);
      return `pid,name,family_name,${keys}\n${`labid:a,a,b${',1'.repeat(500)}\n`.repeat(190)}`;
    },
    200,
  ],
];

const TURNS = resolve(import.meta.dirname, '../../../scripts/stalls/turns.ts');

const skip = existsSync('/proc/self/clear_refs') ? false : 'the system does not report memory in /proc';

test('a hostile table costs little time and memory', { skip }, async (t) => {
  const store = mkdtempSync(join(tmpdir(), 'accession-tables-'));
  t.after(() => rmSync(store, { recursive: true, force: true }));
  writeFileSync(join(store, '.dumpthings.yaml'), JSON.stringify(CONFIGURATION));
  const turns = join(store, 'turns');
  const service = await startService([store], {
    environment: { NODE_OPTIONS: `--import ${TURNS}`, ACCESSION_TURNS: turns },
  });
  t.after(() => service.kill());
  const proc = `/proc/${service.child.pid}`;
  const seconds = () => {
    const [user, system] = readFileSync(`${proc}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13);
    return (Number(user) + Number(system)) / 100;
  };
  const mib = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`${proc}/status`, 'utf8'))![1]) / 1024;

  for (const [name, makeBody, status] of TABLES) {
    await t.test(name, async () => {
      const body = makeBody();
      assert.ok(body.length < 10 * 2 ** 20);
      writeFileSync(`${proc}/clear_refs`, '5');
      await longestTurn(service.child, turns);
      const [secondsBefore, mibBefore] = [seconds(), mib('VmRSS')];
      const response = await fetch(`${service.url}/-/c/table/Person?dry_run=true`, {
        method: 'POST',
        headers: { 'content-type': 'text/csv' },
        body,
      });
      const text = await response.text();
      const isSlow = response.status === 413 && text.includes('seconds of processor time');
      assert.ok(response.status === status || isSlow, `${response.status}: ${text.slice(0, 500)}`);
      assert.ok(!/[^"]{500}/.test(text), 'no cell is repeated whole');
      const [spent, grown] = [seconds() - secondsBefore, mib('VmHWM') - mibBefore];
      const turn = await longestTurn(service.child, turns);
      t.diagnostic(`${name}: ${spent.toFixed(2)} s, ${grown.toFixed(0)} MiB, longest turn ${turn} ms`);
      assert.ok(turn < MOST_TURN_MS, `a turn of ${turn} ms`);
      assert.ok(spent < MOST_SECONDS, `${spent} s of processor time`);
      assert.ok(grown < MOST_MIB, `${grown} MiB`);
    });
  }
});
