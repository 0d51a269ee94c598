/** The representation of a resource that a client gets. */
import { ServiceError } from '../errors.ts';
import type { Call } from './endpoint.ts';
import { preferredType } from './negotiate.ts';
import { addVary } from './reply.ts';

/** The media type that a client prefers, which caches have to ask for. @throws ServiceError `not_acceptable` */
export function acceptedType<T extends string>({ request, reply }: Call, types: readonly T[]): T {
  addVary(reply, 'Accept');
  const { accept } = request.headers;
  const type = preferredType(accept, types);
  if (type !== undefined) return type;
  throw new ServiceError(
    'not_acceptable',
    `The header Accept is '${accept}', expected one of ${types.join(', ')}.`,
  );
}
