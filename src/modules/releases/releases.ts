/**
 * Releases of a collection: named states of its curated area. Each is requested with a revision, made in the background
 * (`make.ts`), and never changed. All of it is in the database, so every instance serves it, and a backup has it.
 */
import type { Collection } from '../../core/collections/collection.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Database, Draft } from '../../core/storage/database.ts';
import type { Reader } from '../../core/storage/reader.ts';
import { metadataOf } from '../publish/publication.ts';
import type { PublicationMetadata } from '../publish/publishing.ts';
import type { ArchivedFile } from './archive.ts';
import type {} from './codes.ts';

/** How many records were created, replaced and deleted since the release before. */
export type ReleaseChanges = {
  readonly since: string;
  readonly created: number;
  readonly replaced: number;
  readonly deleted: number;
};

export type ReleaseFile = ArchivedFile & { readonly mediaType: string };

/** The members of a release when it is requested. */
type ReleaseRequest = {
  readonly notes: string | null;
  readonly by: string;
  /** The metadata of the collection at that time. */
  readonly publish: PublicationMetadata & { readonly license: string };
  /** The digest of the schema. */
  readonly schema: string;
};

/** The members that it gets when its files are written. */
export type ReleaseContents = {
  readonly records: number;
  /** Null if it is the first release. */
  readonly changes: ReleaseChanges | null;
  readonly files: readonly ReleaseFile[];
  /** The archive of all files: its bytes and their SHA-256. */
  readonly size: number;
  readonly digest: string;
};

export type Release = ReleaseRequest & {
  readonly name: string;
  readonly revision: number;
  /** ISO 8601. */
  readonly time: string;
  readonly state: 'making' | 'done' | 'failed' | 'withdrawn';
  /** Names the parts of its archive, if there are any. */
  readonly attempt: string;
  readonly progress: { readonly done: number; readonly total: number };
  readonly made?: ReleaseContents;
  /** Why it has failed, or was withdrawn. */
  readonly reason?: string;
};

type Of = Pick<Collection, 'name' | 'database' | 'curated'>;
type Row = readonly [
  name: string,
  revision: number,
  time: number,
  state: Release['state'],
  attempt: string,
  done: number,
  total: number,
  json: string,
];

const COLUMNS = 'name, revision, time, state, attempt, done, total, json';
const OF_COLLECTION = 'area = $1 AND collection = $2';
const ONE = `${OF_COLLECTION} AND name = $3`;

const keyOf = ({ curated, name }: Of) => [curated.area.id, name];

function releaseOf([name, revision, time, state, attempt, done, total, json]: Row): Release {
  return {
    name,
    revision,
    state,
    attempt,
    progress: { done, total },
    time: new Date(time).toISOString(),
    ...(JSON.parse(json) as ReleaseRequest & Pick<Release, 'made' | 'reason'>),
  };
}

/** Releases of a collection that are not withdrawn. Each has all records. */
const MOST_RELEASES = 500;

/** All releases of a collection, newest first. */
export async function listReleases(of: Of): Promise<Release[]> {
  const rows = await of.database.tuples<Row>(
    `SELECT ${COLUMNS} FROM accession_release WHERE ${OF_COLLECTION} ORDER BY revision DESC, time DESC, name DESC`,
    keyOf(of),
  );
  return rows.map(releaseOf);
}

/** @throws ServiceError `release_unknown` */
export async function releaseNamed(of: Of, name: string): Promise<Release> {
  return (await findRelease(of.database, of, name)) ?? unknownRelease(of, name);
}

/** @throws ServiceError `release_unknown` */
export function unknownRelease({ name: collection }: Pick<Of, 'name'>, name: string): never {
  throw new ServiceError('release_unknown', `The collection '${collection}' has no release '${name}'.`);
}

async function findRelease(reader: Reader, of: Of, name: string): Promise<Release | undefined> {
  const [row] = await reader.tuples<Row>(`SELECT ${COLUMNS} FROM accession_release WHERE ${ONE}`, [
    ...keyOf(of),
    name,
  ]);
  return row && releaseOf(row);
}

