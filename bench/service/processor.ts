/** Processor time of this process, all threads together: other programs on the machine make little difference. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';

export async function processorMilliseconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Processor time of the processes that serve the connections to a PostgreSQL database, whose server is on this machine with Linux. */
export async function serverMilliseconds(
  client: Client | undefined,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = await processorTimes(client);
  await work();
  let nanoseconds = 0;
  for (const [pid, time] of await processorTimes(client)) nanoseconds += time - (before.get(pid) ?? 0);
  return nanoseconds / 1e6;
}

/** In nanoseconds, by process. */
async function processorTimes(client: Client | undefined): Promise<Map<number, number>> {
  const sql =
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
  const { rows = [] } = (await client?.query<{ pid: number }>(sql)) ?? {};
  const timeOf = (pid: number) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
  return new Map(rows.map(({ pid }) => [pid, timeOf(pid)]));
}

/** Waits for what the service of this process does in the background. */
export async function idle(): Promise<void> {
  for (let quiet = 0; quiet < 3; )
    quiet = (await processorMilliseconds(() => delay(1000))) < 50 ? quiet + 1 : 0;
}

export const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
