/**
 * How many requests were answered, and how long they took. Written as text here instead of with the library: it looks
 * labels up for each request, which costs more than all the rest.
 */

/** Seconds; from the time of a cached page to the usual timeout of clients. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** The requests of a method and a route. */
export type Series = {
  /** @param seconds from the head of the request to the end of its answer */
  answered(status: number, seconds: number): void;
};

/** Lines of the text format, for one method and route. */
type Lines = { counts(): string[]; seconds(): string[] };

export class RequestSeries {
  readonly #lines: Lines[] = [];

  /** Adds a series, to be kept by the caller. */
  add(method: string, route: string): Series {
    const labels = `method="${method}",route="${route}"`;
    const counts = new Map<number, number>();
    const buckets = new Array<number>(BUCKETS.length + 1).fill(0);
    let sum = 0;
    this.#lines.push({
      counts: () =>
        [...counts].map(
          ([status, count]) => `accession_requests_total{${labels},status="${status}"} ${count}`,
        ),
      seconds() {
        let total = 0;
        const lines = [...BUCKETS, '+Inf'].map((bound, index) => {
          total += buckets[index] as number;
          return `accession_request_seconds_bucket{le="${bound}",${labels}} ${total}`;
        });
        return total === 0
          ? []
          : [
              ...lines,
              `accession_request_seconds_sum{${labels}} ${sum}`,
              `accession_request_seconds_count{${labels}} ${total}`,
            ];
      },
    });
    return {
      answered(status, seconds) {
        counts.set(status, (counts.get(status) ?? 0) + 1);
        let index = 0;
        while (index < BUCKETS.length && seconds > (BUCKETS[index] as number)) index++;
        buckets[index] = (buckets[index] as number) + 1;
        sum += seconds;
      },
    };
  }

  /** The text format of Prometheus. */
  text(): string {
    return [
      '# HELP accession_requests_total Requests that were answered, by method, route and status.',
      '# TYPE accession_requests_total counter',
      ...this.#lines.flatMap((lines) => lines.counts()),
      '',
      '# HELP accession_request_seconds Time from the head of a request to the end of its answer, by method and route.',
      '# TYPE accession_request_seconds histogram',
      ...this.#lines.flatMap((lines) => lines.seconds()),
      '',
      '',
    ].join('\n');
  }
}
