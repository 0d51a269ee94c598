/**
 * Entity tags in headers: those of records are made in `records/condition.ts`. A compressed answer has another one, which ends
 * with its content coding.
 */
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Precondition } from '../entity-tag.ts';
import { type Condition, versionIn } from '../records/condition.ts';
import type { Call } from './endpoint.ts';
import { asItIs } from './reply.ts';

/** The tag of the same content in a content coding. */
export function encodedTag(etag: string, coding: string): string {
  return `${etag.slice(0, -1)}.${coding}"`;
}

export function tagOf(content: string | Buffer): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 20)}"`;
}

/** Sends the entity tag of the response. @returns whether the client has it, so that the response is a 304 */
export function clientHas({ request, reply }: Pick<Call, 'request' | 'reply'>, etag: string): boolean {
  const known = knownTag(request.headers['if-none-match'], etag);
  reply.header('etag', known ?? etag);
  return known !== undefined;
}

/** Sends content with its tag. */
export function sendTagged(
  call: Pick<Call, 'request' | 'reply'>,
  mediaType: string,
  content: string | Buffer,
): FastifyReply {
  const isUnchanged = clientHas(call, tagOf(content));
  if (isUnchanged) return call.reply.code(304).send();
  return call.reply.header('content-type', mediaType).serializer(asItIs).send(content);
}

/**
 * Which tag in `If-None-Match` of a read names the content with this tag, in whatever coding the client holds it.
 * The comparison is the weak one (RFC 9110, 13.1.2).
 */
function knownTag(header: string | undefined, etag: string): string | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return etag;
  return entityTags(header).find((tag) => tag.replace(CODING, '"') === etag);
}

type ConditionHeaders = Pick<IncomingHttpHeaders, 'if-match' | 'if-none-match'>;

/** Reads the condition of a write of records. */
export function conditionOf(headers: ConditionHeaders): Condition | undefined {
  const precondition = preconditionOf(headers);
  if (precondition === undefined || typeof precondition === 'string')
    return precondition && { kind: precondition };
  return { kind: 'version', versions: precondition.flatMap((tag) => versionIn(tag) ?? []) };
}

/**
 * The demands of `If-Match` and `If-None-Match: *` on the state that a write replaces: one of some tags, that it exists, or that it does
 * not. Other tags in `If-None-Match` demand nothing of a write.
 */
export function preconditionOf(headers: ConditionHeaders): Precondition | undefined {
  const match = headers['if-match'];
  if (match !== undefined)
    return match.trim() === '*' ? 'present' : entityTags(match).map((tag) => tag.replace(CODING, '"'));
  return headers['if-none-match']?.trim() === '*' ? 'absent' : undefined;
}

/** Matches the suffix that {@link encodedTag} adds. */
const CODING = /\.(br|gzip)"$/;

function entityTags(header: string): string[] {
  return [...header.matchAll(/"[^"]*"/g)].map(([tag]) => tag);
}
