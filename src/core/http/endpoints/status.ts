/** The status of the running service, for administrators, and its measurements. */
import { formerSecrets } from '../../access/config-tokens.ts';
import { isHashOf } from '../../config/admin-token.ts';
import { readNote } from '../../config/notes.ts';
import { countSchema, flagSchema, listOf, objectOf, orNull, textOrNull, textSchema } from '../../shapes.ts';
import { jobSchema } from '../../work/jobs.ts';
import { lastSchemaChange } from '../../work/kept-plans.ts';
import { projectionSchema } from '../../work/projector.ts';
import { presentedToken } from '../client.ts';
import { type Endpoint, row } from '../endpoint.ts';
import { enterAsAdministrator, needing, requireAdministrator } from '../enter.ts';
import { sendText } from '../reply.ts';
import { replying } from '../replying.ts';
import type { Service } from '../service.ts';
import { jsonAnswer, TRUE } from './schemas.ts';

/** Disk, sizes, last backup, collections, faults, jobs and the last use of tokens. */
async function statusOf(service: Service) {
  const { registry, state, administration } = service;
  const snapshot = registry.current();
  const collections = [...snapshot.collections.values()];
  const running = await Promise.all(
    collections.map(async (collection) => {
      const { name, config, curated, zones } = collection;
      const faults = [...collection.faults(), ...(await registry.files.faults(collection))];
      return {
        name,
        available: true,
        backend: config.backend.type,
        schema: collection.schema.address,
        records: await curated.count({}),
        zones: zones.exist ? (await zones.labels()).length : 0,
        faults: faults.slice(0, MOST_FAULTS),
        schema_changed: (await lastSchemaChange(service.database, collection)) ?? null,
      };
    }),
  );
  const closed = [...snapshot.unavailable.values()].map(({ name, config, explained }) => ({
    name,
    available: false,
    backend: config.backend.type,
    faults: [{ path: '', message: explained.message }],
  }));
  const uses = registry.tokens.lastUses();
  const size = await service.database.size();
  return {
    version: service.version,
    writable: service.database.readOnly ? READS_ONLY : ((await service.canWrite()) ?? true),
    disk: (await service.disk()) ?? null,
    store_bytes: await service.storeSize(),
    database_bytes: size.bytes,
    database_log_bytes: size.log,
    last_backup: readNote(administration.root, 'last-backup') ?? null,
    memory_bytes: process.memoryUsage.rss(),
    uptime_seconds: Math.round(process.uptime()),
    collections: [...running, ...closed],
    jobs: service.jobs.list(),
    projections: service.projector
      .list()
      .map(({ areas, ...one }) => ({ ...one, areas: areas.slice(0, MOST_FAULTS) })),
    tokens: Object.entries(state.configuration.tokens).map(([name, token]) => ({
      name,
      last_used: uses.get(name) ?? null,
      expires: token.expires ?? null,
      rotating_until:
        formerSecrets(token)
          .map(({ until }) => until)
          .sort()
          .at(-1) ?? null,
    })),
  };
}

/** Of a process that serves a store of another one. */
const READS_ONLY = 'This process only reads the store.';

/** The most faults of a collection that are listed; `accession check` lists all. */
const MOST_FAULTS = 100;

const collectionSchema = objectOf(
  {
    name: textSchema,
    available: flagSchema,
    backend: textSchema,
    faults: listOf(objectOf({ path: textSchema, message: textSchema })),
  },
  {
    schema: { ...textSchema, description: 'The file or URL of the schema in force.' },
    records: { ...countSchema, description: 'In the curated area.' },
    zones: countSchema,
    schema_changed: {
      description: 'The newest schema change. An edit took effect without a switch.',
      ...orNull(objectOf({ id: textSchema, time: textSchema, kind: { enum: ['switch', 'undo', 'edit'] } })),
    },
  },
);

export const statusSchema = objectOf(
  {
    version: textSchema,
    writable: {
      description: 'true, or why the store accepts no writes.',
      oneOf: [TRUE, textSchema],
    },
    disk: {
      description: 'Of the store directory; null if the service has everything in its database.',
      ...orNull(objectOf({ free_bytes: countSchema, size_bytes: countSchema })),
    },
    store_bytes: {
      ...orNull(countSchema),
      description: 'The files of the store directory; null while they are counted.',
    },
    database_bytes: { ...orNull(countSchema), description: 'The database; null if its size is not known.' },
    database_log_bytes: {
      ...orNull(countSchema),
      description:
        'Changes that SQLite has not brought into the file of the database yet; null on PostgreSQL.',
    },
    last_backup: {
      description: 'The last `accession backup` of the store directory; null if there was none.',
      ...orNull(objectOf({ time: textSchema, bytes: countSchema })),
    },
    collections: listOf(collectionSchema),
    jobs: listOf(jobSchema),
    projections: listOf(projectionSchema),
    tokens: listOf(
      objectOf({
        name: textSchema,
        last_used: { ...textOrNull, description: 'The time, to the minute.' },
        expires: textOrNull,
        rotating_until: { ...textOrNull, description: 'Until when the former secret is accepted.' },
      }),
    ),
  },
  { memory_bytes: countSchema, uptime_seconds: countSchema },
);

export const statusEndpoints: readonly Endpoint[] = [
  row('GET', '/-/status', 'status', {
    tag: 'Administration',
    summary: 'Disk, sizes, last backup, collections, faults, jobs and the last use of tokens',
    answers: { 200: jsonAnswer('The state of the service.', statusSchema) },
    ...replying(enterAsAdministrator, {}, (_, __, { service }) => statusOf(service)),
  }),
];

/** The numbers name collections and zones in use, so they need a token: the one for metrics, or an admin token. */
const enterForMetrics = needing('admin', (call): void => {
  const { service, request } = call;
  if (!isHashOf(service.metricsToken, presentedToken(request.headers)))
    requireAdministrator(call, 'The measurements require the token for metrics or an admin token');
});

export const metricsEndpoints: readonly Endpoint[] = [
  row('GET', '/-/metrics', 'metrics', {
    tag: 'Service',
    summary: 'Measurements in the text format of Prometheus',
    description: 'The token for metrics that the service was started with is accepted, too.',
    answers: {
      200: { description: 'The measurements.', content: { 'text/plain': { schema: { type: 'string' } } } },
    },
    ...replying(enterForMetrics, {}, async (_, __, { service: { metrics }, reply }) =>
      sendText(reply.header('cache-control', 'no-store'), metrics.mediaType, await metrics.text()),
    ),
  }),
];
