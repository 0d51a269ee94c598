/** Stores to measure on, as the peer has them, so that every release takes them in: any number of records, made by counting. */
import { closeSync, existsSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { canonicalJson, type JsonObject } from '#linkml/json.ts';
import { writeYaml } from '#linkml/yaml/write.ts';
import { type BackendConfig, DEFAULT_BACKEND, mappingOf } from '../../src/core/config/backends.ts';
import { writeDirectoryConfig } from '../../src/core/formats/directory-config.ts';
import { filePath } from '../../src/core/formats/record-path.ts';

const ID = 'https://example.org/laboratory/id/';

const BACKENDS = { records: { type: 'sqlite+stl' }, files: DEFAULT_BACKEND } as const;

/** Raised when the shape of the stores changes, so that no old one is used. */
const EDITION = 5;
const CACHE = path.join(tmpdir(), `accession-bench-${EDITION}`);

/** The example's schema, beside the stores: they know their schema by its address. */
export const SCHEMA = path.join(CACHE, 'schema.yaml');
const EXAMPLE_SCHEMA = path.resolve(import.meta.dirname, '../../examples/laboratory/schema.yaml');

const DATABASE_PAGE = 4096;
/** A prime larger than the pages of any database here: a walk in steps of it meets each page once. */
const STEP = 7_919_003;
/** Of record directories: they have the records alone. */
const CLASS_FOLDERS: ReadonlySet<string> = new Set(['Person', 'Publication']);

/** Records in the own zone: half of them in front of curated ones. */
const ZONE_RECORDS = 500;

export type BenchRecord = { readonly className: string; readonly record: JsonObject & { pid: string } };

/** The record with this number: two publications for each person, about 300 bytes. */
export function recordOf(number: number, note = ''): BenchRecord {
  const digits = String(number).padStart(7, '0');
  if (number % 3 === 0) {
    return {
      className: 'Person',
      record: {
        affiliations: [`labid:organization-${number % 50}`],
        email: `person-${digits}@example.org`,
        family_name: `Family ${(number * 7919) % 10_007}`,
        given_name: `Given ${number % 97}`,
        name: `Given ${number % 97} Family ${(number * 7919) % 10_007}${note}`,
        pid: `labid:person-${digits}`,
      },
    };
  }
  return {
    className: 'Publication',
    record: {
      about: [`labid:project-${number % 200}`],
      authors: [`labid:person-${digits}`, `labid:person-${String(number >> 1).padStart(7, '0')}`],
      open_access: number % 2 === 0,
      page_count: 4 + (number % 40),
      pid: `labid:publication-${digits}`,
      publication_kind: ['article', 'dataset', 'software'][number % 3] as string,
      published: `20${10 + (number % 15)}-0${1 + (number % 9)}-1${number % 10}`,
      title: `On the matter of case ${(number * 104_729) % 1_000_003}, reported once more${note}`,
    },
  };
}

/** A store with the collections `records` (sqlite+stl) and, where asked for, `files` (record_dir+stl). */
export async function storeOf(sizes: { readonly records: number; readonly files?: number }): Promise<string> {
  const { records, files = 0 } = sizes;
  await mkdir(CACHE, { recursive: true });
  await copyFile(EXAMPLE_SCHEMA, SCHEMA);
  const cached = path.join(CACHE, `${records}-${files}`);
  if (existsSync(cached)) return cached;
  const making = `${cached}.making`;
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { recursive: true });
  await fillCollection(path.join(making, 'records'), BACKENDS.records, records);
  if (files > 0) await fillCollection(path.join(making, 'files'), BACKENDS.files, files);
  await rename(making, cached);
  return cached;
}

/** A copy that a service may write to. */
export async function copyOf(store: string, name: string): Promise<string> {
  const copy = path.join(CACHE, 'in-use', name);
  await rm(copy, { recursive: true, force: true });
  await copyFolder(store, copy);
  return copy;
}

/**
 * Files of records are linked: the service replaces them and never writes into them, and the index of the files holds for
 * links, while it would read a million copies again.
 */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target);
    else if (/^[^.].*\.yaml$/.test(entry.name)) await link(source, target);
    else if (entry.name.endsWith('.db')) copyInPages(source, target);
    else await copyFile(source, target);
  }
}

/**
 * Copies a database as a service writes it, page by page. The system keeps what is written at once together, and a write to
 * one page of it costs more then.
 */
