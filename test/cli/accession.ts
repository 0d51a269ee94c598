/** Runs the command as people do. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';

const COMMAND = resolve(import.meta.dirname, '../../bin/accession.js');
/** The schema of the example store. */
export const LABORATORY = resolve(import.meta.dirname, '../../examples/laboratory/schema.yaml');

export type Ran = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

export type RunOptions = {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
};

/** Waits for the end of the command; the test and its services go on meanwhile. */
export async function accession(
  args: readonly string[],
  { input = '', cwd, env }: RunOptions = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [COMMAND, ...args], { cwd, env: { ...process.env, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const status = await new Promise<number | null>((done) => child.once('close', done));
  return { status, stdout, stderr };
}

/** A folder that is removed when the test ends. */
export function scratch(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'accession-cli-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
