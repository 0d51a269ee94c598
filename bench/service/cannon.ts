/** Drives a service with autocannon: where wrk is missing, and for services so slow that requests are counted instead. */
import autocannon, { type Request } from 'autocannon';
import type { Driver, Load, Measurement } from './load.ts';

/** Longest time for one response: the slowest service takes seconds for a page of a large collection. */
const TIMEOUT_S = 300;

export const cannon: Driver = {
  name: 'autocannon',
  run: async (address, load, connections, seconds) =>
    summed(await fire(address, load, connections, { duration: seconds })),
};

/** For slow services: a few requests to find the rate, and the full time only if it is short enough. */
export async function measureSlow(
  address: string,
  load: Load,
  connections: number,
  seconds: number,
): Promise<Measurement> {
  const first = await fire(address, load, connections, { amount: 2 * connections });
  return first.duration > seconds ? summed(first) : cannon.run(address, load, connections, seconds);
}

function fire(
  address: string,
  load: Load,
  connections: number,
  length: { duration?: number; amount?: number },
) {
  let sent = 0;
  // One list for all connections; by itself, autocannon starts each of them at its beginning.
  const next = (): Request => ({ ...load[sent++ % load.length] }) as Request;
  const requests = [{ ...load[0], setupRequest: () => next() } as Request];
  return autocannon({ url: address, connections, timeout: TIMEOUT_S, requests, ...length });
}

function summed(result: Awaited<ReturnType<typeof fire>>): Measurement {
  const { p50, p99, average } = result.latency;
  return {
    rate: result['2xx'] / result.duration,
    responses: result['2xx'],
    // Latencies are whole milliseconds; below one the average is more precise.
    p50: p50 < 1 ? Math.min(average, 1) : p50,
    p99,
    failures: result.non2xx + result.errors + result.timeouts,
  };
}
