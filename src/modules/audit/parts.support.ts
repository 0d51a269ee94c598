/** The real parts that the tests of the audit log are made of. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { Database } from '../../core/storage/database.ts';
import { SILENT_LOG } from '../../core/storage/log.ts';
import { openPostgresqlDatabase } from '../../core/storage/postgresql/postgresql.ts';
import { openSqliteDatabase } from '../../core/storage/sqlite/sqlite.ts';
import type { RecordStore } from '../../core/storage/store.ts';
import { Pool } from '../../core/work/pool.ts';
import { Projector } from '../../core/work/projector.ts';
import type { AuditLog } from './audit-log.ts';
import { readGitLog } from './git/read-log.ts';
import { AuditLogs } from './logs.ts';

/** What is open in the test that runs; it is closed before its {@link scratch} directory goes. */
const opened: { close(): Promise<void> }[] = [];

/** An area of a database. */
export type Records = {
  readonly database: Database;
  readonly store: RecordStore;
  readonly logs: AuditLogs;
  close(): Promise<void>;
};

/** @param url a PostgreSQL database, instead of one in the directory */
export async function openRecords(directory: string, url?: string): Promise<Records> {
  await mkdir(directory, { recursive: true });
  const database =
    url === undefined
      ? await openSqliteDatabase(join(directory, 'accession.db'))
      : await openPostgresqlDatabase(url);
  // An instance of several leads when it has the lease.
  await eventually('the lease', () => database.leadership.held);
  const projector = new Projector(database, SILENT_LOG);
  let isOpen = true;
  const records = {
    database,
    store: await database.area('area'),
    logs: new AuditLogs({ projector, pool: new Pool(), log: SILENT_LOG }),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await projector.stopAll();
      await database.close();
    },
  };
  opened.push(records);
  return records;
}

function expand(pid: string): string {
  return pid.replace(/^ex:/, 'https://example.org/');
}

export async function openLog(
  directory: string,
  { database, store, logs }: Records,
  flushTimeout = 60,
  owner = 'lab',
): Promise<AuditLog> {
  const config = { type: 'gitaudit', path: 'audit', auto_flush_timeout: flushTimeout } as const;
  const log = await logs.open(config, directory, owner, { database, store });
  opened.unshift(log);
  return log;
}

/** A change in the repository. */
export type Logged = {
  readonly pid: string;
  readonly author: string;
  readonly record: JsonObject | undefined;
};

/** The changes of a record in the repository of a log, oldest first. */
export async function logged(directory: string, pid: string): Promise<Logged[]> {
  const changes: Logged[] = [];
  for await (const change of readGitLog(directory, null)) if (change.pid === pid) changes.push(change);
  return changes;
}

/** An area and its log. */
type Audited = Records & {
  readonly log: AuditLog;
  /** Puts the record of a text, or deletes the record of a pid. */
  record(text: string, author?: string): Promise<void>;
  remove(pid: string, author?: string): Promise<void>;
  /** The changes of a record in the repository. */
  logged(pid: string): Promise<Logged[]>;
};

/** Opens an area in `records` and its log in `log`, both below a directory. */
export async function openAudited(directory: string, flushTimeout?: number): Promise<Audited> {
  const records = await openRecords(join(directory, 'records'));
  const { store } = records;
  const log = await openLog(join(directory, 'log'), records, flushTimeout);
  const by = (author: string) => ({ committer: 'curator', author, role: 'curator' }) as const;
  return {
    ...records,
    log,
    async record(text, author = 'curator') {
      const { pid } = parseJson(text) as { pid: string };
      await store.write([{ put: { pid, iri: expand(pid), className: 'Thing', json: text } }], by(author));
    },
    async remove(pid, author = 'curator') {
      await store.write([{ delete: expand(pid) }], by(author));
    },
    logged: (pid) => logged(join(directory, 'log'), pid),
    async close() {
      await log.close();
      await records.close();
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
