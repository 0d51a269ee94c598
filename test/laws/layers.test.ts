/** Holds the layer table of CONTRIBUTING.md: which room may import which. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');
const src = join(root, 'src');
const ui = join(root, 'ui');

/** Files that every room may import. */
const GROUND = [
  'errors',
  'durations',
  'json',
  'json-schema',
  'shapes',
  'folding',
  'position',
  'schema-type',
  'in-turn',
  'yield',
  'batches',
];

/** Rows of the table: room → what it may import, rooms or single files; the files of `GROUND` go without saying. */
const MAY_IMPORT: Record<string, readonly string[]> = readTable();

test('every room of src and ui is in the layer table, and every row is a room', () => {
  const folders = readdirSync(ui).filter((name) => !name.endsWith('.json'));
  const rooms = [
    ...readdirSync(src)
      .filter((name) => !name.endsWith('.test.ts'))
      .map((name) => name.replace(/\.ts$/, '')),
    ...folders.map((name) => `ui/${name.replace(/\.tsx$/, '')}`),
  ];
  const missing = rooms.filter((room) => !(room in MAY_IMPORT));
  assert.deepEqual(missing, [], 'rooms without a row in CONTRIBUTING.md');
  const gone = Object.keys(MAY_IMPORT).filter((room) => !rooms.includes(room));
  assert.deepEqual(gone, [], 'rows of CONTRIBUTING.md without a room');
});

test('no file imports from a room that its own room may not import', () => {
  const offences: string[] = [];
  for (const file of [...sourceFiles(src), ...sourceFiles(ui)]) {
    if (/\.(test|contract)\.ts$/.test(file)) continue;
    const room = roomOf(file);
    const allowed = MAY_IMPORT[room] ?? [];
    for (const target of importsOf(file)) {
      const targetRoom = roomOf(target);
      if (targetRoom === room || allowed.includes('everything')) continue;
      if (GROUND.includes(targetRoom) && !room.startsWith('ui/') && !GROUND.includes(room)) continue;
      const place = relative(src, target).split(sep).join('/');
      if (!allowed.includes(targetRoom) && !allowed.includes(place)) {
        offences.push(`${relative(root, file)} imports ${place}`);
      }
    }
  }
  assert.deepEqual(offences, []);
});

test('the desk uses no packages but Preact and its signals', () => {
  const offences = sourceFiles(ui)
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const names = [...readFileSync(file, 'utf8').matchAll(/from '([^.'][^']*)'/g)].map(
        (match) => match[1] ?? '',
      );
      return names
        .filter((name) => !/^(preact(\/|$)|@preact\/signals$)/.test(name))
        .map((name) => `${file}: ${name}`);
    });
  assert.deepEqual(offences, []);
});

/** Reads the rows `| room | may import |` below the heading "Layers" of CONTRIBUTING.md. */
function readTable(): Record<string, string[]> {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const section = text.split(/^## Layers$/m)[1]?.split(/^## /m)[0] ?? '';
  const table: Record<string, string[]> = {};
  for (const line of section.split('\n')) {
    const cells = line.split('|').map((cell) => cell.trim());
    if (cells.length !== 4 || cells[1] === 'room' || /^-+$/.test(cells[1] ?? '')) continue;
    const allowed = (cells[2] ?? '').split(',').map((word) => word.replaceAll('`', '').trim());
    for (const room of (cells[1] ?? '').split(',')) table[room.replaceAll('`', '').trim()] = allowed;
  }
  return table;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The project's own files that a file imports, types included. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].map((match) =>
    resolve(dirname(file), match[1] ?? ''),
  );
}

function roomOf(file: string): string {
  const inUi = relative(ui, file);
  if (!inUi.startsWith('..')) return `ui/${(inUi.split(sep)[0] ?? '').replace(/\.tsx$/, '')}`;
  return (relative(src, file).split(sep)[0] ?? '').replace(/\.ts$/, '');
}
