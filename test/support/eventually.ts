/** Waits for what a job, a thread or another process does. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

/** How long something may take until a test gives up, in milliseconds: for machines with much else to do. */
const PATIENCE = 180_000;
const PERIOD = 20;

/**
 * Reads something until it is as expected, by default until it is true.
 *
 * @param what is awaited, for the failure
 * @returns what was read last
 */
export async function eventually<T>(
  what: string,
  read: () => T | Promise<T>,
  isSo: (value: T) => boolean = Boolean,
): Promise<T> {
  for (const end = Date.now() + PATIENCE; ; await pause(PERIOD)) {
    const value = await read();
    if (isSo(value)) return value;
    if (Date.now() > end) assert.fail(`it did not happen: ${what}; last: ${JSON.stringify(value)}`);
  }
}
