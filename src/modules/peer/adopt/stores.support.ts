/** Stores as the peer leaves them, for the tests that adopt them. */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject } from '#linkml/json.ts';
import { canonicalJson } from '#linkml/json.ts';
import { writeYaml } from '#linkml/yaml/write.ts';
import { SCHEMAS } from '../../../../test/support/configuration-schemas.ts';
import { sqliteAt } from '../../../../test/support/sqlite.ts';
import type { Adoption, AdoptOptions } from '../../../core/collections/adoption.ts';
import { Schemas } from '../../../core/collections/schemas.ts';
import { initialConfiguration } from '../../../core/config/startup.ts';
import { filePath } from '../../../core/formats/record-path.ts';
import { SILENT_LOG } from '../../../core/storage/log.ts';
import { provided } from '../../../module.ts';
import { MODULES } from '../../../modules.ts';
import { PeerTable } from '../export/table.ts';
import { adoptIntoSqlite } from './adopt.ts';

export const SCHEMA = resolve(import.meta.dirname, '../../../../test/parity/fixtures/laboratory.yaml');

export const person = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  pid: `ex:${name}`,
  ...more,
});
export const iriOf = (name: string) => `https://example.org/ns/${name}`;

/** Makes a temporary store directory. */
export function storeDirectory(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'accession-adopt-'));
  t.after(() => rmSync(root, { recursive: true }));
  return root;
}

/** Writes a configuration file into the store, as the peer finds it there. */
export function configure(root: string, collections: Record<string, JsonObject>): void {
  const complete = Object.entries(collections).map(([name, more]) => [
    name,
    {
      schema: SCHEMA,
      default_token: 'anyone',
      curated: `${name}/curated`,
      incoming: `${name}/incoming`,
      ...more,
    },
  ]);
  const tokens = { anyone: { user_id: 'anyone', representation: 'secret', collections: {} } };
  const file = {
    type: 'collections',
    version: 2,
    collections: Object.fromEntries(complete),
    tokens,
    admin_tokens: {},
  };
  writeFileSync(join(root, '.dumpthings.yaml'), JSON.stringify(file));
}

/** Writes a record file, or any text in its place. */
export function writeRecord(area: string, record: JsonObject | string, path?: string): string {
  const name = path ?? filePath('digest-md5', 'Person', String((record as JsonObject).pid));
  mkdirSync(dirname(join(area, name)), { recursive: true });
  writeFileSync(join(area, name), typeof record === 'string' ? record : writeYaml(record));
  return name;
}

/** Writes the peer's table. */
export function writeTable(area: string, records: readonly JsonObject[], className = 'Person'): void {
  mkdirSync(area, { recursive: true });
  const table = new PeerTable(area, true);
  for (const record of records) {
    const pid = String(record.pid);
    table.write({ pid, iri: iriOf(pid.slice(3)), className, json: canonicalJson(record) });
  }
  table.close();
}

/** Writes the database of release 0.2 beside the files of records, with an entry for each of them. */
export function writeFormer(
  area: string,
  records: readonly JsonObject[],
  /** In microseconds since 1970. */ begin: number,
): void {
  mkdirSync(join(area, '.accession'), { recursive: true });
  const database = sqliteAt(join(area, '.accession/area.db'));
  database.exec(`
    PRAGMA synchronous = OFF;
    CREATE TABLE thing (id INTEGER PRIMARY KEY, iri TEXT, class_name TEXT, object TEXT, sort_key TEXT);
    CREATE UNIQUE INDEX ix_thing_iri ON thing (iri);
    CREATE TABLE accession_entry (revision INTEGER PRIMARY KEY, iri TEXT NOT NULL, pid TEXT NOT NULL, class_name TEXT NOT NULL,
      deleted INTEGER NOT NULL, time INTEGER NOT NULL, committer TEXT, author TEXT, role TEXT, note TEXT, object TEXT, former TEXT);
    CREATE INDEX accession_entry_iri ON accession_entry (iri);
    BEGIN`);
  const thing = database.prepare(
    "INSERT INTO thing (iri, class_name, object, sort_key) VALUES (?, 'Person', ?, ?)",
  );
  const entry =
    database.prepare(`INSERT INTO accession_entry (iri, pid, class_name, deleted, time, committer, author, role)
    VALUES (?, ?, 'Person', 0, ?, 'curator', 'curator', 'curator')`);
  for (const [at, record] of records.entries()) {
    const pid = String(record.pid);
    thing.run(iriOf(pid.slice(3)), canonicalJson(record), pid);
    entry.run(iriOf(pid.slice(3)), pid, begin + at);
  }
  database.exec('COMMIT');
  database.close();
}

export type Logged = {
  readonly record: JsonObject;
  readonly time: string;
  readonly author?: string;
  readonly deleted?: boolean;
};

/** Writes an audit log as the peer does; each list of changes is one commit. */
export function writeLog(repository: string, commits: readonly (readonly Logged[])[]): void {
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=master', repository]);
  const lines = new Map<string, string>();
  const written = commits.map((changes) =>
    changes.flatMap(({ record, time, author = 'curator', deleted = false }): [string, string][] => {
      const pid = String(record.pid);
      const key = hash('sha1', pid);
      const line = {
        author_id: author,
        committer_id: 'curator',
        ...(deleted && { deleted }),
        time_stamp: time,
      };
      const members = Object.entries(line).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
      lines.set(key, `${lines.get(key) ?? ''}{${members.join(', ')}}\n`);
      const stem = `${key.slice(0, 3)}/${key.slice(3, 6)}/${key}`;
      return [
        [`${stem}.yaml`, writeYaml(deleted ? { deleted, pid } : { ...record, schema_type: 'schema:Person' })],
        [`${stem}.log`, lines.get(key)!],
      ];
    }),
  );
  const all = [[['README.txt', 'A git-based audit backend\n']] as const, ...written];
  const input = all.flatMap((files) => [
    'commit refs/heads/master\ncommitter test <> 0 +0000\n',
    dataOf('persist changes'),
    ...files.map(([path, text]) => `M 100644 inline ${path}\n${dataOf(text)}`),
  ]);
  execFileSync('git', ['--git-dir', repository, 'fast-import', '--quiet'], { input: input.join('') });
}

const dataOf = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;

export function adoptOptions(root: string): AdoptOptions {
  return {
    root,
    log: SILENT_LOG,
    initial: () => initialConfiguration({ root, schemas: SCHEMAS }),
    configurationSchemas: SCHEMAS,
    logs: provided(MODULES, 'logs'),
    schemas: new Schemas(root, SILENT_LOG, undefined, { keep: false }),
  };
}

export function adopt(root: string, more: Partial<AdoptOptions> = {}): Promise<Adoption | undefined> {
  return adoptIntoSqlite(join(root, 'accession.db'), { ...adoptOptions(root), ...more });
}

/** Rows of a database in which a store was adopted. */
export function rowsOf(root: string, sql: string, ...values: string[]): unknown[][] {
  const database = sqliteAt(join(root, 'accession.db'), { readOnly: true });
  try {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement.all(...values) as unknown as unknown[][];
  } finally {
    database.close();
  }
}