/**
 * Requests a release of the curated area as it is now. One that has failed is requested again.
 *
 * @throws ServiceError `license_missing`, `name_taken`, `release_in_progress`, `releases_too_many`
 */
export async function requestRelease(
  collection: Collection,
  { name, notes }: { readonly name: string; readonly notes?: string | undefined },
  by: string,
): Promise<Release> {
  const { curated, schema, database } = collection;
  const publishing = await metadataOf({ collection });
  const { license } = publishing;
  if (license === undefined) throw licenseMissing(collection.name);
  const requested: ReleaseRequest = {
    notes: notes ?? null,
    by,
    schema: schema.digest,
    publish: { ...publishing, license },
  };
  const revision = await curated.revision();
  await database.transact(async (draft) => {
    const former = await findRelease(draft, collection, name);
    if (former && former.state !== 'failed')
      throw new ServiceError(
        'name_taken',
        `The collection '${collection.name}' has a release '${name}' already: a release never changes.`,
      );
    await requirePlace(draft, collection);
    draft.run(
      `INSERT INTO accession_release (area, collection, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, 'making', '', 0, 0, $6)
       ON CONFLICT (area, collection, name) DO UPDATE SET revision = excluded.revision, time = excluded.time,
         state = excluded.state, attempt = '', done = 0, total = 0, json = excluded.json`,
      [...keyOf(collection), name, revision, Date.now(), JSON.stringify(requested)],
    );
  });
  return releaseNamed(collection, name);
}

/** A curator could fill the disk otherwise. @throws ServiceError `release_in_progress`, `releases_too_many` */
async function requirePlace(draft: Draft, of: Of): Promise<void> {
  const [making] = await draft.tuples<[string]>(
    `SELECT name FROM accession_release WHERE ${OF_COLLECTION} AND state = 'making'`,
    keyOf(of),
  );
  if (making)
    throw new ServiceError(
      'release_in_progress',
      `The release '${making[0]}' of the collection '${of.name}' is being made: request the next one when it is done.`,
    );
  const [kept] = await draft.tuples<[number]>(
    `SELECT count(*) FROM accession_release WHERE ${OF_COLLECTION} AND state = 'done'`,
    keyOf(of),
  );
  if (kept![0] < MOST_RELEASES) return;
  throw new ServiceError(
    'releases_too_many',
    `The collection '${of.name}' has ${MOST_RELEASES} releases: withdraw one before you request another one.`,
  );
}

/**
 * Withdraws a release that is done: its files are removed, and its name, digest and reason stay. One that is not done is removed.
 *
 * @returns undefined if it was not done
 * @throws ServiceError `release_unknown`, `release_withdrawn`
 */
export async function withdrawRelease(of: Of, name: string, reason: string): Promise<Release | undefined> {
  const former = await of.database.transact(async (draft) => {
    const release = (await findRelease(draft, of, name)) ?? unknownRelease(of, name);
    requirePresent(of, release);
    const { notes, by, publish, schema, state, made } = release;
    if (state !== 'done') draft.run(`DELETE FROM accession_release WHERE ${ONE}`, [...keyOf(of), name]);
    else
      draft.run(`UPDATE accession_release SET state = 'withdrawn', attempt = '', json = $4 WHERE ${ONE}`, [
        ...keyOf(of),
        name,
        JSON.stringify({ notes, by, publish, schema, made, reason }),
      ]);
    return release;
  });
  await removeParts(of.database, former.attempt);
  return former.state === 'done' ? releaseNamed(of, name) : undefined;
}

/** @throws ServiceError `release_withdrawn` */
export function requirePresent(
  { name: collection }: Pick<Of, 'name'>,
  { name, state, reason }: Release,
): void {
  if (state !== 'withdrawn') return;
  throw new ServiceError(
    'release_withdrawn',
    `The release '${name}' of the collection '${collection}' was withdrawn: ${reason}`,
  );
}

