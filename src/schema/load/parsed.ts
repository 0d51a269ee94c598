/**
 * Schema files in parsed form, kept on disk: YAML that people write takes longer to parse than everything else that the
 * start of a service does with a schema.
 *
 * A copy is found by the hash of the text and of the release that parsed it, so it cannot be out of date. It begins with
 * the hash of the rest: a copy that is damaged is not used, and replaced.
 */
import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KEEP } from '../../durations.ts';
import { isJsonObject, type JsonValue, Numeral } from '../../json.ts';
import { parseYaml, withoutPrototypes, type YamlParser, type YamlValue } from './yaml.ts';

/** Texts that are shorter are parsed faster than a copy is found. */
const LEAST = 2000;
const SUFFIX = '.parsed.json';

/**
 * Parses a file, or reads what an earlier start has kept of it.
 *
 * @param keep whether it is kept for the next start
 */
export function keepingParser(
  folder: string,
  release: string,
  keep = true,
): (...file: Parameters<YamlParser>) => Promise<YamlValue> {
  return async (text, place) => {
    if (text.length < LEAST) return parseYaml(text, place);
    const path = join(folder, `${hash('sha256', `${release}\0${text}`)}${SUFFIX}`);
    const kept = await readCopy(path);
    if (kept !== undefined) return kept;
    const value = parseYaml(text, place);
    if (keep && isPlain(value)) await writeCopy(folder, path, JSON.stringify(value)).catch(() => {});
    return value;
  };
}

async function readCopy(path: string): Promise<YamlValue | undefined> {
  const content = await readFile(path, 'utf8').catch(() => '');
  const end = content.indexOf('\n');
  const json = content.slice(end + 1);
  if (end < 0 || content.slice(0, end) !== hash('sha256', json)) return undefined;
  return withoutPrototypes(JSON.parse(json) as JsonValue);
}

/** Written beside and renamed: another process may read it. */
async function writeCopy(folder: string, path: string, json: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await removeOld(folder);
  const beside = `${path}.${process.pid}.tmp`;
  await writeFile(beside, `${hash('sha256', json)}\n${json}`);
  await rename(beside, path);
}

/** Copies of texts that have changed since are never read again. */
async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(SUFFIX)) continue;
    const path = join(folder, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > KEEP.parsedSchema) await rm(path, { force: true });
  }
}

/** Whether JSON has all of the value: it lacks numbers that are kept as they were written. */
function isPlain(value: YamlValue): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  if (value instanceof Numeral) return false;
  return !isJsonObject(value) || Object.values(value as Record<string, YamlValue>).every(isPlain);
}