function copyInPages(from: string, to: string): void {
  const [source, target] = [openSync(from, 'r'), openSync(to, 'w')];
  const page = Buffer.alloc(DATABASE_PAGE);
  for (let read = readSync(source, page); read > 0; read = readSync(source, page))
    writeSync(target, page, 0, read);
  closeSync(source);
  closeSync(target);
}

/** Reads the databases of a copy, so that no request waits for the disk. In no order: the system would keep long stretches together. */
export async function bringIntoMemory(copy: string): Promise<void> {
  for (const entry of await readdir(copy, { withFileTypes: true })) {
    const file = path.join(copy, entry.name);
    if (entry.isDirectory() && !CLASS_FOLDERS.has(entry.name)) await bringIntoMemory(file);
    if (entry.isFile() && entry.name.endsWith('.db')) readPages(file);
  }
}

function readPages(file: string): void {
  const handle = openSync(file, 'r');
  const page = Buffer.alloc(DATABASE_PAGE);
  const pages = Math.ceil(fstatSync(handle).size / DATABASE_PAGE);
  for (let i = 0; i < pages; i++)
    readSync(handle, page, 0, DATABASE_PAGE, ((i * STEP) % pages) * DATABASE_PAGE);
  closeSync(handle);
}

async function fillCollection(directory: string, backend: BackendConfig, count: number): Promise<void> {
  await fillArea(path.join(directory, 'curated'), backend, 0, count, '');
  const first = Math.max(0, count - ZONE_RECORDS / 2);
  await fillArea(path.join(directory, 'incoming', 'reader'), backend, first, ZONE_RECORDS, ', changed');
}

async function fillArea(
  directory: string,
  backend: BackendConfig,
  first: number,
  count: number,
  note: string,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const records = function* () {
    for (let number = first; number < first + count; number++) {
      const { className, record } = recordOf(number, note);
      yield { pid: record.pid, className, record };
    }
  };
  if (backend.type.startsWith('sqlite')) {
    writeTable(directory, records());
    return;
  }
  writeDirectoryConfig(directory, mappingOf(backend), SCHEMA);
  for (const { pid, className, record } of records()) {
    const file = path.join(directory, filePath(mappingOf(backend), className, pid));
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, writeYaml(record));
  }
}

/** Writes the table of records as the peer has it. */
function writeTable(directory: string, records: Iterable<BenchRecord & { readonly pid: string }>): void {
  const table = new DatabaseSync(path.join(directory, '__sqlite-records.db'));
  table.exec(`PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;
    CREATE TABLE thing (id INTEGER NOT NULL, iri VARCHAR NOT NULL, class_name VARCHAR(255) NOT NULL, object JSON NOT NULL,
      sort_key VARCHAR NOT NULL, PRIMARY KEY (id));
    CREATE INDEX ix_thing_class_name ON thing (class_name);
    CREATE UNIQUE INDEX ix_thing_iri ON thing (iri);
    BEGIN`);
  const insert = table.prepare('INSERT INTO thing (iri, class_name, object, sort_key) VALUES (?, ?, ?, ?)');
  for (const { pid, className, record } of records)
    insert.run(iriOf(pid), className, canonicalJson(record), pid);
  table.exec('COMMIT');
  table.close();
}

function iriOf(pid: string): string {
  return pid.replace(/^labid:/, ID);
}

/** The configuration for a store of {@link storeOf}. */
export async function writeConfig(
  file: string,
  collections: readonly (keyof typeof BACKENDS)[] = ['records', 'files'],
): Promise<string> {
  const entries = collections.map((name) => [
    name,
    {
      schema: SCHEMA,
      default_token: 'reader',
      curated: `${name}/curated`,
      incoming: `${name}/incoming`,
      backend: BACKENDS[name],
    },
  ]);
  const token = (name: string, mode: string) => ({
    user_id: `${name}@example.org`,
    representation: secretOf(name),
    collections: Object.fromEntries(collections.map((each) => [each, { mode, incoming_label: name }])),
  });
  const tokens = {
    reader: token('reader', 'WRITE_COLLECTION'),
    writer: token('writer', 'WRITE_COLLECTION'),
    curator: token('curator', 'CURATOR'),
  };
  const configuration = {
    type: 'collections',
    version: 2,
    collections: Object.fromEntries(entries),
    tokens,
    admin_tokens: {},
  };
  await writeFile(file, JSON.stringify(configuration));
  return file;
}

export function secretOf(token: string): string {
  return `bench secret of the ${token}`;
}
