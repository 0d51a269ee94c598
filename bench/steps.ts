/**
 * What stores and the steps of the indexes take the connection that writes, in processor time: the mean for each record, and the longest
 * transaction, for which stores wait.
 *
 *     node bench/steps.ts [--records 40000]
 *
 * Records are stored 4 in a transaction. Behind 64 of them, each index makes a step in a transaction of its own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { canonicalJson } from '#linkml/json.ts';
import type { RevisionSpan } from '../src/core/storage/database.ts';
import { indexTexts } from '../src/core/storage/search/text-index.ts';
import { indexValues } from '../src/core/storage/search/value-index.ts';
import { indexWords } from '../src/core/storage/search/word-index.ts';
import { writingConnection } from '../src/core/storage/sqlite/connection.ts';
import { layTables } from '../src/core/storage/sqlite/sqlite.ts';
import { writeRecords } from '../src/core/storage/write/records.ts';
import { recordOf } from './service/data.ts';

const { values: flags } = parseArgs({ options: { records: { type: 'string', default: '40000' } } });
const RECORDS = Number(flags.records);
const AREA = 1;
const BY = { committer: 'bench', author: 'bench', role: 'service' } as const;
const RECORDS_OF_STORE = 4;
const RECORDS_OF_STEP = 64;

const directory = mkdtempSync(join(tmpdir(), 'accession-bench-'));
process.once('exit', () => rmSync(directory, { recursive: true }));
const file = join(directory, 'accession.db');
layTables(file);
const database = new DatabaseSync(file);
database.exec("PRAGMA wal_autocheckpoint = 8000; INSERT INTO accession_area (path) VALUES ('bench')");
const connection = writingConnection(database);

/** Milliseconds of each transaction, by what it does. */
const spent: Record<'stores' | 'trigrams' | 'words' | 'values', number[]> = {
  stores: [],
  trigrams: [],
  words: [],
  values: [],
};

async function transaction(name: keyof typeof spent, work: () => Promise<unknown>): Promise<void> {
  const before = process.threadCpuUsage();
  await connection.begin();
  await work();
  await connection.commit();
  const { user, system } = process.threadCpuUsage(before);
  spent[name].push((user + system) / 1000);
}

function change(number: number) {
  const { className, record } = recordOf(number);
  const iri = record.pid.replace('labid:', 'https://example.org/laboratory/id/');
  return { put: { pid: record.pid, iri, className, json: canonicalJson(record), links: '' } };
}

for (let first = 0; first < RECORDS; first += RECORDS_OF_STEP) {
  for (let at = first; at < first + RECORDS_OF_STEP; at += RECORDS_OF_STORE) {
    const changes = Array.from({ length: RECORDS_OF_STORE }, (_, of) => change(at + of));
    await transaction('stores', () => writeRecords(connection, AREA, changes, BY));
  }
  const span: RevisionSpan = { from: first + 1, to: first + RECORDS_OF_STEP };
  await transaction('trigrams', () => indexTexts(connection, AREA, span));
  await transaction('words', () => indexWords(connection, AREA, span, { heads: {} }));
  await transaction('values', () => indexValues(connection, AREA, span));
}
database.close();

console.log('|  | µs of a record | ms of the longest transaction |\n| --- | --- | --- |');
for (const [name, milliseconds] of Object.entries(spent)) {
  const each = (1000 * milliseconds.reduce((sum, one) => sum + one, 0)) / RECORDS;
  console.log(`| ${name} | ${each.toFixed(1)} | ${Math.max(...milliseconds).toFixed(1)} |`);
}
