/**
 * `npm run pack:twice -- [FOLDER]`: builds and packs twice, and ends with status 1 if the packages differ in a byte. The package is
 * kept in the folder.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const [kept] = process.argv.slice(2);

/** The digest of a package that is built from the sources. */
function packed(): string {
  const folder = mkdtempSync(join(tmpdir(), 'accession-pack-'));
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, stdio: 'pipe' });
    const [file = ''] = globSync(join(folder, '*.tgz'));
    if (kept !== undefined) cpSync(file, join(kept, basename(file)));
    return `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [first, second] = [packed(), packed()];
process.stdout.write(`${first}\n${second}\n`);
process.exitCode = first === second ? 0 : 1;
