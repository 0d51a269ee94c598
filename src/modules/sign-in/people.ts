/** The people who have signed in: an identity is a source with the subject that the source knows the person by. */
import { hash } from 'node:crypto';
import type { UserNames } from '../../core/access/user-names.ts';
import { isWithin } from '../../core/durations.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Database, Draft } from '../../core/storage/database.ts';
import type { Reader } from '../../core/storage/reader.ts';
import type { Claims } from './claims.ts';
import type {} from './codes.ts';
import type { Arrival } from './provider.ts';
import { TIMES } from './times.ts';

export type Identity = { readonly source: string; readonly subject: string };

export type Person = Identity & {
  readonly id: number;
  readonly claims: Claims;
  /** When the source has said so, in milliseconds since 1970. */
  readonly claimed: number;
};

/** What may be read of a person who has never signed in, but sends a token of an issuer. */
export type KnownPerson = Omit<Person, 'id'>;

/** How histories, submissions and policies name a person: equal names of two sources stay apart. */
export function userIdOf({ source, claims }: KnownPerson): string {
  return `${source}:${claims.id}`;
}

export type PersonRow = readonly [
  id: number,
  source: string,
  subject: string,
  claims: string,
  claimed: number,
  created: number,
  seen: number,
  blocked: number | null,
  blockedBy: string | null,
];
export const PERSON_COLUMNS =
  'p.id, p.source, p.subject, p.claims, p.claimed, p.created, p.seen, p.blocked, p.blocked_by';

export function personOf([id, source, subject, claims, claimed]: PersonRow): Person {
  return { id, source, subject, claims: JSON.parse(claims) as Claims, claimed };
}

const OF_IDENTITY = `SELECT ${PERSON_COLUMNS} FROM accession_person p WHERE p.source = $1 AND p.subject = $2`;
/** The names of users who have signed in, see {@link UserNames}. Users without one are those of tokens. */
export function userNames(database: Pick<Database, 'tuples' | 'dialect'>): UserNames {
  const sql = `SELECT user_id, claims FROM accession_person WHERE ${database.dialect.among('user_id', 1)}`;
  return async (userIds) => {
    if (!userIds.some((id) => id.includes(':'))) return new Map();
    const rows = await database.tuples<[string, string]>(sql, [userIds]);
    return new Map(rows.map(([id, claims]) => [id, (JSON.parse(claims) as Claims).name]));
  };
}

/** The id of the person with an identity, as a value of statements whose first parameters are source and subject. */
export const ID_OF_IDENTITY = '(SELECT id FROM accession_person WHERE source = $1 AND subject = $2)';

/** The row of an identity, if it has ever signed in. */
export async function personRow(
  reader: Pick<Reader, 'tuples'>,
  { source, subject }: Identity,
): Promise<PersonRow | undefined> {
  const [row] = await reader.tuples<PersonRow>(OF_IDENTITY, [source, subject]);
  return row;
}

/** The person of a source whom histories name so; undefined for one who is blocked, or has not signed in for so long that they may have left. */
export async function signedInAs(
  reader: Pick<Reader, 'tuples'>,
  source: string,
  userId: string,
): Promise<Person | undefined> {
  const [row] = await reader.tuples<PersonRow>(
    `SELECT ${PERSON_COLUMNS} FROM accession_person p WHERE p.user_id = $1 AND p.source = $2`,
    [userId, source],
  );
  return row && !isBlocked(row) && !mayHaveLeft(row) ? personOf(row) : undefined;
}

/** Whether a person has not signed in for so long that what the source said of them may not be true any more. */
export const mayHaveLeft = (row: readonly [...PersonRow, ...unknown[]]) => !isWithin(row[4], TIMES.signedIn);

export const isBlocked = (row: PersonRow | undefined) => (row?.[7] ?? null) !== null;

/**
 * What histories name a person by, behind the source: the id that the source says, or the subject if another person of the
 * source has that id already. Sources give names of accounts to others.
 */
export async function ownId(
  reader: Pick<Reader, 'tuples'>,
  source: string,
  { subject, claims: { id } }: Arrival,
): Promise<string> {
  const others = await reader.tuples(
    'SELECT id FROM accession_person WHERE user_id = $1 AND subject <> $2 LIMIT 1',
    [`${source}:${id}`, subject],
  );
  return others.length === 0 ? id : subject;
}

