/** The gauges of `/-/metrics`, read from their parts on request. */
import type { Collection } from '../collections/collection.ts';
import type { Registry } from '../collections/registry.ts';
import { areaIndex } from '../collections/stores.ts';
import { readNote } from '../config/notes.ts';
import type { Sample } from '../metrics/metrics.ts';
import { storedAreas } from '../storage/read/areas.ts';
import type { JobStatus } from '../work/jobs.ts';
import type { ProjectionStatus } from '../work/projector.ts';
import { yielder } from '../yield.ts';
import type { Service } from './service.ts';

/** All gauges as they are now. */
export async function samplesOf(service: Service): Promise<Sample[]> {
  const { registry, bodies, limits, cache, jobs, projector } = service;
  const { collections, unavailable } = registry.current();
  const served = [...collections.values()];
  return [
    { name: 'accession_collections', labels: { state: 'served' }, value: served.length },
    { name: 'accession_collections', labels: { state: 'failed' }, value: unavailable.size },
    { name: 'accession_bodies_bytes', value: bodies.inFlight },
    { name: 'accession_requests_in_progress', value: limits.admission.inProgress },
    ...(await diskSamples(service)),
    { name: 'accession_store_writable', value: (await service.canWrite()) === undefined ? 1 : 0 },
    { name: 'accession_last_backup_timestamp_seconds', value: lastBackupSeconds(service) },
    { name: 'accession_cache_bytes', value: cache.used },
    { name: 'accession_cache_limit_bytes', value: cache.limit },
    ...jobSamples(jobs.list()),
    ...projector.list().flatMap(projectionSamples),
    ...(await samplesOfCollections(registry, served)),
  ];
}

/** Reads the areas of all collections at once, and gives others their turn between collections: there may be thousands. */
async function samplesOfCollections(
  registry: Registry,
  collections: readonly Collection[],
): Promise<Sample[]> {
  const [first] = collections;
  if (!first) return [];
  const index = areaIndex(collections);
  const counts = new Map(collections.map((one) => [one, { curated: 0, incoming: 0, zones: 0 }]));
  const yieldIfDue = yielder();
  for (const { path, records } of await storedAreas(first.database)) {
    await yieldIfDue();
    for (const collection of index.at(path)) {
      const count = counts.get(collection)!;
      if (path === collection.curated.area.path) count.curated = records;
      else if (path.startsWith(`${collection.zones.path}/`)) {
        count.incoming += records;
        count.zones += 1;
      }
    }
  }
  const samples: Sample[] = [];
  for (const [collection, count] of counts) {
    samples.push(...(await samplesOfCollection(registry, collection, count)));
    await yieldIfDue();
  }
  return samples;
}

/** None for a service without a store directory: the disk of its database is not on this machine. */
async function diskSamples({ disk }: Service): Promise<Sample[]> {
  const found = await disk();
  if (!found) return [];
  return [
    { name: 'accession_disk_free_bytes', value: found.free_bytes },
    { name: 'accession_disk_size_bytes', value: found.size_bytes },
  ];
}

function lastBackupSeconds({ administration }: Service): number {
  const last = readNote(administration.root, 'last-backup');
  return last ? Date.parse(last.time) / 1000 : 0;
}

const STATES = ['idle', 'waiting', 'running', 'failed'] as const;

function jobSamples(jobs: readonly JobStatus[]): Sample[] {
  return STATES.map((state) => ({
    name: 'accession_jobs',
    labels: { state },
    value: jobs.filter((job) => job.state === state).length,
  }));
}

function projectionSamples({ name, collection = '', behind, areas }: ProjectionStatus): Sample[] {
  const labels = { projection: name, collection };
  const failing = areas.filter(({ error }) => error !== undefined).length;
  return [
    { name: 'accession_projection_behind', labels, value: behind },
    { name: 'accession_projection_failing', labels, value: failing },
  ];
}

async function samplesOfCollection(
  { files }: Registry,
  collection: Collection,
  {
    curated,
    incoming,
    zones,
  }: { readonly curated: number; readonly incoming: number; readonly zones: number },
): Promise<Sample[]> {
  const { name } = collection;
  const faults = (await files.faults(collection)).length + collection.faults().length;
  return [
    {
      name: 'accession_records',
      labels: { collection: name, area: 'curated' },
      value: curated,
    },
    {
      name: 'accession_records',
      labels: { collection: name, area: 'incoming' },
      value: incoming,
    },
    { name: 'accession_zones', labels: { collection: name }, value: zones },
    { name: 'accession_faults', labels: { collection: name }, value: faults },
    ...(await samplesOfParts(collection)),
  ];
}

async function samplesOfParts({ attached }: Collection): Promise<Sample[]> {
  return (
    await Promise.all([...attached.values()].map(async (part) => (await part.samples?.()) ?? []))
  ).flat();
}
