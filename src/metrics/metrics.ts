/**
 * What the service measures of itself, as Prometheus text. Requests are counted as they are answered; everything else
 * is asked for when the numbers are collected, so that it costs nothing in between.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A request that was answered. */
export type AnsweredRequest = {
  readonly method: string;
  /** The template of the route, such as `/:collection/record`; never the path itself, whose values are without number. */
  readonly route: string;
  readonly status: number;
  /** From the first byte of the head to the last of the answer. */
  readonly seconds: number;
};

/** Numbers of the moment, by the names of {@link GAUGES}. */
export type Sample = {
  readonly name: keyof typeof GAUGES;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
};

/** The gauges besides those of the process: name → explanation and labels. */
export const GAUGES = {
  accession_records: { help: 'Records, by collection and area.', labels: ['collection', 'area'] },
  accession_collections: { help: 'Collections, by state: served or failed.', labels: ['state'] },
  accession_zones_open: { help: 'Incoming zones that are open, by collection.', labels: ['collection'] },
  accession_faults: { help: 'Faults of stored data and audit logs, by collection.', labels: ['collection'] },
  accession_jobs: { help: 'Background jobs, by state.', labels: ['state'] },
  accession_bodies_bytes: { help: 'Bytes of request bodies that are being received.', labels: [] },
  accession_requests_in_progress: { help: 'Requests that are being answered.', labels: [] },
  accession_cache_bytes: { help: 'Bytes in caches, by cache.', labels: ['cache'] },
  accession_submissions: {
    help: 'Submissions by collection and standing.',
    labels: ['collection', 'standing'],
  },
  accession_audit_backlog: {
    help: 'Changes that the audit log does not have yet, by collection.',
    labels: ['collection'],
  },
  accession_store_writable: { help: '1 if the store takes writes, else 0.', labels: [] },
} as const satisfies Readonly<Record<string, { help: string; labels: readonly string[] }>>;

/** Seconds; from what a remembered page takes to what a client gives up at. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** The measurements of one service. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #seconds: Histogram<'method' | 'route'>;
  readonly #gauges = new Map<string, Gauge>();
  readonly #sample: () => Promise<readonly Sample[]>;

  /** @param sample is asked once for each collection of the numbers */
  constructor(version: string, sample: () => Promise<readonly Sample[]>) {
    this.#sample = sample;
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: 'accession_requests_total',
      help: 'Requests that were answered, by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'accession_request_seconds',
      help: 'Time from the head of a request to the end of its answer, by method and route.',
      labelNames: ['method', 'route'],
      buckets: BUCKETS,
      registers,
    });
    for (const [name, { help, labels }] of Object.entries(GAUGES)) {
      this.#gauges.set(name, new Gauge({ name, help, labelNames: [...labels], registers }));
    }
    const info = new Gauge({
      name: 'accession_info',
      help: 'Always 1; the label is the release.',
      labelNames: ['version'],
      registers,
    });
    info.set({ version }, 1);
  }

  answered({ method, route, status, seconds }: AnsweredRequest): void {
    this.#requests.inc({ method, route, status });
    this.#seconds.observe({ method, route }, seconds);
  }

  /** All numbers in the text format of Prometheus, version 0.0.4. */
  async text(): Promise<string> {
    for (const gauge of this.#gauges.values()) gauge.reset();
    for (const { name, labels = {}, value } of await this.#sample())
      this.#gauges.get(name)?.set(labels, value);
    return this.#registry.metrics();
  }

  /** The media type of {@link text}. */
  get mediaType(): string {
    return this.#registry.contentType;
  }
}
