/** `accession export-store`, as an administrator runs it. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const COMMAND = resolve(import.meta.dirname, '../../bin/accession.js');

/** Exports a store into a new directory beside it. @returns the directory, which the peer opens */
export function exportStore(store: string): string {
  const directory = `${store}-exported`;
  const command = [COMMAND, 'export-store', store, directory];
  execFileSync(process.execPath, command, { stdio: ['ignore', 'ignore', 'pipe'] });
  return directory;
}
