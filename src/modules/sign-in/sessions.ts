/**
 * Sessions: what a person has who has signed in. The database has the hash of the token; the token opens what the issuer has given
 * to ask again, so a copy of the database can do neither.
 */
import { newSecret, sha256 } from '../../core/access/config-tokens.ts';
import { seal, unseal } from '../../core/access/sealed.ts';
import { isWithin } from '../../core/durations.ts';
import type { Database, Draft } from '../../core/storage/database.ts';
import type { Reader } from '../../core/storage/reader.ts';
import {
  ID_OF_IDENTITY,
  isBlocked,
  notePerson,
  PERSON_COLUMNS,
  type PersonRow,
  personRow,
  requireRow,
} from './people.ts';
import { type Arrival, type Kept, refused } from './provider.ts';
import { TIMES } from './times.ts';

/** Tokens of sessions begin so. */
export const SESSION = 'session_';

const SEALED = 'session';
/** Sessions of one person; older ones end. */
const MOST_SESSIONS = 50;

/** What is kept of an issuer's answer, sealed by the token of the session. */
const sealedFor = (token: string, kept: Kept | undefined) => (kept ? seal(token, SEALED, kept) : null);
export const keptIn = (token: string, sealed: string) => unseal<Kept>(token, SEALED, sealed);

/**
 * Makes the session of a person who has come back from an issuer. It ends soon unless it is handed over.
 *
 * @param state of the way to the issuer: it makes one session
 * @returns the token
 * @throws ServiceError `sign_in_refused`
 */
export async function beginSession(
  database: Database,
  source: string,
  arrival: Arrival,
  state: string,
): Promise<string> {
  const token = SESSION + newSecret();
  const now = Date.now();
  const identity = [source, arrival.subject];
  await database.transact(async (draft) => {
    if (isBlocked(await personRow(draft, { source, subject: arrival.subject })))
      throw refused('an administrator has blocked this identity');
    const [used] = await draft.tuples('SELECT id FROM accession_session WHERE state = $1', [sha256(state)]);
    if (used) throw refused('this link was used before');
    await notePerson(draft, source, arrival);
    draft.run(
      `INSERT INTO accession_session (hash, state, person, created, used, ends, last, handed, sealed, asked)
       VALUES ($3, $4, ${ID_OF_IDENTITY}, $5, $5, $6, $7, 0, $8, $5)`,
      [
        ...identity,
        sha256(token),
        sha256(state),
        now,
        now + TIMES.handOver,
        now + TIMES.sessionAtMost,
        sealedFor(token, arrival.kept),
      ],
    );
    draft.run(
      `DELETE FROM accession_session WHERE person = ${ID_OF_IDENTITY} AND id NOT IN (SELECT id FROM accession_session
         WHERE person = ${ID_OF_IDENTITY} ORDER BY id DESC LIMIT ${MOST_SESSIONS})`,
      identity,
    );
  });
  return token;
}

/** Hands a session over to the desk, once. @throws ServiceError `sign_in_refused` */
export async function handOver(database: Database, token: string): Promise<void> {
  const now = Date.now();
  await database.transact(async (draft) => {
    const [row] = await draft.tuples<[id: number, handed: number, ends: number]>(
      'SELECT id, handed, ends FROM accession_session WHERE hash = $1',
      [sha256(token)],
    );
    if (row?.[1] !== 0 || row[2] <= now) throw refused('the session was handed over already, or has ended');
    draft.run('UPDATE accession_session SET handed = 1, ends = $2 WHERE id = $1', [
      row[0],
      now + TIMES.session,
    ]);
  });
}

export type SessionRow = readonly [
  ...PersonRow,
  session: number,
  ends: number,
  sealed: string | null,
  asked: number,
];

/** The session of a token with its person; undefined if it has ended, was not handed over, or its person is blocked. */
export async function sessionRow(
  reader: Pick<Reader, 'tuples'>,
  token: string,
): Promise<SessionRow | undefined> {
  const [row] = await reader.tuples<SessionRow>(
    `SELECT ${PERSON_COLUMNS}, s.id, s.ends, s.sealed, s.asked
     FROM accession_session s JOIN accession_person p ON p.id = s.person WHERE s.hash = $1 AND s.handed = 1`,
    [sha256(token)],
  );
  // By a clock that was ahead, sessions end later than any may.
  return row && isWithin(row[10] - TIMES.session, TIMES.session) && row[7] === null ? row : undefined;
}

