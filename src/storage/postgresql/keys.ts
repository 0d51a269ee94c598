/**
 * Strings as keys of indexes. An index entry is limited to about 2,700 bytes, and pids, IRIs and ledger keys are not:
 * what is too long is replaced by a digest, or split.
 */
import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import type { RecordKey } from '../store.ts';

/** The most bytes of a string that is its own key. */
const LONGEST_KEY = 800;
/** The most code points of a pid that are in the indexes: at most 800 bytes. */
const LONGEST_START = 200;

/** The key of a string: the string itself, or a digest that no IRI is equal to. */
export function indexKey(text: string): string {
  if (isOwnKey(text)) return text;
  return `\u0001sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** PostgreSQL stores no NUL, and a lone surrogate is not UTF-8. */
export const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();

function isOwnKey(text: string): boolean {
  // No code unit takes more than three bytes.
  const short = text.length * 3 <= LONGEST_KEY || Buffer.byteLength(text) <= LONGEST_KEY;
  return short && isStorable(text);
}

/** The most bytes of the id of a ledger row, which is in an index together with a key. */
const LONGEST_ID = 1500;

/** The id of a ledger row: a long one, or one that PostgreSQL does not take, is its start and a digest. */
export function ledgerId(id: string): string {
  if (isStorable(id) && (id.length * 3 <= LONGEST_ID || Buffer.byteLength(id) <= LONGEST_ID)) return id;
  const start = comparable([...id.slice(0, 2 * LONGEST_START)].slice(0, LONGEST_START).join(''));
  return `${start}\u0001sha256:${createHash('sha256').update(id).digest('hex')}`;
}

/** The columns of an IRI. */
export function iriColumns(iri: string): { key: string; long: string | null } {
  const key = indexKey(iri);
  return { key, long: key === iri ? null : iri };
}

/** A pid in two columns: as much as the indexes take, and the rest. Ordered by both, pids are in their order. */
export function pidColumns(pid: string): { start: string; end: string } {
  if (pid.length <= LONGEST_START) return { start: pid, end: '' };
  const points = [...pid];
  return { start: points.slice(0, LONGEST_START).join(''), end: points.slice(LONGEST_START).join('') };
}

/** Whether the indexed columns are too short to decide the position of a record in the order. */
export function isLong({ pid, iri }: Pick<RecordKey, 'pid' | 'iri'>): boolean {
  return pidColumns(pid).end !== '' || indexKey(iri) !== iri;
}

/** @throws ServiceError `record_invalid` for a record that PostgreSQL can't store. */
export function requireStorable({ pid, iri, className }: RecordKey): void {
  if ([pid, iri, className].every(isStorable)) return;
  throw new ServiceError(
    'record_invalid',
    `The record ${JSON.stringify(pid)} cannot be stored in PostgreSQL: its pid contains NUL or half of a character.`,
  );
}

/** A string for comparisons, without what PostgreSQL does not take. */
export function comparable(text: string): string {
  return isStorable(text) ? text : text.replaceAll('\0', '\u0001').toWellFormed();
}
