/** What an import prints of many faults. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { accession, scratch } from '../../../../test/cli/accession.ts';
import { listening } from '../../../../test/cli/service.ts';
import { csvRow } from '../files/csv.ts';

async function importer(t: TestContext) {
  const { url } = await listening(t);
  const folder = scratch(t);
  return async (rows: readonly (readonly string[])[], ...options: string[]) => {
    const file = join(folder, 'people.csv');
    writeFileSync(file, rows.map((row) => csvRow(row)).join(''));
    const args = ['import', 'lab', file, '--curated', '--class', 'Person', ...options];
    const { status, stderr } = await accession(args, { env: { ACCESSION_URL: url, ACCESSION_TOKEN: 'cur' } });
    return { status, lines: stderr.replaceAll(`${file}: `, '').replaceAll(folder, '').trimEnd().split('\n') };
  };
}

const HEADER = ['pid', 'name', 'family_name', 'email'];
const person = (n: number, email: string) => [`labid:p${n}`, 'P', 'P', email];
const wrong = Array.from({ length: 8 }, (_, n) => person(n, `wrong ${n}`));
const cell = (line: string) => line.replace(/:.*/, '');

test('the first five faults of a kind in a column are printed, and the number of the others', async (t) => {
  const load = await importer(t);
  const table = [HEADER, ...wrong, ['labid:p9', 'P', '', 'p@example.org'], person(0, 'p@example.org')];
  const { status, lines } = await load(table, '--dry-run');
  assert.equal(status, 2);
  const cells = [2, 3, 4, 5, 6].map((row) => `D${row} (email)`);
  assert.deepEqual(lines.slice(0, 7).map(cell), [...cells, 'C10 (family_name)', 'A11 (pid)']);
  assert.deepEqual(lines.slice(7), [
    '3 more like D2 (email), the last one in row 9',
    '0 rows valid, 10 refused',
    '--all prints each problem',
  ]);
  const all = await load(table, '--dry-run', '--all');
  const everywhere = [2, 3, 4, 5, 6, 7, 8, 9].map((row) => `D${row} (email)`);
  assert.deepEqual(all.lines.map(cell), [
    ...everywhere,
    'C10 (family_name)',
    'A11 (pid)',
    '0 rows valid, 10 refused',
  ]);
  const { lines: imported } = await load(table);
  assert.deepEqual(imported.slice(-2), [
    '3 more like D2 (email), the last one in row 9',
    '0 rows stored, 10 refused, in /people.rejected.csv',
  ]);
});

test('below a title, the row of the header is named, and no cell is read', async (t) => {
  const load = await importer(t);
  const table = [['Our people'], [''], ['pid', 'name', 'family_name', 'Room'], ...wrong];
  const { status, lines } = await load(table, '--dry-run');
  assert.equal(status, 2);
  assert.match(lines[0]!, /^A1 \(Our people\): The class Person has no slot "Our people"/);
  assert.match(lines[1]!, /^nothing was imported: correct the header, .*--map, .*--header-row 3$/);
  assert.equal(lines.length, 2);
});
