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

export function openRecords(directory: string): Promise<RecordStore> {
  return openStore({ type: 'sqlite' }, directory, {
    expand: (pid) => pid.replace(/^ex:/, 'https://example.org/'),
    schemaTypeOf: (className) => `ex:${className}`,
  });
}

export function openLog(directory: string, flushTimeout = 1, owner = 'lab'): Promise<AuditLog> {
  return openAuditLog({ type: 'gitaudit', path: '', auto_flush_timeout: flushTimeout }, directory, owner);
}

/** A directory that is gone after the test. */
export async function scratch(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'accession-audit-'));
  t.after(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

const run = promisify(execFile);

/** What git prints. */
export async function git(directory: string, ...args: string[]): Promise<string> {
  return (await run('git', [`--git-dir=${directory}`, ...args], { maxBuffer: 1 << 28 })).stdout;
}