/**
 * Takes the turn to ask an issuer again: of several instances and requests, one does.
 *
 * @param asked when it was asked before
 */
export async function takeTurn(database: Database, session: number, asked: number): Promise<boolean> {
  const taken = await database.transact(async (draft) =>
    draft.run('UPDATE accession_session SET asked = $3 WHERE id = $1 AND asked = $2', [
      session,
      asked,
      Date.now(),
    ]),
  );
  return taken.revisions[0] === 1;
}

/** Stores the tokens that an issuer gave in place of former ones. */
export async function noteKept(
  database: Database,
  { session, token }: { readonly session: number; readonly token: string },
  kept: Kept,
): Promise<void> {
  await database.transact(
    async (draft) =>
      void draft.run('UPDATE accession_session SET sealed = $2 WHERE id = $1', [
        session,
        sealedFor(token, kept),
      ]),
  );
}

/** Stores what an issuer says when it is asked again. */
export async function noteAgain(
  database: Database,
  { session, token, source }: { readonly session: number; readonly token: string; readonly source: string },
  arrival: Arrival | 'unknown',
): Promise<void> {
  const sealed = arrival === 'unknown' ? null : sealedFor(token, arrival.kept);
  await database.transact(async (draft) => {
    if (arrival !== 'unknown') await notePerson(draft, source, arrival);
    draft.run('UPDATE accession_session SET sealed = $2 WHERE id = $1', [session, sealed]);
  });
}

/** Renews a session that was used, and notes that its person was here. One whose issuer cannot be asked again ends when it would without use. */
export function renewSession(draft: Pick<Draft, 'run'>, session: number, used: number): void {
  draft.run(
    `UPDATE accession_session SET used = $2, ends = CASE WHEN sealed IS NULL OR ends > $3 THEN ends
       WHEN last < $3 THEN last ELSE $3 END WHERE id = $1 AND used < $2`,
    [session, used, used + TIMES.session],
  );
  draft.run(
    `UPDATE accession_person SET seen = $2
     WHERE id = (SELECT person FROM accession_session WHERE id = $1) AND seen < $2`,
    [session, used],
  );
}

export function removeEnded(draft: Pick<Draft, 'run'>, now: number): void {
  draft.run('DELETE FROM accession_session WHERE ends <= $1 OR ends > $2', [now, now + 2 * TIMES.session]);
  draft.run('DELETE FROM accession_personal_token WHERE ends <= $1', [now - TIMES.endedToken]);
  // Grants stay, since they are to identities, and so do blocks.
  draft.run(
    `DELETE FROM accession_person WHERE seen <= $1 AND blocked IS NULL
       AND NOT EXISTS (SELECT 1 FROM accession_session s WHERE s.person = accession_person.id)
       AND NOT EXISTS (SELECT 1 FROM accession_personal_token t WHERE t.person = accession_person.id)`,
    [now - TIMES.person],
  );
  draft.run(
    'DELETE FROM accession_access_request WHERE created <= $1 AND person NOT IN (SELECT id FROM accession_person)',
    [now - TIMES.person],
  );
}

type SessionItem = {
  readonly id: number;
  readonly created: string;
  readonly used: string;
  readonly ends: string;
};

export async function listSessions(reader: Pick<Reader, 'tuples'>, person: number): Promise<SessionItem[]> {
  const rows = await reader.tuples<[number, number, number, number]>(
    'SELECT id, created, used, ends FROM accession_session WHERE person = $1 AND ends > $2 ORDER BY id DESC',
    [person, Date.now()],
  );
  return rows.map(([id, created, used, ends]) => ({
    id,
    created: new Date(created).toISOString(),
    used: new Date(used).toISOString(),
    ends: new Date(ends).toISOString(),
  }));
}

/** Ends a session of a person. @throws ServiceError `access_unknown` */
export async function endSession(database: Database, person: number, session: number): Promise<void> {
  await database.transact(async (draft) => {
    await requireRow(draft, 'accession_session', session, 'session', 'person', person);
    draft.run('DELETE FROM accession_session WHERE id = $1', [session]);
  });
}

/** Ends all sessions of a person. */
export async function endSessions(database: Database, person: number): Promise<void> {
  await database.transact(
    async (draft) => void draft.run('DELETE FROM accession_session WHERE person = $1', [person]),
  );
}
