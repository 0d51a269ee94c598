/** States of records, as entity tags name them, and the conditions that a client sets for writing a record. */
import { hash } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { scanEntries } from '../storage/read/paging.ts';
import type { Expectation, RecordStore, StoredRecord } from '../storage/store.ts';

/**
 * A state of a record: its area, and either its revision there or the digest of its text. Revisions count the changes of an
 * area, so they are for those who see all of its records.
 */
export type Version = {
  /** A short name of the collection and the area, see `scopeOf` of the collection. */
  readonly scope: string;
} & ({ readonly revision: number } | { readonly digest: string });

/** How an area names a state of a record. */
export type VersionOf = (scope: string, record: Pick<StoredRecord, 'json' | 'revision'>) => Version;
export const byRevision: VersionOf = (scope, { revision }) => ({ scope, revision });
/** For users, who may not see every record. */
export const byText: VersionOf = (scope, { json }) => ({ scope, digest: digestOf(json) });

/** The strong entity tag of a record in a format: `"<scope>.<revision or digest>.<format>"`. */
export function etagOf(version: Version, format: string): string {
  const state = 'revision' in version ? version.revision.toString(36) : version.digest;
  return `"${version.scope}.${state}.${format}"`;
}

/** Selects the entry of a revision. */
export function atRevision(revision: number) {
  return { after: revision - 1, before: revision + 1 };
}

/** The entity tags, as users read them, of records at revisions of an area: of those whose entries are kept and seen. */
export async function etagsAt(
  store: Pick<RecordStore, 'entries'>,
  scope: string,
  revisions: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const tags = new Map<number, string>();
  if (revisions.length === 0) return tags;
  for await (const { json, revision } of scanEntries(store, { revisions }))
    if (json !== null) tags.set(revision, etagOf(byText(scope, { json, revision }), 'json'));
  return tags;
}

/** The version that an entity tag names, of any format and content coding; undefined if it is not a tag of a record. */
export function versionIn(tag: string): Version | undefined {
  const found = /^(?:W\/)?"([\w-]+)\.(?:([0-9a-z]{1,11})|([\w-]{22}))\.\w+(?:\.\w+)?"$/.exec(tag);
  if (!found) return undefined;
  const [, scope = '', revision, digest = ''] = found;
  return revision === undefined ? { scope, digest } : { scope, revision: Number.parseInt(revision, 36) };
}

export type Condition =
  | { readonly kind: 'absent' }
  | { readonly kind: 'present' }
  | { readonly kind: 'version'; readonly versions: readonly Version[] };

/** The condition as a store checks it, for a record of a scope. @param record as it is now */
export function expectationIn(
  scope: string,
  condition: Condition,
  record: Pick<StoredRecord, 'json' | 'revision'> | undefined,
): Expectation {
  if (condition.kind === 'absent') return { absent: true };
  if (condition.kind === 'present') return { present: true };
  // Versions of other areas cannot match.
  const revisions = condition.versions.flatMap((version) =>
    'revision' in version && version.scope === scope ? [version.revision] : [],
  );
  if (record && versionAmong(condition.versions, scope, record)) revisions.push(record.revision);
  return { revisions };
}

/** The condition as it is checked for a record of a store, whose JSON is read only if a version names it by its digest. */
export async function expectationFor(
  store: Pick<RecordStore, 'get'>,
  scope: string,
  condition: Condition,
  iri: string,
): Promise<Expectation> {
  const namesDigest =
    condition.kind === 'version' && condition.versions.some((one) => one.scope === scope && 'digest' in one);
  return expectationIn(scope, condition, namesDigest ? await store.get(iri) : undefined);
}

/**
 * Returns the first version that names the state in which a record of a scope is. The text is digested once: a condition may have
 * as many versions as a body has room for, and a record 10 MB.
 */
export function versionAmong(
  versions: readonly Version[],
  scope: string,
  { json, revision }: Pick<StoredRecord, 'json' | 'revision'>,
): Version | undefined {
  let digest: string | undefined;
  return versions.find((version) => {
    if (version.scope !== scope) return false;
    if ('revision' in version) return version.revision === revision;
    digest ??= digestOf(json);
    return version.digest === digest;
  });
}

/** Whether a record of a scope is in the state that a version names. */
export function isVersion(
  version: Version,
  ...record: [scope: string, Pick<StoredRecord, 'json' | 'revision'>]
): boolean {
  return versionAmong([version], ...record) !== undefined;
}

/** Names the text of a record. */
export function digestOf(json: string): string {
  return hash('sha256', json, 'base64url').slice(0, DIGEST_LENGTH);
}

/** Revisions have fewer characters. */
const DIGEST_LENGTH = 22;

/** A condition that is not true of the record. */
export function preconditionFailed(pid: string): ServiceError {
  return new ServiceError('precondition_failed', `The record '${pid}' is not in the expected state.`);
}
