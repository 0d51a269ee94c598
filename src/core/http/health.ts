/**
 * The state of the service for `/-/health`, which requires no token and is exempt from the limits: it is found at most once in
 * an interval, however often it is asked for.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { AreaFiles } from '../collections/area-files.ts';
import type { Collection } from '../collections/collection.ts';
import { KEEP, TIMEOUT } from '../durations.ts';
import { aheadOfClock } from '../storage/times.ts';
import type { JobStatus } from '../work/jobs.ts';
import type { ProjectionStatus } from '../work/projector.ts';
import type { HealthState, ServiceParts } from './service.ts';

type HealthParts = Pick<
  ServiceParts,
  'registry' | 'version' | 'cache' | 'canWrite' | 'database' | 'jobs' | 'projector' | 'logger'
>;

/** The release of dump-things-service whose behavior the service has. */
const PEER_RELEASE = '6.6.4';

/**
 * Returns the state, at most an interval old. While it cannot be found quickly, because a disk is slow, returns the last one.
 *
 * @param interval 0 to find the state for each request
 */
export function keptHealth(
  parts: HealthParts,
  interval: number = KEEP.health,
  find: (parts: HealthParts) => Promise<HealthState> = findHealth,
): () => Promise<HealthState> {
  let known: { readonly state: HealthState; readonly at: number } | undefined;
  let running: Promise<HealthState> | undefined;
  const start = async () => {
    try {
      const at = performance.now();
      const state = await find(parts);
      known = { state, at };
      return state;
    } finally {
      running = undefined;
    }
  };
  return async () => {
    if (known && performance.now() - known.at < interval) return known.state;
    running ??= start();
    if (!known || interval === 0) return running;
    const last = known.state;
    return Promise.race([running, delay(TIMEOUT.health, last, { ref: false })]);
  };
}

/**
 * Reports collections that are not available, what does not work in modules, and stored records that cannot be read; the reasons, which may hold paths, are in the log.
 */
async function findHealth(parts: HealthParts): Promise<HealthState> {
  const { registry, version, cache, database, jobs, projector, logger } = parts;
  const problems: string[] = [];
  const closed = await parts.canWrite();
  const trouble = database.readOnly ? 'the store cannot be read' : 'the store accepts no writes';
  if (closed !== undefined) problems.push(`${trouble}: ${closed}`);
  const apart = database.leadership.problem();
  if (apart !== undefined) problems.push(apart);
  problems.push(...logProblem(await database.logSize()));
  const snapshot = registry.current();
  for (const name of snapshot.unavailable.keys()) problems.push(`collection '${name}': not available`);
  for (const collection of snapshot.collections.values()) {
    const found = await collectionProblems(registry.files, collection).catch((error: unknown) => {
      logger.warn({ err: error, collection: collection.name }, 'could not read the faults');
      return [`collection '${collection.name}': its store cannot be read`];
    });
    problems.push(...found);
  }
  const failed = jobs.list().filter(({ state }) => state === 'failed');
  for (const { name, collection } of failed)
    problems.push(
      `job '${name}'${collection === undefined ? '' : ` of collection '${collection}'`} fails and is retried`,
    );
  const ahead = await datedAhead(database);
  if (ahead !== undefined)
    problems.push(`the last change is dated ${ahead} in the future: the clock is, or was, wrong`);
  const projections = projector.list();
  // The state needs no token, so it shows neither changes of hidden records nor the length of a page of them.
  const hides = isRestricted(snapshot);
  const used = hides ? Math.ceil(cache.used / ROUNDED) * ROUNDED : cache.used;
  problems.push(...projections.flatMap(projectionProblem));
  const state = {
    status: problems.length > 0 ? 'degraded' : 'ok',
    version,
    follows: PEER_RELEASE,
    ...(database.readOnly && { read_only: true }),
    ...(problems.length > 0 && { problems }),
    cache: { used, limit: cache.limit },
    ...jobsInProgress(jobs.list()),
    ...(hides ? {} : projectionsBehind(projections)),
  };
  return { accepts: closed === undefined && apart === undefined, text: JSON.stringify(state) };
}

/** In bytes: reads become slower with the log, and so does the next start. */
const LARGE_LOG = 2 ** 30;

export function logProblem(bytes: number | null): string[] {
  if (bytes === null || bytes <= LARGE_LOG) return [];
  const size = `${(bytes / LARGE_LOG).toFixed(1)} GiB`;
  return [`the log of the database has ${size}: a process has been reading one state of it for long`];
}

/** In bytes. */
const ROUNDED = 2 ** 20;

/** The jobs that know how far they are. */
function jobsInProgress(jobs: readonly JobStatus[]) {
  const found = jobs.flatMap(({ name, progress }) => (progress ? [{ name, ...progress }] : []));
  return found.length > 0 ? { jobs: found } : {};
}

/** How far the last change of an area is ahead of the clock. */
async function datedAhead(database: HealthParts['database']): Promise<string | undefined> {
  try {
    const [row] = await database.tuples<[changed: number | null]>('SELECT max(changed) FROM accession_area');
    return aheadOfClock(row?.[0] ?? 0);
  } catch {
    // Reported as a problem of the store.
    return undefined;
  }
}

/** Explains a projection that fails; the error, which may hold paths, is for administrators. */
function projectionProblem({ name, collection, areas }: ProjectionStatus): string[] {
  const failing = areas.filter(({ error }) => error !== undefined);
  if (failing.length === 0) return [];
  const behind = failing.reduce((sum, area) => sum + area.behind, 0);
  const of = collection === undefined ? '' : ` of collection '${collection}'`;
  const places = failing.length === 1 ? 'an area' : `${failing.length} areas`;
  const changes = behind === 1 ? '1 change' : `${behind} changes`;
  return [`projection '${name}'${of} fails in ${places}, ${changes} behind, and is retried; see /-/status`];
}

/** The projections that have not followed every change. */
function projectionsBehind(all: readonly ProjectionStatus[]) {
  const found = all
    .filter(({ behind }) => behind > 0)
    .map(({ name, collection, behind }) => ({
      name,
      ...(collection !== undefined && { collection }),
      behind,
    }));
  return found.length > 0 ? { projections: found } : {};
}

async function collectionProblems(
  files: Pick<AreaFiles, 'faults'>,
  collection: Collection,
): Promise<string[]> {
  const { name, policies } = collection;
  const problems: string[] = [];
  const policyProblem = policies?.problem();
  if (policyProblem !== undefined) problems.push(`collection '${name}': ${policyProblem}`);
  const unreadable = (await files.faults(collection)).length;
  const word = unreadable === 1 ? 'fault' : 'faults';
  if (unreadable > 0) problems.push(`collection '${name}': ${unreadable} ${word} ${STORE_PROBLEM}`);
  for (const part of collection.attached.values())
    problems.push(...((await part.health?.()) ?? []).map((clause) => `collection '${name}': ${clause}`));
  return problems;
}

/** Whether a collection hides records from callers. */
function isRestricted({ collections }: ReturnType<HealthParts['registry']['current']>): boolean {
  return [...collections.values()].some(({ policies }) => policies && !policies.isOpen);
}

const STORE_PROBLEM = 'in stored records, which `accession check` names';