/** Adds what a source says of a person to a transaction. */
export async function notePerson(
  draft: Pick<Draft, 'run' | 'tuples'>,
  source: string,
  arrival: Arrival,
): Promise<void> {
  const { subject } = arrival;
  const claims = { ...arrival.claims, id: await ownId(draft, source, arrival) };
  const { id, name, email = '', orcid = '' } = claims;
  const userId = `${source}:${id}`;
  const words = [name, email, orcid, userId, subject].join(' ').toLowerCase();
  draft.run(
    `INSERT INTO accession_person (source, subject, user_id, claims, words, claimed, created, seen)
     VALUES ($1, $2, $3, $4, $5, $6, $6, $6)
     ON CONFLICT (source, subject) DO UPDATE SET user_id = excluded.user_id, claims = excluded.claims, words = excluded.words,
       claimed = excluded.claimed, seen = excluded.seen`,
    [source, subject, userId, JSON.stringify(claims), words, Date.now()],
  );
}

/**
 * Blocks an identity: its sessions and personal tokens end. One that has not signed in is listed by its subject until it does.
 *
 * @param by the name of the admin token
 */
export async function blockIdentity(
  database: Pick<Database, 'transact'>,
  { source, subject }: Identity,
  by: string,
): Promise<void> {
  const claims: Claims = { id: subject, name: subject, groups: [] };
  const words = `${source}:${subject}`.toLowerCase();
  const identity = [source, subject];
  await database.transact(async (draft) => {
    // No history names it yet, so it takes the user id of no one.
    draft.run(
      `INSERT INTO accession_person (source, subject, user_id, claims, words, claimed, created, seen, blocked, blocked_by)
       VALUES ($1, $2, '', $3, $4, $5, $5, $5, $5, $6)
       ON CONFLICT (source, subject) DO UPDATE SET blocked = excluded.blocked, blocked_by = excluded.blocked_by`,
      [...identity, JSON.stringify(claims), words, Date.now(), by],
    );
    draft.run(`DELETE FROM accession_session WHERE person = ${ID_OF_IDENTITY}`, identity);
    draft.run(`DELETE FROM accession_personal_token WHERE person = ${ID_OF_IDENTITY}`, identity);
  });
}

/** Lets a blocked identity in again. @throws ServiceError `access_unknown` */
export async function unblock(database: Pick<Database, 'transact'>, id: number): Promise<void> {
  await database.transact(async (draft) => {
    await requireRow(draft, 'accession_person', id, 'person');
    draft.run('UPDATE accession_person SET blocked = NULL, blocked_by = NULL WHERE id = $1', [id]);
  });
}

/** The tables whose rows are named by their ids. */
type Table =
  | 'accession_person'
  | 'accession_session'
  | 'accession_personal_token'
  | 'accession_identity_grant'
  | 'accession_access_request';

/** @throws ServiceError `access_unknown` if a table has no row with an id, and some column with a value */
export async function requireRow(
  draft: Pick<Reader, 'tuples'>,
  table: Table,
  id: number,
  what: string,
  column?: 'person' | 'collection',
  value?: number | string,
): Promise<void> {
  const and = column === undefined ? '' : ` AND ${column} = $2`;
  const values = [Number.isSafeInteger(id) ? id : 0, ...(value === undefined ? [] : [value])];
  const rows = await draft.tuples(`SELECT id FROM ${table} WHERE id = $1${and}`, values);
  if (rows.length === 0) throw new ServiceError('access_unknown', `There is no ${what} ${id}.`);
}

/** The zone of a person, which has the name of the source: another person of the same name at another source has another one. */
export function zoneOf(key: string, subject: string): string {
  // Names of sources have neither a dot nor a plus, so no two of them begin the same zone.
  const label = `${key}.${subject}`;
  // Names of directories; others are named by a hash.
  return /^[\w.@:+=-]{1,200}$/.test(label) ? label : `${key}+${hash('sha256', subject).slice(0, 40)}`;
}