/** Parts that a transaction removes: others have their turn between two of them. */
const REMOVED_AT_ONCE = 256;

/** Removes the parts of an attempt that nothing names any more. What an interruption leaves, the next release removes. */
async function removeParts(database: Database, attempt: string): Promise<void> {
  const sql = `DELETE FROM accession_release_part WHERE attempt = $1 AND part IN
    (SELECT part FROM accession_release_part WHERE attempt = $1 ORDER BY part LIMIT $2)`;
  for (;;) {
    const removed = await database.transact(async (draft) => draft.run(sql, [attempt, REMOVED_AT_ONCE]));
    if ((removed.revisions[0] ?? 0) < REMOVED_AT_ONCE) return;
  }
}

function licenseMissing(collection: string): ServiceError {
  return new ServiceError(
    'license_missing',
    `The collection '${collection}' has no license, without which a release may not be used: set 'publish.license' in its settings ` +
      `(accession curate settings ${collection} --license URL, or Publish in the desk).`,
  );
}

/** The releases that are to be made, the oldest first. */
export async function releasesToMake(
  reader: Reader,
): Promise<(readonly [area: number, collection: string, name: string])[]> {
  return reader.tuples(
    "SELECT area, collection, name FROM accession_release WHERE state = 'making' ORDER BY time, name",
  );
}

/** The newest release that is done. */
export async function lastRelease(of: Of): Promise<Release | undefined> {
  return (await listReleases(of)).find(({ state }) => state === 'done');
}

/** The release was made, or is being made, by another process. */
export class SupersededError extends Error {}

/** Begins to make a release. Parts of attempts that have ended halfway are removed. */
export async function beginAttempt(of: Of, name: string, attempt: string): Promise<void> {
  await of.database.transact(async (draft) => {
    draft.run(
      `UPDATE accession_release SET attempt = $4, done = 0, total = 0 WHERE ${ONE} AND state = 'making'`,
      [...keyOf(of), name, attempt],
    );
    draft.run(
      'DELETE FROM accession_release_part WHERE attempt NOT IN (SELECT attempt FROM accession_release)',
    );
  });
}

/** Removes the parts of an attempt that has failed: they may have filled the disk, and writes would wait for the next attempt. */
export async function discardAttempt({ database }: Pick<Of, 'database'>, attempt: string): Promise<void> {
  await removeParts(database, attempt);
}

/** Commits what an attempt has made. @throws SupersededError */
export async function commitAttempt(
  of: Of,
  { name, attempt }: { readonly name: string; readonly attempt: string },
  add: (draft: Draft) => void,
): Promise<void> {
  await of.database.transact(async (draft) => {
    const found = await findRelease(draft, of, name);
    if (found?.state !== 'making' || found.attempt !== attempt) throw new SupersededError();
    add(draft);
  });
}

/** Notes how many steps of an attempt are done. */
export function noteProgress(draft: Draft, of: Of, name: string, { done, total }: Release['progress']): void {
  draft.run(`UPDATE accession_release SET done = $4, total = $5 WHERE ${ONE}`, [
    ...keyOf(of),
    name,
    done,
    total,
  ]);
}

/** Makes a release one that is served, or one that has failed. */
export function endAttempt(
  draft: Draft,
  of: Of,
  release: Release,
  end: { readonly made: ReleaseContents } | { readonly reason: string },
): void {
  const { notes, by, publish, schema, name, attempt } = release;
  const state = 'made' in end ? 'done' : 'failed';
  draft.run(`UPDATE accession_release SET state = $4, json = $5 WHERE ${ONE}`, [
    ...keyOf(of),
    name,
    state,
    JSON.stringify({ notes, by, publish, schema, ...end }),
  ]);
  if (state === 'failed') draft.run('DELETE FROM accession_release_part WHERE attempt = $1', [attempt]);
}
