/** The endpoints of the running service for administrators: its status, and the jobs that they may stop. */
import { statfs } from 'node:fs/promises';
import type { FastifyReply } from 'fastify';
import { lastBackup } from '../../config/last-backup.ts';
import { ServiceError } from '../../errors.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { enterAsAdministrator } from '../enter.ts';
import { parametersOf } from '../query.ts';
import { sendJson } from '../reply.ts';
import { countSchema, jsonAnswer, NULL, TRUE, textSchema } from './schemas.ts';

/** GET of disk, sizes, last backup, collections, faults, jobs and the last use of tokens. */
async function readStatus(call: Call): Promise<FastifyReply> {
  enterAsAdministrator(call);
  parametersOf(call, {});
  const { service } = call;
  const { registry, state, administration } = service;
  const snapshot = registry.current();
  const collections = [...snapshot.collections.values()];
  const running = await Promise.all(
    collections.map(async (collection) => {
      const { name, config, curated, zones, audits } = collection;
      return {
        name,
        available: true,
        backend: config.backend.type,
        records: await curated.count({}),
        zones: zones.exist ? (await zones.labels()).length : 0,
        audit_faults: audits.flatMap((log) => log.faults()).length,
        faults: (await registry.mirrors.faults(collection)).slice(0, MOST_FAULTS),
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
  const status = {
    version: service.version,
    writable: service.database.readOnly ? READS_ONLY : ((await service.canWrite()) ?? true),
    disk: await disk(administration.root),
    ...(await service.sizes()),
    last_backup: lastBackup(administration.root),
    memory_bytes: process.memoryUsage.rss(),
    uptime_seconds: Math.round(process.uptime()),
    collections: [...running, ...closed],
    jobs: service.jobs.list(),
    projections: service.projector
      .list()
      .map(({ areas, ...one }) => ({ ...one, areas: areas.slice(0, MOST_FAULTS) })),
    tokens: Object.entries(state.configuration.tokens).map(([name, { expires, previous }]) => ({
      name,
      last_used: uses.get(name) ?? null,
      expires: expires ?? null,
      rotating_until: previous?.until ?? null,
    })),
  };
  return sendJson(call.reply, JSON.stringify(status));
}

/** Of a process that serves a store of another one. */
const READS_ONLY = 'This process only reads the store.';

/** The most faults of a collection that are listed; `accession check` lists all. */
const MOST_FAULTS = 100;

async function disk(root: string): Promise<{ free_bytes: number; size_bytes: number } | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(root);
    return { free_bytes: bavail * bsize, size_bytes: blocks * bsize };
  } catch {
    return null;
  }
}

/** POST that stops a job until the service is started again. */
async function stopJob(call: Call): Promise<FastifyReply> {
  enterAsAdministrator(call);
  parametersOf(call, {});
  const { job } = call.request.params as { job: string };
  if (!(await call.service.jobs.stop(Number(job))))
    throw new ServiceError('job_unknown', `There is no job with the id ${job}.`);
  return sendJson(call.reply, 'null');
}

const size = { type: ['integer', 'null'], minimum: 0 } as const;
const optional = { type: ['string', 'null'] } as const;

export const jobSchema = {
  type: 'object',
  properties: {
    id: countSchema,
    name: textSchema,
    collection: textSchema,
    state: { enum: ['idle', 'waiting', 'running', 'failed', 'done'] },
    progress: {
      type: 'object',
      properties: { done: countSchema, total: countSchema },
      required: ['done', 'total'],
    },
    since: textSchema,
    error: textSchema,
  },
  required: ['id', 'name', 'state', 'since'],
} as const;

const projectionSchema = {
  type: 'object',
  description: 'What follows the changes of areas, and how far behind it is.',
  properties: {
    name: textSchema,
    collection: textSchema,
    state: { enum: ['idle', 'running', 'failed'] },
    behind: { ...countSchema, description: 'Changes that are left, at least.' },
    areas: {
      type: 'array',
      description: 'The areas with changes that are left, those first in which it fails.',
      items: {
        type: 'object',
        properties: { area: textSchema, behind: countSchema, error: textSchema, since: textSchema },
        required: ['area', 'behind'],
      },
    },
  },
  required: ['name', 'state', 'behind', 'areas'],
} as const;

const faultSchema = {
  type: 'object',
  properties: { path: textSchema, message: textSchema },
  required: ['path', 'message'],
} as const;

export const statusSchema = {
  type: 'object',
  properties: {
    version: textSchema,
    writable: {
      description: 'true, or why the store accepts no writes.',
      oneOf: [TRUE, textSchema],
    },
    disk: {
      type: ['object', 'null'],
      description: 'Of the store directory.',
      properties: { free_bytes: countSchema, size_bytes: countSchema },
      required: ['free_bytes', 'size_bytes'],
    },
    store_bytes: {
      ...size,
      description: 'The files of the store directory; null while they are counted.',
    },
    database_bytes: { ...size, description: 'The database; null if its size is not known.' },
    last_backup: {
      type: ['object', 'null'],
      description: 'The last `accession backup` of the store directory; null if there was none.',
      properties: { time: textSchema, bytes: countSchema },
      required: ['time', 'bytes'],
    },
    memory_bytes: countSchema,
    uptime_seconds: countSchema,
    collections: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: textSchema,
          available: { type: 'boolean' },
          backend: textSchema,
          records: { ...countSchema, description: 'In the curated area.' },
          zones: countSchema,
          audit_faults: { ...countSchema, description: 'Faults of audit logs.' },
          faults: { type: 'array', items: faultSchema },
        },
        required: ['name', 'available', 'backend', 'faults'],
      },
    },
    jobs: { type: 'array', items: jobSchema },
    projections: { type: 'array', items: projectionSchema },
    tokens: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: textSchema,
          last_used: { ...optional, description: 'The day (UTC).' },
          expires: optional,
          rotating_until: { ...optional, description: 'Until when the former secret is accepted.' },
        },
        required: ['name', 'last_used', 'expires', 'rotating_until'],
      },
    },
  },
  required: [
    'version',
    'writable',
    'disk',
    'store_bytes',
    'database_bytes',
    'last_backup',
    'collections',
    'jobs',
    'projections',
    'tokens',
  ],
} as const;

const statusShared = { tag: 'Administration', token: 'admin' } as const;

/** The endpoints for operators. */
export const statusEndpoints: readonly Endpoint[] = [
  {
    ...statusShared,
    method: 'GET',
    path: '/-/status',
    id: 'status',
    summary: 'Disk, sizes, last backup, collections, faults, jobs and the last use of tokens',
    answers: { 200: jsonAnswer('The state of the service.', statusSchema) },
    handle: readStatus,
  },
  {
    ...statusShared,
    method: 'POST',
    path: '/-/jobs/{job}/stop',
    id: 'stop-job',
    summary: 'Stop a background job until the next start',
    answers: { 200: jsonAnswer('The job has ended.', NULL) },
    handle: stopJob,
  },
];
