/**
 * The metrics of the service, as Prometheus text. Requests are counted as they are answered; everything else
 * is asked for when the numbers are collected, so that it costs nothing in between.
 */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { RequestSeries, type Series } from './request-series.ts';

/** By name, the explanation and the labels of gauges. */
export type Gauges = Readonly<Record<string, { readonly help: string; readonly labels: readonly string[] }>>;

/** A number of the moment. */
export type Sample = {
  /** The name of its gauge. */
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
};

/** The gauges of the core, besides those of the process. */
export const GAUGES = {
  accession_records: { help: 'Records, by collection and area.', labels: ['collection', 'area'] },
  accession_collections: { help: 'Collections, by state: served or failed.', labels: ['state'] },
  accession_zones: { help: 'Incoming zones, by collection.', labels: ['collection'] },
  accession_faults: {
    help: 'Faults of stored data and of files of modules, by collection.',
    labels: ['collection'],
  },
  accession_jobs: { help: 'Background jobs, by state.', labels: ['state'] },
  accession_bodies_bytes: { help: 'Bytes of request bodies that are being received.', labels: [] },
  accession_requests_in_progress: { help: 'Requests that are being answered.', labels: [] },
  accession_cache_bytes: { help: 'Bytes in the cache of pages.', labels: [] },
  accession_cache_limit_bytes: { help: 'Bytes that the cache of pages may use (--memory).', labels: [] },
  accession_projection_behind: {
    help: 'Changes that a projection has not followed yet, at least.',
    labels: ['projection', 'collection'],
  },
  accession_projection_failing: {
    help: 'Areas in which a projection fails.',
    labels: ['projection', 'collection'],
  },
  accession_last_backup_timestamp_seconds: {
    help: 'When the store was last backed up; 0 if it never was.',
    labels: [],
  },
  accession_disk_free_bytes: {
    help: 'Free bytes on the disk of the store directory; a database server has its own disk.',
    labels: [],
  },
  accession_disk_size_bytes: { help: 'Bytes of the disk of the store directory.', labels: [] },
  accession_store_writable: { help: '1 if the store takes writes, else 0.', labels: [] },
} as const satisfies Gauges;

/** The measurements of one service. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new RequestSeries(this.#registry);
  readonly #gauges = new Map<string, { readonly gauge: Gauge; readonly hasLabels: boolean }>();
  #watchesProcess = false;
  readonly #sample: () => Promise<readonly Sample[]>;

  /**
   * @param gauges of modules
   * @param sample is asked once for each collection of the numbers
   */
  constructor(version: string, gauges: Gauges, sample: () => Promise<readonly Sample[]>) {
    this.#sample = sample;
    const registers = [this.#registry];
    for (const [name, { help, labels }] of Object.entries<Gauges[string]>({ ...GAUGES, ...gauges })) {
      const gauge = new Gauge({ name, help, labelNames: [...labels], registers });
      this.#gauges.set(name, { gauge, hasLabels: labels.length > 0 });
    }
    const info = new Gauge({
      name: 'accession_info',
      help: 'Always 1; the label is the release.',
      labelNames: ['version'],
      registers,
    });
    info.set({ version }, 1);
  }

  /**
   * Where requests of a method and a route are counted, to be kept by the caller and asked for once.
   *
   * @param route the template, such as `/:collection/record`; never the path itself, whose values are without number
   */
  series(method: string, route: string): Series {
    return this.#requests.add(method, route);
  }

  /** All numbers in the text format of Prometheus, version 0.0.4. */
  async text(): Promise<string> {
    this.#watchProcess();
    for (const { gauge, hasLabels } of this.#gauges.values()) {
      gauge.reset();
      // Without labels it would have the value 0 now, also if there is no sample.
      if (!hasLabels) gauge.remove();
    }
    for (const { name, labels = {}, value } of await this.#sample())
      this.#gauges.get(name)?.gauge.set(labels, value);
    return this.#registry.metrics();
  }

  /** From the first request on, since the clock of the event loop costs something, asked for or not. */
  #watchProcess(): void {
    if (this.#watchesProcess) return;
    this.#watchesProcess = true;
    collectDefaultMetrics({ register: this.#registry });
  }

  /** The media type of {@link text}. */
  get mediaType(): string {
    return this.#registry.contentType;
  }
}
