/** Numbers in place of dates: a table has none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scratch } from '../../../test/cli/accession.ts';
import { NUMBERS, schemaIn } from '../../../test/support/timestamps.ts';
import { writeXlsx } from './files/xlsx-write.ts';
import { readTables } from './rows/read-table.ts';
import { readRows } from './rows/rows.ts';

test('a table has no numbers as dates, in any cell and of any format', async (t) => {
  const { schema } = await schemaIn(scratch(t));
  const cells: Readonly<Record<string, (number: string) => string>> = {
    at: (number) => number,
    ats: (number) => `2024-01-01T00:00:00|${number}`,
    day: (number) => number,
    when: (number) => number,
    own: (number) => number,
    'part.at': (number) => number,
    part: (number) => `{"at": "${number}"}`,
    parts: (number) => `[{"note": "a"}, {"at": "${number}"}]`,
  };
  for (const [header, cellOf] of Object.entries(cells)) {
    const rows = [['pid', header], ...NUMBERS.map((number, at) => [`ex:${at}`, cellOf(number)])];
    const csv = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(',')).join('\n');
    for (const bytes of [Buffer.from(csv), writeXlsx([{ name: 'Thing', rows }])]) {
      const [found] = await readTables(bytes, bytes[0] === 0x50 ? 'xlsx' : 'csv', schema);
      const read = [...readRows(found!.table, { schema, className: 'Thing' })];
      assert.equal(read.length, NUMBERS.length, header);
      for (const [at, { record, faults }] of read.entries()) {
        assert.equal(record, undefined, `${header} ${NUMBERS[at]}`);
        assert.equal(faults.length, 1, `${header} ${NUMBERS[at]}`);
      }
    }
  }
});

test('a number in a column of dates has a hint that fits it', async (t) => {
  const { schema } = await schemaIn(scratch(t));
  const message = async (header: string, cell: string) => {
    const [found] = await readTables(Buffer.from(`pid,${header}\nex:1,${cell}\n`), 'csv', schema);
    return [...readRows(found!.table, { schema, className: 'Thing' })][0]?.faults[0]?.message;
  };
  assert.equal(
    await message('at', '45352'),
    'Found "45352", expected a date and time (YYYY-MM-DDTHH:MM:SS). A number is not read as the seconds since 1970. It may be a date of a spreadsheet program: write 2024-03-01.',
  );
  assert.match((await message('at', '45352.25'))!, /spreadsheet program: write 2024-03-01T06:00:00\.$/);
  assert.match((await message('when', '45352'))!, /spreadsheet program: write 2024-03-01\.$/);
  assert.match((await message('day', '2024'))!, /Write a whole date, such as 2024-01-31\.$/);
});
