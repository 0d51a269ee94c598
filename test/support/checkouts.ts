/** Public repositories for runs by hand, which are cloned once. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** The folder for checkouts: that of the argument, else one in the temporary directory. */
export function checkoutsFolder(argument: string | undefined): string {
  const folder = argument ?? join(tmpdir(), 'accession-checkouts');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The checkout of a repository of GitHub (`owner/name`) in a folder. It is cloned unless it is there. */
export function checkoutOf(repository: string, folder: string): string {
  const checkout = join(folder, basename(repository));
  if (!existsSync(checkout)) {
    const source = `https://github.com/${repository}`;
    execFileSync('git', ['clone', '--quiet', '--depth', '1', source, checkout]);
  }
  return checkout;
}
