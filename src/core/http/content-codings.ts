/** Content codings of requests and responses (RFC 9110, 8.4.1 and 12.5.3). */
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The codings of compressed responses, the first of equally wanted ones first. */
export const CODINGS = ['br', 'gzip'] as const;

type Coding = (typeof CODINGS)[number] | 'identity';

/**
 * The coding that a client prefers: that with the highest weight, of equal ones a compressing one. A response without any coding is
 * acceptable unless the client excludes it; if it excludes everything that there is, it gets one nevertheless.
 *
 * @param accepted the header `Accept-Encoding`; a client without one gets no coding
 */
export function preferredCoding(accepted: string | undefined): Coding {
  const weights = weightsIn(accepted ?? '');
  const rest = weights.get('*') ?? 0;
  const named = (coding: string) => weights.get(coding) ?? rest;
  let preferred: Coding = 'identity';
  // What is not mentioned is acceptable without a coding, and less wanted than whatever is mentioned.
  let most = weights.get('identity') ?? 0;
  for (const coding of CODINGS) {
    const weight = named(coding);
    if (weight === 0 || weight < most || (weight === most && preferred !== 'identity')) continue;
    preferred = coding;
    most = weight;
  }
  return preferred;
}

/** The weights of codings by their names; those with a weight that is none are left out. */
function weightsIn(accepted: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of accepted.split(',')) {
    const [, name, weight = '1'] =
      /^\s*([^\s;]+)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i.exec(part) ?? [];
    if (name !== undefined) weights.set(nameOf(name), Math.min(1, Number(weight)));
  }
  return weights;
}

/** The name of a coding: case does not matter, and `x-gzip` is `gzip`. */
function nameOf(coding: string): string {
  return coding
    .trim()
    .toLowerCase()
    .replace(/^x-gzip$/, 'gzip');
}

/** The hook that leaves one coding to the plugins that compress and decompress: they know no weights and only some names. */
export function negotiateCodings({ headers }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { 'accept-encoding': accepted, 'content-encoding': sent } = headers;
  if (accepted !== undefined) headers['accept-encoding'] = preferredCoding([accepted].flat().join());
  if (sent !== undefined) headers['content-encoding'] = nameOf(sent);
  done();
}
