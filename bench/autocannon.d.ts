/** The part of autocannon that the benchmarks use; the package has no types of its own. */
declare module 'autocannon' {
  export type Request = {
    method?: string;
    path?: string;
    headers?: Record<string, string>;
    body?: string;
    setupRequest?: (request: Request) => Request;
  };

  export type Options = {
    url: string;
    connections: number;
    /** Seconds. */
    duration?: number;
    /** Requests in all, instead of a duration. */
    amount?: number;
    /** Seconds that an answer may take. */
    timeout?: number;
    requests: readonly Request[];
  };

  export type Result = {
    '2xx': number;
    non2xx: number;
    errors: number;
    timeouts: number;
    /** Seconds. */
    duration: number;
    requests: { average: number; total: number };
    /** Milliseconds. */
    latency: { p50: number; p99: number; average: number };
  };

  export default function autocannon(options: Options): Promise<Result>;
}
