import type { ModuleTables } from '../../core/storage/tables.ts';

/** Up to where somebody has read, or was sent mail: a change of a queue, and a revision of the curated area; see marks.ts. */
const MARK = ['queue', 'change', 'revision'].map((name) => `${name} INT NOT NULL DEFAULT 0`);
const addMark = (table: string) =>
  MARK.map((column) => `ALTER TABLE ${table} ADD COLUMN ${column};`).join('\n');

/** @param mark the columns that later versions have in addition */
const readers = (mark: readonly string[]) => `
-- Users who want their inbox elsewhere. granted is what their token permitted when they asked, and secret signs the links of their
-- mail. Events behind since, in microseconds since 1970, were mailed by earlier releases. Other times are in milliseconds: due by the
-- clock of the database. confirming says whether the address is to be sent a link, message is the id of a mail that is being sent, failing is since
-- when it fails, refused why the address gets no more, and feed the hash of the secret in the URL of the feed.
CREATE TABLE accession_inbox_reader (
  id ID, area INT NOT NULL, collection TEXT NOT NULL, source TEXT NOT NULL, user_id TEXT NOT NULL, granted TEXT NOT NULL,
  secret TEXT NOT NULL, mode TEXT NOT NULL, language TEXT NOT NULL, address TEXT, confirmed INT NOT NULL, confirming INT NOT NULL,
  asked INT NOT NULL, since INT NOT NULL, due INT NOT NULL, message TEXT, failures INT NOT NULL, failing INT, ${['refused TEXT, feed TEXT', ...mark].join(', ')}
);
CREATE UNIQUE INDEX accession_inbox_reader_user ON accession_inbox_reader (area, collection, source, user_id);
CREATE UNIQUE INDEX accession_inbox_reader_feed ON accession_inbox_reader (feed);
-- The events that are in a mail which is being sent.
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
-- Up to where a user has read what has happened in a collection. Of a mark of an earlier release, until is the time in microseconds since
-- 1970, otherwise 0.
CREATE TABLE accession_inbox_read (
  area INT NOT NULL, collection TEXT NOT NULL, user_id TEXT NOT NULL, until INT NOT NULL, ${MARK.join(', ')},
  PRIMARY KEY (area, collection, user_id)
) CLUSTERED;
${readers(MARK)}${FOLLOWED}`;

export const tables: ModuleTables = {
  version: 4,
  sql,
  steps: [readers([]), FOLLOWED, ['accession_inbox_read', 'accession_inbox_reader'].map(addMark).join('\n')],
  collection: [
    ...['accession_inbox_read', 'accession_inbox_reader', 'accession_inbox_mailed'],
    ...['accession_inbox_followed', 'accession_inbox_visit'],
  ],
  iris: [['accession_inbox_followed', 'area', 'iri']],
};
