/**
 * Strong entity tags of single records: `"<place>.<revision>.<format>"`, and `"<place>.<revision>.<format>.<coding>"` of
 * a compressed answer. They rest on the revision that the store keeps for each record, so they survive restarts, and
 * differ between areas, collections, formats and codings.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Demanded } from '../config/administration.ts';
import type { Condition, Version } from '../records/condition.ts';

/** The tag of a record in a state and a format. */
export function etagOf({ place, revision }: Version, format: string): string {
  return `"${place}.${revision.toString(36)}.${format}"`;
}

/** The tag of the same content in a content coding. */
export function encodedTag(etag: string, coding: string): string {
  return `${etag.slice(0, -1)}.${coding}"`;
}

/**
 * Which tag in `If-None-Match` of a read names the content with this tag, in whatever coding the client holds it.
 * The comparison is the weak one (RFC 9110, 13.1.2).
 */
export function knownTag(header: string | undefined, etag: string): string | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return etag;
  return entityTags(header).find((tag) => tag.replace(CODING, '"') === etag);
}

/** Reads the condition of `If-Match` and `If-None-Match: *` on a write; other tags in `If-None-Match` demand nothing of one. */
export function conditionOf(headers: IncomingHttpHeaders): Condition | undefined {
  const match = headers['if-match'];
  if (match !== undefined) {
    if (match.trim() === '*') return { kind: 'present' };
    return { kind: 'version', versions: entityTags(match).flatMap(versionOf) };
  }
  return headers['if-none-match']?.trim() === '*' ? { kind: 'absent' } : undefined;
}

/** Reads the condition of `If-Match` and `If-None-Match: *` on an element of the configuration: one of its tags, any, or that it is new. */
export function demandedOf(headers: IncomingHttpHeaders): Demanded | undefined {
  const match = headers['if-match'];
  if (match !== undefined)
    return match.trim() === '*' ? 'present' : entityTags(match).map((tag) => tag.replace(CODING, '"'));
  return headers['if-none-match']?.trim() === '*' ? 'absent' : undefined;
}

/** The version that an entity tag names; undefined if it is not one of ours. */
export function versionIn(tag: string): Version | undefined {
  return versionOf(tag.replace(/^W\//, ''))[0];
}

/** Matches the suffix that {@link encodedTag} adds. */
const CODING = /\.(br|gzip)"$/;

function entityTags(header: string): string[] {
  return [...header.matchAll(/"[^"]*"/g)].map(([tag]) => tag);
}

/** A tag that is not ours names no version, and so can never match. */
function versionOf(tag: string): Version[] {
  const parts = /^"([\w-]+)\.([0-9a-z]+)\.\w+(\.\w+)?"$/.exec(tag);
  return parts ? [{ place: parts[1]!, revision: Number.parseInt(parts[2]!, 36) }] : [];
}
