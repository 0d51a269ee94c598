import type { ModuleTables } from '../../core/storage/tables.ts';

const sql = `
-- Who has signed in: an identity is a source with a subject, and user_id names the person in histories. claims is what the issuer last said, at claimed, and words is what people
-- are found by, in lower case. Times are in
-- milliseconds since 1970.
CREATE TABLE accession_person (
  id ID, source TEXT NOT NULL, subject TEXT NOT NULL, user_id TEXT NOT NULL, claims TEXT NOT NULL, words TEXT NOT NULL, claimed INT NOT NULL,
  created INT NOT NULL, seen INT NOT NULL, blocked INT, blocked_by TEXT
);
CREATE UNIQUE INDEX accession_person_identity ON accession_person (source, subject);
CREATE INDEX accession_person_user ON accession_person (user_id);
CREATE INDEX accession_person_seen ON accession_person (seen);
-- hash is that of the token. state is the hash of the state that the person came back with, so each makes one session. handed says whether the
-- desk has taken the token. sealed has the tokens of the issuer, which only the token of the session opens; the issuer was asked
-- at asked, and a session without them is not renewed.
CREATE TABLE accession_session (
  id ID, hash TEXT NOT NULL, state TEXT NOT NULL, person INT NOT NULL, created INT NOT NULL, used INT NOT NULL, ends INT NOT NULL,
  last INT NOT NULL, handed INT NOT NULL, sealed TEXT, asked INT NOT NULL
);
CREATE UNIQUE INDEX accession_session_hash ON accession_session (hash);
CREATE UNIQUE INDEX accession_session_state ON accession_session (state);
CREATE INDEX accession_session_person ON accession_session (person, id);
-- Tokens of persons for scripts. collections is a JSON object of modes by collection, or null for all that the person may.
CREATE TABLE accession_personal_token (
  id ID, hash TEXT NOT NULL, person INT NOT NULL, name TEXT NOT NULL, collections TEXT, created INT NOT NULL, used INT, ends INT NOT NULL
);
CREATE UNIQUE INDEX accession_personal_token_hash ON accession_personal_token (hash);
CREATE INDEX accession_personal_token_person ON accession_personal_token (person, id);
-- What an identity may do in a collection. name is what people call it, also before it has signed in.
CREATE TABLE accession_identity_grant (
  id ID, collection TEXT NOT NULL, source TEXT NOT NULL, subject TEXT NOT NULL, name TEXT NOT NULL, mode TEXT NOT NULL,
  label TEXT NOT NULL, ends INT, author TEXT NOT NULL, created INT NOT NULL
);
CREATE UNIQUE INDEX accession_identity_grant_identity ON accession_identity_grant (collection, source, subject);
-- Persons who ask for access to a collection.
CREATE TABLE accession_access_request (
  id ID, collection TEXT NOT NULL, person INT NOT NULL, message TEXT NOT NULL, created INT NOT NULL
);
CREATE UNIQUE INDEX accession_access_request_person ON accession_access_request (collection, person);
-- What all instances share: cookies, the secret that seals them, and origin, the URL by which people reach the service.
CREATE TABLE accession_sign_in_value (name TEXT PRIMARY KEY, value TEXT NOT NULL);
`;

export const tables: ModuleTables = {
  version: 1,
  sql,
  collection: ['accession_identity_grant', 'accession_access_request'],
};
