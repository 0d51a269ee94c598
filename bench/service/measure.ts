/** Drives a service with autocannon, and sums up what came of it. */
import autocannon, { type Request } from 'autocannon';

export type Measurement = {
  /** Answers in a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers that were no 2xx, broken connections and time-outs; a measurement with any is worth nothing. */
  readonly failures: number;
};

const CONNECTIONS = 8;

/** Longest time for one answer: the slowest service takes seconds for a page of a large collection. */
const TIMEOUT_S = 300;

export async function measure(
  address: string,
  requests: readonly Request[],
  seconds: number,
): Promise<Measurement> {
  return summed(await cannon(address, requests, { duration: seconds }));
}

/** For slow services: a few requests to find the rate, and the full time only where it tells more. */
export async function measureSlow(
  address: string,
  requests: readonly Request[],
  seconds: number,
): Promise<Measurement> {
  const first = await cannon(address, requests, { amount: 2 * CONNECTIONS });
  return first.duration > seconds ? summed(first) : measure(address, requests, seconds);
}

/** The median of each number over several rounds. */
export function median(rounds: readonly Measurement[]): Measurement {
  const middle = (pick: (round: Measurement) => number) =>
    rounds.map(pick).sort((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0;
  return {
    rate: middle(({ rate }) => rate),
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
    failures: rounds.reduce((sum, { failures }) => sum + failures, 0),
  };
}

function cannon(
  address: string,
  requests: readonly Request[],
  length: { duration?: number; amount?: number },
) {
  return autocannon({ url: address, connections: CONNECTIONS, timeout: TIMEOUT_S, requests, ...length });
}

function summed(result: Awaited<ReturnType<typeof cannon>>): Measurement {
  const { p50, p99, average } = result.latency;
  return {
    rate: result['2xx'] / result.duration,
    // Latencies are whole milliseconds; below one the average says more.
    p50: p50 < 1 ? Math.min(average, 1) : p50,
    p99,
    failures: result.non2xx + result.errors + result.timeouts,
  };
}
