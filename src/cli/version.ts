/** The release of this program, from its manifest: the same place for a checkout and for a package. */
import { readFileSync } from 'node:fs';

/** The release, such as `0.1.0`. */
export function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
