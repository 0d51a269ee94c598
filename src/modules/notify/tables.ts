import type { ModuleTables } from '../../core/storage/tables.ts';

const READERS = `
-- Users who want their inbox elsewhere. granted is what their token permitted when they asked, and secret signs the links of their
-- mail. Events behind since, in microseconds since 1970, are mailed. Other times are in milliseconds: due by the clock of the
-- database. confirming says whether the address is to be sent a link, message is the id of a mail that is being sent, failing is since
-- when it fails, refused why the address gets no more, and feed the hash of the secret in the URL of the feed.
CREATE TABLE accession_inbox_reader (
  id ID, area INT NOT NULL, collection TEXT NOT NULL, source TEXT NOT NULL, user_id TEXT NOT NULL, granted TEXT NOT NULL,
  secret TEXT NOT NULL, mode TEXT NOT NULL, language TEXT NOT NULL, address TEXT, confirmed INT NOT NULL, confirming INT NOT NULL,
  asked INT NOT NULL, since INT NOT NULL, due INT NOT NULL, message TEXT, failures INT NOT NULL, failing INT, refused TEXT, feed TEXT
);
CREATE UNIQUE INDEX accession_inbox_reader_user ON accession_inbox_reader (area, collection, source, user_id);
CREATE UNIQUE INDEX accession_inbox_reader_feed ON accession_inbox_reader (feed);
-- The events that were put into a mail.
CREATE TABLE accession_inbox_mailed (
  reader INT NOT NULL, event TEXT NOT NULL, collection TEXT NOT NULL, time INT NOT NULL, message TEXT NOT NULL,
  PRIMARY KEY (reader, event)
) CLUSTERED;
`;

const FOLLOWED = `
-- Records that a user follows: changes behind the revision of the curated area concern them. pid is how it was called then.
CREATE TABLE accession_inbox_followed (
  id ID, area INT NOT NULL, collection TEXT NOT NULL, user_id TEXT NOT NULL, iri TEXT NOT NULL, pid TEXT NOT NULL,
  revision INT NOT NULL
);
CREATE INDEX accession_inbox_followed_user ON accession_inbox_followed (area, collection, user_id, id);
-- Up to which change of its feed, and when, in microseconds since 1970, a user has seen a collection that they follow.
CREATE TABLE accession_inbox_visit (
  area INT NOT NULL, collection TEXT NOT NULL, user_id TEXT NOT NULL, cursor TEXT NOT NULL, time INT NOT NULL,
  PRIMARY KEY (area, collection, user_id)
) CLUSTERED;
`;

const sql = `
-- Up to when a user has read what has happened in a collection, in microseconds since 1970.
CREATE TABLE accession_inbox_read (
  area INT NOT NULL, collection TEXT NOT NULL, user_id TEXT NOT NULL, until INT NOT NULL,
  PRIMARY KEY (area, collection, user_id)
) CLUSTERED;
${READERS}${FOLLOWED}`;

export const tables: ModuleTables = {
  version: 3,
  sql,
  steps: [READERS, FOLLOWED],
  collection: [
    ...['accession_inbox_read', 'accession_inbox_reader', 'accession_inbox_mailed'],
    ...['accession_inbox_followed', 'accession_inbox_visit'],
  ],
  iris: [['accession_inbox_followed', 'area', 'iri']],
};
