/** What a driver sends: requests that are made before the clock starts. */

/** One request. */
export type Shot = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** Requests in the order in which they are sent. A driver that reaches the end starts over. */
export type Load = readonly Shot[];

export type Measurement = {
  /** Responses in a second. */
  readonly rate: number;
  readonly responses: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Responses that were not 2xx, broken connections and time-outs; a measurement with any is not valid. */
  readonly failures: number;
};

/** Sends a load to a service for some seconds, on some connections at the same time. */
export type Driver = {
  readonly name: string;
  run(address: string, load: Load, connections: number, seconds: number): Promise<Measurement>;
};

/** Numbers from 0 to 1 that look random, the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
