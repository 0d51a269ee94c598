/** `npm start` in a folder of its own, as a newcomer runs it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

export type Example = { readonly process: ChildProcess; readonly output: string };

/** A folder in which the example can be started. */
export function exampleFolder(): string {
  return mkdtempSync(join(tmpdir(), 'accession-example-'));
}

/** Runs the script until it has said how to stop it, which is the last that it says. */
export function startExample(cwd: string, port: number): Promise<Example> {
  const script = join(ROOT, 'scripts/start-example.ts');
  const child = spawn(process.execPath, [script, '--port', String(port)], { cwd });
  let output = '';
  return new Promise((started, failed) => {
    child.stderr.on('data', (text) => {
      output += text;
    });
    child.stdout.on('data', (text) => {
      output += text;
      if (output.includes('Ctrl-C')) started({ process: child, output });
    });
    child.once('exit', (status) => failed(new Error(`it ended with ${status}:\n${output}`)));
  });
}

export function stopExample(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((stopped) => {
    child.once('exit', () => stopped());
    child.kill('SIGTERM');
  });
}
