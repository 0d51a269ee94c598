/** The files of the package, which are at the same paths for the sources as for the bundle of the command. */
import { readFileSync } from 'node:fs';

export function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}

/** The release of this program, such as `0.1.0`. */
export function version(): string {
  const manifest = readFileSync(packageFile('package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
