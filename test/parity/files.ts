/** Reads directories as a whole, to compare what two services have left on disk. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The files below a directory: relative path → content, in the order of the paths. */
export async function filesBelow(directory: string): Promise<Map<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const contents = names.sort().map(async (name): Promise<[string, string]> => {
    return [path.relative(directory, name), await readFile(name, 'utf8')];
  });
  return new Map(await Promise.all(contents));
}
