/** The real parts that the tests of the audit log are made of. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { AuditLog } from '../../src/audit/audit-log.ts';
import { AuditLogs } from '../../src/audit/logs.ts';
import { Jobs } from '../../src/jobs/jobs.ts';
import {
  type BackendConfig,
  type BackendType,
  DEFAULT_BACKEND,
  openStore,
} from '../../src/storage/backends.ts';
import { SILENT_LOG } from '../../src/storage/log.ts';
import { openPostgresql } from '../../src/storage/postgresql/database.ts';
import { postgresqlStores } from '../../src/storage/postgresql/stores.ts';
import type { RecordStore } from '../../src/storage/store.ts';
import { StoreHandles } from '../../src/storage/store-handles.ts';

/** What is open in the test that runs; it is closed before its {@link scratch} directory goes. */
const opened: { close(): Promise<void> }[] = [];

const SILENT = { info: () => {}, warn: () => {} };

/** The stores and logs that are open in this process. */
const handles = new StoreHandles();
const logs = new AuditLogs(new Jobs(SILENT), SILENT);

/** @param url the database, if the backend is in one */
export async function openRecords(
  directory: string,
  type: BackendType = 'sqlite',
  url?: string,
): Promise<RecordStore> {
  const database = url === undefined ? undefined : await openPostgresql(url, { log: SILENT_LOG });
  if (database) opened.push(database);
  const store = await openStore(
    type.startsWith('record_dir')
      ? ({ ...DEFAULT_BACKEND, type } as BackendConfig)
      : ({ type } as BackendConfig),
    directory,
    {
      ...{ expand, schemaTypeOf, handles },
      postgresql: database && postgresqlStores(database, dirname(directory)),
    },
  );
  const own = { ...store, close: () => store.close().then(() => database?.close()) };
  opened.unshift(own);
  return own;
}

function expand(pid: string): string {
  return pid.replace(/^ex:/, 'https://example.org/');
}

function schemaTypeOf(className: string): string {
  return `ex:${className}`;
}

export async function openLog(
  directory: string,
  store: RecordStore,
  flushTimeout = 60,
  owner = 'lab',
): Promise<AuditLog> {
  const config = { type: 'gitaudit', path: 'audit', auto_flush_timeout: flushTimeout } as const;
  const log = await logs.open(config, directory, owner, { store });
  opened.unshift(log);
  return log;
}

/** An area without a schema type, so that the log has the texts that are written, and its log. */
export type Audited = {
  readonly store: RecordStore;
  readonly log: AuditLog;
  /** Puts the record of a text, or deletes the record of a pid. */
  record(text: string, author?: string): Promise<void>;
  remove(pid: string, author?: string): Promise<void>;
  close(): Promise<void>;
};

/** Opens an area in `records` and its log in `log`, both below a directory. */
export async function openAudited(directory: string, flushTimeout?: number): Promise<Audited> {
  const store = await openStore({ type: 'sqlite' }, join(directory, 'records'), {
    expand,
    schemaTypeOf: () => undefined,
    handles,
  });
  opened.push(store);
  const log = await openLog(join(directory, 'log'), store, flushTimeout);
  const by = (author: string) => ({ committer: 'curator', author, role: 'curator' }) as const;
  return {
    store,
    log,
    async record(text, author = 'curator') {
      const { pid } = JSON.parse(text) as { pid: string };
      await store.write([{ put: { pid, iri: expand(pid), className: 'Thing', json: text } }], by(author));
    },
    async remove(pid, author = 'curator') {
      await store.write([{ delete: expand(pid) }], by(author));
    },
    async close() {
      await log.close();
      await store.close();
    },
  };
}

/** A directory that is gone after the test. */
export async function scratch(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'accession-audit-'));
  t.after(async () => {
    for (const one of opened.splice(0)) await one.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  return directory;
}

const run = promisify(execFile);

/** What git prints. */
export async function git(directory: string, ...args: string[]): Promise<string> {
  return (await run('git', [`--git-dir=${directory}`, ...args], { maxBuffer: 1 << 28 })).stdout;
}
