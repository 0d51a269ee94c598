/** Single values that the database keeps by a key, such as when a job ran last, in its table `accession_meta`. */
import type { Draft } from './database.ts';
import type { Reader } from './reader.ts';

export async function readMeta(reader: Pick<Reader, 'tuples'>, key: string): Promise<string | undefined> {
  const [row] = await reader.tuples<[string]>('SELECT value FROM accession_meta WHERE key = $1', [key]);
  return row?.[0];
}

export function setMeta(draft: Pick<Draft, 'run'>, key: string, value: string): void {
  draft.run(
    `INSERT INTO accession_meta (key, value) VALUES ($1, $2)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [key, value],
  );
}

/** Sets a value, unless there is one. */
export function addMeta(draft: Pick<Draft, 'run'>, key: string, value: string): void {
  draft.run('INSERT INTO accession_meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING', [
    key,
    value,
  ]);
}

export function removeMeta(draft: Pick<Draft, 'run'>, key: string): void {
  draft.run('DELETE FROM accession_meta WHERE key = $1', [key]);
}
