/** When jobs last did something, by a key of the job and its object, so that a restart does not begin their intervals again. */
import type { Draft } from './database.ts';
import type { Reader } from './reader.ts';
import { readValue, setValue } from './values.ts';

/** The time in milliseconds since 1970; undefined if it was never noted. */
export async function timeOf(reader: Pick<Reader, 'tuples'>, key: string): Promise<number | undefined> {
  const time = await readValue(reader, key);
  return time === undefined ? undefined : Date.parse(time);
}

export function noteTime(draft: Draft, key: string, time: number): void {
  setValue(draft, key, new Date(time).toISOString());
}
