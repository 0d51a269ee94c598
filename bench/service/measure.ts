/** One round of a load on a service, and what else is done meanwhile: a ping 20 times a second, and writes if asked for. */
import { Agent, type RequestOptions, request } from 'node:http';
import type { Service } from '../../test/parity/services.ts';
import { cannon } from './cannon.ts';
import type { Driver, Load, Measurement, Shot } from './load.ts';
import { processorTimeOf } from './targets.ts';
import { hasWrk, wrk } from './wrk.ts';

const PING_MS = 50;
/** What processor time is counted in, in microseconds. */
const TICK_US = 10_000;
/** Records that are written each second meanwhile. */
const WRITES_PER_SECOND = 50;

/** What drives the load here. */
export const driver: Driver = hasWrk() ? wrk : cannon;

export type Round = Measurement & {
  /** How long the slowest ping waited, in milliseconds: requests of others wait as long for what is in progress. */
  readonly longestWait: number;
  /** Processor time of the service for each response, in microseconds: other programs hardly change it. */
  readonly processor: number;
};

/** @param meanwhile requests that are sent one by one at a steady rate during the round */
export async function measure(
  service: Service,
  load: Load,
  connections: number,
  seconds: number,
  meanwhile?: Load,
): Promise<Round> {
  const { address } = service;
  const agent = new Agent({ keepAlive: true });
  let longestWait = 0;
  const ping = steadily(PING_MS, async () => {
    const began = performance.now();
    await send(address, { method: 'GET', path: '/server', headers: {} }, agent);
    longestWait = Math.max(longestWait, performance.now() - began);
  });
  let written = 0;
  const writes =
    meanwhile &&
    steadily(1_000 / WRITES_PER_SECOND, () => send(address, meanwhile[written++ % meanwhile.length]!, agent));
  const before = await processorTimeOf(service);
  const measured = await driver.run(address, load, connections, seconds);
  const used = (await processorTimeOf(service)) - before;
  const failed = (await ping()) + ((await writes?.()) ?? 0);
  agent.destroy();
  const processor = (used * TICK_US) / Math.max(1, measured.responses);
  return { ...measured, failures: measured.failures + failed, longestWait, processor };
}

/** Repeats something at an interval, also while earlier ones have not ended. @returns what ends it, and counts failures */
function steadily(milliseconds: number, act: () => Promise<unknown>): () => Promise<number> {
  const running = new Set<Promise<unknown>>();
  let failures = 0;
  const timer = setInterval(() => {
    const one = act().catch(() => failures++);
    running.add(one);
    void one.finally(() => running.delete(one));
  }, milliseconds);
  return async () => {
    clearInterval(timer);
    await Promise.all(running);
    return failures;
  };
}

function send(address: string, { method, path, headers, body }: Shot, agent: Agent): Promise<void> {
  const options: RequestOptions = { method, headers, agent };
  return new Promise((resolve, reject) => {
    const sent = request(`${address}${path}`, options, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`status ${response.statusCode}`)),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The median of each number over several rounds, and the longest wait of all. */
export function median(rounds: readonly Round[]): Round {
  const middle = (pick: (round: Round) => number) =>
    rounds.map(pick).sort((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0;
  return {
    rate: middle(({ rate }) => rate),
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
    processor: middle(({ processor }) => processor),
    responses: rounds.reduce((sum, { responses }) => sum + responses, 0),
    failures: rounds.reduce((sum, { failures }) => sum + failures, 0),
    longestWait: Math.max(0, ...rounds.map(({ longestWait }) => longestWait)),
  };
}
