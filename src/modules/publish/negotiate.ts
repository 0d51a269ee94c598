/** Which representation of a resource a client prefers (RFC 9110, 12.5.1), and gets. */
import { ServiceError } from '../../core/errors.ts';
import type { Call } from '../../core/http/endpoint.ts';
import { addVary } from '../../core/http/reply.ts';

/** A range of media types in `Accept`, and how much it is wanted. */
type Range = { readonly type: string; readonly weight: number };

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

/**
 * The media type that a client prefers among those that there are, the first of equal ones; undefined if it accepts none. Other
 * parameters of ranges than `q` are ignored: what has the type but another profile is not refused.
 *
 * @param accept the header; a client without one accepts everything
 */
export function preferredType<T extends string>(
  accept: string | undefined,
  types: readonly T[],
): T | undefined {
  const ranges = rangesIn(accept ?? '');
  if (ranges.length === 0) return types[0];
  let preferred: T | undefined;
  let most = 0;
  for (const type of types) {
    const weight = weightOf(type, ranges);
    if (weight <= most) continue;
    preferred = type;
    most = weight;
  }
  return preferred;
}

function rangesIn(accept: string): Range[] {
  return accept.split(',').flatMap((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    if (!/^[^\s/]+\/[^\s/]+$/.test(type)) return [];
    const weights = parameters.flatMap((one) => /^q\s*=\s*(\d(?:\.\d*)?)$/.exec(one)?.[1] ?? []);
    return [{ type, weight: Math.min(1, Number(weights[0] ?? 1)) }];
  });
}

/** The weight of the most specific range that has the type. */
function weightOf(type: string, ranges: readonly Range[]): number {
  for (const range of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const weights = ranges.flatMap((one) => (one.type === range ? one.weight : []));
    if (weights.length > 0) return Math.max(...weights);
  }
  return 0;
}
