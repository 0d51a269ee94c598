/** When jobs last did something, by a key of the job and its object, so that a restart does not begin their intervals again. */
import type { Draft } from './database.ts';
import type { Reader } from './reader.ts';

/** The time in milliseconds since 1970; undefined if it was never noted. */
export async function timeOf(reader: Pick<Reader, 'tuples'>, key: string): Promise<number | undefined> {
  const [row] = await reader.tuples<[string]>('SELECT value FROM accession_meta WHERE key = $1', [key]);
  return row && Date.parse(row[0]);
}

export function noteTime(draft: Draft, key: string, time: number): void {
  draft.run(
    `INSERT INTO accession_meta (key, value) VALUES ($1, $2)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [key, new Date(time).toISOString()],
  );
}
