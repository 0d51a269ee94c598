/** The files that run in threads: those of the sources, or of the package, which has the command and each thread in a file of its own. */
import { extname } from 'node:path';

const isAtRoot = import.meta.url.endsWith('/threads.js');
const ROOT = new URL(isAtRoot ? '.' : '..', import.meta.url);

/** @param path below `src`, without its extension */
export function threadFile(path: string): URL {
  return new URL(`${path}${extname(import.meta.url)}`, ROOT);
}
