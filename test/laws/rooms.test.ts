/** How large the rooms of `src` are, without tests. A room that grows needs its new number here, in the same commit. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

/**
 * The most lines of each room; `src` are the files that belong to no room. What the documentation shows (endpoints, parameters,
 * flags, formats, names) is not removed to make room.
 */
const MOST_LINES: Readonly<Record<string, number>> = {
  access: 858,
  audit: 1074,
  // With pages from templates, faults of schemas as JSON, imports that are stopped, and edits that are tried,
  // and texts that have to be UTF-8, with the line where they are not, refused arguments by name, and cells below a refused header.
  cli: 8563,
  // With the public URL of a record, invitations, the changes of one record, and the hints of batches.
  client: 1020,
  // With titles for harvesters that are looked up in turns, the nearest name of a class,
  // searches with many values in threads, and a bound of what former states remember, and titles read some at a time.
  collections: 4128,
  // With invitations, and the schemas of stores that were moved.
  config: 2777,
  curate: 1459,
  // With JSON-LD and N-Quads, written and read, and the reason for IRIs that are not valid, and the bytes that are not UTF-8.
  formats: 3175,
  // With the bounds of responses that are not read, shares of clients, trusted proxies, records in the web of data,
  // invitations, the forms of names, times and words, the first frame of the desk, parameters that are repeated or
  // alternatives, contacts, the worker of the desk, what else a parameter may be, the bound of expansions in exports,
  // long records that are expanded in threads, headers that proxies take, and caches that ask again.
  http: 9911,
  metrics: 174,
  // With the way back from an undo, and records judged in threads.
  migrate: 2055,
  // With the schemas of stores that were moved, and what an adoption passes by.
  peer: 4453,
  // With profiles: the terms of three vocabularies, and derivations in YAML.
  publish: 1516,
  // With the referrers of many records found at once, groups of conditions on slots with several values, parsed records for
  // expansions, the text of sets that are too large to keep, long referrers that are read
  // in parts, values that conditions compare, and the references and texts of long records for expansions, in parts.
  records: 3601,
  // With comments, submissions selected by number, titles in the list of decisions, its search, and refusals carried over in threads.
  review: 4421,
  // With bounds that exclude each other, and faults of files beside those of elements.
  // With the number of paths through patterns, a second engine for short strings,
  // schemas that threads parse, and suggestions that are bounded.
  schema: 9561,
  // With turns that long requests take one by one, a URL that is none, and expansions in threads.
  // And positions in texts, which formats had.
  src: 2095,
  // With scans that go on behind a record, and searches that leave out what gets another policy before it is read.
  storage: 6602,
  // With the records as a table for Croissant, and room on the disk that is left to others.
  releases: 813,
  // With rows that change nothing, counted and passed over, parts that are found by their relations, and damaged workbooks.
  tables: 2334,
  vocabularies: 1531,
  // With deliveries told from later ones of their number.
  webhooks: 685,
  // With the turns of clients, which the gate and the threads share.
  work: 1494,
  // With repeated keys reported and passed over.
  yaml: 1562,
};
const MOST_LINES_OF_A_FILE = 400;
const MEDIAN = { least: 100, most: 160 };

const src = resolve(import.meta.dirname, '../../src');
const files = globSync('**/*.ts', { cwd: src })
  .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('storage/contract/'))
  .map((file) => ({ file, lines: readFileSync(resolve(src, file), 'utf8').split('\n').length - 1 }))
  .sort((a, b) => a.lines - b.lines);

test('no room has more lines than its row in the table', (t) => {
  const lines = new Map<string, number>();
  for (const one of files) {
    const room = one.file.includes('/') ? one.file.split('/')[0]! : 'src';
    lines.set(room, (lines.get(room) ?? 0) + one.lines);
  }
  t.diagnostic([...lines].map(([room, count]) => `${room} ${count}`).join(', '));
  const grown = [...lines].filter(([room, count]) => count > (MOST_LINES[room] ?? 0));
  assert.deepEqual(Object.fromEntries(grown), {}, 'lines of rooms that have grown');
  assert.deepEqual(
    Object.keys(MOST_LINES).filter((room) => !lines.has(room)),
    [],
    'rows without a room',
  );
});

test('files are of a size to read at once', (t) => {
  const median = files[files.length >> 1]!.lines;
  const short = files.filter(({ lines }) => lines < 40).length;
  t.diagnostic(`${files.length} files, median ${median} lines, ${short} below 40 lines`);
  assert.ok(MEDIAN.least <= median && median <= MEDIAN.most, `the median is ${median} lines`);
  const long = files.filter(({ lines }) => lines > MOST_LINES_OF_A_FILE).map(({ file }) => file);
  assert.deepEqual(long, [], 'files that are too long');
});
