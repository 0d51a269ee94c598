/** Processor time of this process, all threads together: other programs on the machine make little difference. */
import { setTimeout as delay } from 'node:timers/promises';

export async function processorMilliseconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Waits for what the service of this process does in the background. */
export async function idle(): Promise<void> {
  for (let quiet = 0; quiet < 3; )
    quiet = (await processorMilliseconds(() => delay(1000))) < 50 ? quiet + 1 : 0;
}

export const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
