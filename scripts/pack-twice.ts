/** `npm run pack:twice`: builds and packs twice, and ends with status 1 if the packages differ in a byte. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** The digest of a package that is built from the sources. */
function packed(): string {
  const folder = mkdtempSync(join(tmpdir(), 'accession-pack-'));
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, stdio: 'pipe' });
    const [file = ''] = readdirSync(folder);
    return `${createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex')}  ${file}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [first, second] = [packed(), packed()];
process.stdout.write(`${first}\n${second}\n`);
process.exitCode = first === second ? 0 : 1;
