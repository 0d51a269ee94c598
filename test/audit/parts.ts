/** The real parts that the tests of the audit log are made of. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { AuditLog } from '../../src/audit/audit-log.ts';
import { openAuditLog } from '../../src/audit/backends.ts';
import { openStore } from '../../src/storage/backends.ts';
import type { RecordStore } from '../../src/storage/store.ts';

/** What is open in the test that runs; it is closed before its {@link scratch} directory goes. */
const opened: { close(): Promise<void> }[] = [];

export async function openRecords(directory: string): Promise<RecordStore> {
  const store = await openStore({ type: 'sqlite' }, directory, {
    expand: (pid) => pid.replace(/^ex:/, 'https://example.org/'),
    schemaTypeOf: (className) => `ex:${className}`,
  });
  opened.push(store);
  return store;
}

export async function openLog(directory: string, flushTimeout = 1, owner = 'lab'): Promise<AuditLog> {
  const config = { type: 'gitaudit', path: '', auto_flush_timeout: flushTimeout } as const;
  const log = await openAuditLog(config, directory, owner);
  opened.push(log);
  return log;
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
