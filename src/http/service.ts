/** The service as a whole: what it is, whether it is well, and the maintenance mode of its collections. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Collection } from '../collections/collection.ts';
import type { Registry, Snapshot } from '../collections/registry.ts';
import type { ConfigurationState } from '../config/state.ts';
import { type Problem, ServiceError } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import { presentedToken } from './authenticate.ts';
import { jsonBody } from './body.ts';
import { booleanOf } from './query.ts';
import { sendJson } from './reply.ts';
import { heldCollection } from './targets.ts';

/** The release of the interface that the service speaks (specification 9). */
const INTERFACE_VERSION = '6.3.3';

/** `GET /server` (specification 2.3), open to everybody. */
export function serverInformation(registry: Registry) {
  const texts = new WeakMap<Snapshot, string>();
  return async (_request: FastifyRequest, reply: FastifyReply) => {
    const snapshot = registry.current();
    const text = texts.get(snapshot) ?? JSON.stringify(informationOf(snapshot));
    texts.set(snapshot, text);
    return sendJson(reply, text);
  };
}

function informationOf({ collections }: Snapshot) {
  return {
    version: INTERFACE_VERSION,
    collections: [...collections.values()].map(({ name, config, classes }) => ({
      name,
      schema: config.schema,
      classes,
    })),
  };
}

/** `POST /maintenance` (specification 2.4 and 3): for curators of the collection, whose token is needed. */
export function switchMaintenance(registry: Registry, state: ConfigurationState) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { collection: name, active } = readMaintenance(request.body);
    const token = presentedToken(request.headers);
    if (token === undefined) {
      throw new ServiceError(
        'maintenance_refused',
        'The maintenance mode is switched with the token of a curator, and none was given.',
      );
    }
    const { permissions } = await heldCollection(registry, name, request).authorize(token);
    if (!permissions.curate) {
      throw new ServiceError(
        'maintenance_refused',
        `The maintenance mode of the collection '${name}' is switched by its curators, and this is no curator's token.`,
      );
    }
    await state.setMaintenance(name, active);
    return sendJson(reply, 'null');
  };
}

function readMaintenance(body: unknown): { collection: string; active: boolean } {
  const value = jsonBody(body);
  if (!isJsonObject(value)) throw invalid([problem([], 'an object with the keys collection and active')]);
  const { collection } = value;
  // The peer's client sends `On` and `Off`.
  const active = booleanOf(value.active);
  const problems: Problem[] = [];
  if (typeof collection !== 'string') problems.push(problem(['collection'], 'the name of a collection'));
  if (active === undefined) problems.push(problem(['active'], 'true or false'));
  if (problems.length > 0) throw invalid(problems);
  return { collection: collection as string, active: active as boolean };
}

function problem(path: string[], expected: string): Problem {
  return { type: 'payload_invalid', loc: ['body', ...path], msg: `expected ${expected}` };
}

function invalid(problems: Problem[]): ServiceError {
  return new ServiceError('payload_invalid', problems.map(({ msg }) => msg).join('; '), problems);
}

/**
 * `GET /-/health`: the process answers. It tells of audit logs whose repository takes no entries at the moment, and of
 * stored records that can't be read; the reasons, which may hold paths, are in the service's log.
 */
export function health(version: string, registry: Registry, configurationLog: AuditLog) {
  return async (_request: FastifyRequest, reply: FastifyReply) => {
    const problems: string[] = [];
    if (configurationLog.faults().length > 0) problems.push(`the configuration: ${AUDIT_PROBLEM}`);
    // A collection that is replaced meanwhile closes its stores, unless somebody is in it.
    const collections = [...registry.current().collections.values()];
    for (const collection of collections) collection.enter();
    try {
      for (const collection of collections) problems.push(...(await problemsOf(collection)));
    } finally {
      for (const collection of collections) collection.leave();
    }
    const health =
      problems.length > 0 ? { status: 'degraded', version, problems } : { status: 'ok', version };
    return sendJson(reply, JSON.stringify(health));
  };
}

async function problemsOf({ name, audits, curated, zones }: Collection): Promise<string[]> {
  const problems: string[] = [];
  if (audits.some((log) => log.faults().length > 0)) problems.push(`collection '${name}': ${AUDIT_PROBLEM}`);
  const unreadable = [...(await curated.faults()), ...(await zones.faults())].length;
  if (unreadable > 0) problems.push(`collection '${name}': ${unreadable} ${STORE_PROBLEM}`);
  return problems;
}

const AUDIT_PROBLEM = 'audit entries are missing in the repository; the log of the service has the reason';
const STORE_PROBLEM = 'faults in stored records, which `accession check` names';

/** `GET /-/ready`: every collection of the configuration is running. */
export function ready(registry: Registry) {
  return async (_request: FastifyRequest, reply: FastifyReply) => {
    const { collections } = registry.current();
    return sendJson(reply, JSON.stringify({ status: 'ready', collections: collections.size }));
  };
}
