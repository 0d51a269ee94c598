/** A process that serves a store of another one refuses whatever would change anything, before it reads a token or a body. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { changes, type Endpoint } from './endpoint.ts';

/** The hook that refuses an endpoint. @param all the table, for the methods that are left on the path */
export function refuseChange(all: readonly Endpoint[], { method, path }: Endpoint) {
  const left = all.filter((other) => other.path === path && !changes(other));
  const allow = left.flatMap((other) => (other.head ? [other.method, 'HEAD'] : [other.method])).sort();
  return (_request: FastifyRequest, reply: FastifyReply, done: (error: Error) => void): void => {
    reply.header('allow', allow.join(', '));
    done(changeRefused(method));
  };
}

function changeRefused(method: string): ServiceError {
  return new ServiceError(
    'read_only',
    `This process only reads the store, so ${method} is not supported here. Send changes to the service that owns the store.`,
  );
}
