/**
 * The tables of modules that the core made in release 0.3, which noted nothing about them in the database: what it would have noted.
 * A store that is opened first without one of these modules gets it from here. It has no statistics, and does not change with a module.
 */
export const TABLES_OF_0_3 = {
  curate: {
    sql: `
CREATE TABLE accession_fault (
  collection TEXT NOT NULL, area INT NOT NULL, iri TEXT NOT NULL, pid TEXT NOT NULL, class_name TEXT NOT NULL,
  problems TEXT NOT NULL,
  PRIMARY KEY (collection, area, iri)
);
CREATE TABLE accession_identifier (
  collection TEXT NOT NULL, area INT NOT NULL, iri TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (collection, area, iri, value)
);
CREATE INDEX accession_identifier_value ON accession_identifier (collection, area, value);
CREATE TABLE accession_different (
  area INT NOT NULL, iri TEXT NOT NULL, other TEXT NOT NULL, author TEXT NOT NULL, time TEXT NOT NULL,
  PRIMARY KEY (area, iri, other)
);
CREATE TABLE accession_hints (area INT NOT NULL PRIMARY KEY, version INT NOT NULL);`,
    iris: [
      ['accession_different', 'area', 'iri'],
      ['accession_different', 'area', 'other'],
    ],
  },
  invitations: {
    sql: `
CREATE TABLE accession_invitation (
  id ID, area INT NOT NULL, collection TEXT NOT NULL, hash TEXT NOT NULL, json TEXT NOT NULL, author TEXT NOT NULL,
  created INT NOT NULL, until INT NOT NULL, state TEXT NOT NULL, ended INT, ended_by TEXT
);
CREATE INDEX accession_invitation_hash ON accession_invitation (area, collection, hash);`,
    collection: ['accession_invitation'],
    adminToken: `UPDATE accession_invitation SET state = 'revoked', ended = $2, ended_by = $3
    WHERE author = $1 AND state = 'open'`,
  },
  peer: {
    sql: `
CREATE TABLE accession_file (
  area INT NOT NULL, path TEXT NOT NULL, iri TEXT, revision INT NOT NULL,
  size INT NOT NULL, modified INT NOT NULL, inode INT NOT NULL, digest TEXT NOT NULL, fault TEXT,
  PRIMARY KEY (area, path)
);
CREATE INDEX accession_file_iri ON accession_file (area, iri);
CREATE INDEX accession_file_fault ON accession_file (area, path) WHERE fault IS NOT NULL;`,
    iris: [['accession_file', 'area', 'iri']],
    uncopied: { tables: ['accession_file'], cursors: ['mirror'] },
  },
  releases: {
    sql: `
CREATE TABLE accession_release (
  area INT NOT NULL, collection TEXT NOT NULL, name TEXT NOT NULL, revision INT NOT NULL, time INT NOT NULL,
  state TEXT NOT NULL, attempt TEXT NOT NULL, done INT NOT NULL, total INT NOT NULL, json TEXT NOT NULL,
  PRIMARY KEY (area, collection, name)
);
CREATE INDEX accession_release_making ON accession_release (time) WHERE state = 'making';
CREATE TABLE accession_release_part (
  attempt TEXT NOT NULL, part INT NOT NULL, bytes BYTES NOT NULL,
  PRIMARY KEY (attempt, part)
);`,
  },
  review: {
    sql: `
CREATE TABLE accession_queue (
  queue ID, collection TEXT NOT NULL, curated INT NOT NULL, incoming TEXT NOT NULL,
  changes INT NOT NULL DEFAULT 0, stored INT NOT NULL DEFAULT 0,
  UNIQUE (collection, curated, incoming)
);
CREATE TABLE accession_submission (
  id ID, queue INT NOT NULL, area INT NOT NULL, iri TEXT NOT NULL, label TEXT NOT NULL, pid TEXT NOT NULL,
  class_name TEXT NOT NULL, present INT NOT NULL, status TEXT NOT NULL, state TEXT NOT NULL,
  submitter TEXT, edited_by TEXT, submitted_at INT NOT NULL, stored_at INT NOT NULL, batch TEXT, message TEXT,
  answered_at INT, until INT, settled_at INT, decision TEXT, requested TEXT,
  commented_at INT, commented_by TEXT,
  revision INT NOT NULL, version TEXT NOT NULL, digest TEXT NOT NULL, title TEXT, valid INT NOT NULL,
  differences INT NOT NULL, conflicts INT NOT NULL, slots TEXT NOT NULL, curated_revision INT,
  base_known INT NOT NULL, base_revision INT, base_class TEXT, base_json TEXT
);
CREATE UNIQUE INDEX accession_submission_iri ON accession_submission (iri, queue, area);
CREATE INDEX accession_submission_time ON accession_submission
  (queue, status, submitted_at, label, pid, state, valid, class_name, submitter, batch, stored_at) WHERE present = 1;
CREATE INDEX accession_submission_pid ON accession_submission
  (queue, status, pid, label, state, valid, class_name, submitter, batch) WHERE present = 1;
CREATE INDEX accession_submission_class ON accession_submission
  (queue, status, class_name, label, pid, state, valid, submitter, batch) WHERE present = 1;
CREATE INDEX accession_submission_class_down ON accession_submission
  (queue, status, class_name DESC, label, pid, state, valid, submitter, batch) WHERE present = 1;
CREATE INDEX accession_submission_submitter ON accession_submission
  (queue, status, submitter, submitted_at, label, pid) WHERE present = 1;
CREATE INDEX accession_submission_batch ON accession_submission
  (queue, status, batch, submitted_at, label, pid) WHERE present = 1 AND batch IS NOT NULL;
CREATE INDEX accession_submission_requested ON accession_submission
  (queue, status, requested, submitted_at, label, pid) WHERE present = 1 AND requested IS NOT NULL;
CREATE INDEX accession_submission_until ON accession_submission (queue, until) WHERE until IS NOT NULL;
CREATE INDEX accession_submission_own ON accession_submission (queue, area, submitted_at DESC, pid);
CREATE INDEX accession_submission_status ON accession_submission
  (queue, label, status, submitted_at, pid, class_name, batch);
CREATE INDEX accession_submission_settled ON accession_submission (queue, area, settled_at) WHERE settled_at IS NOT NULL;
CREATE TABLE accession_submission_count (
  queue INT NOT NULL, label TEXT NOT NULL, class_name TEXT NOT NULL, status TEXT NOT NULL, state TEXT NOT NULL,
  submitter TEXT NOT NULL, batch TEXT NOT NULL, valid INT NOT NULL, n INT NOT NULL,
  PRIMARY KEY (queue, label, class_name, status, state, submitter, batch, valid)
);
CREATE INDEX accession_submission_none ON accession_submission_count (queue) WHERE n = 0;
CREATE TABLE accession_comment (
  queue INT NOT NULL, area INT NOT NULL, iri TEXT NOT NULL, number INT NOT NULL,
  author TEXT NOT NULL, role TEXT NOT NULL, requests TEXT, text TEXT NOT NULL, time INT NOT NULL,
  PRIMARY KEY (queue, area, iri, number)
);
CREATE TABLE accession_decision (
  curated INT NOT NULL, id TEXT NOT NULL, step TEXT NOT NULL, iri TEXT NOT NULL, pid TEXT NOT NULL, class_name TEXT NOT NULL,
  decision TEXT NOT NULL, label TEXT NOT NULL, digest TEXT NOT NULL, version TEXT NOT NULL,
  reason TEXT, until INT, submitter TEXT, edited_by TEXT, reviewer TEXT, time INT NOT NULL,
  before_revision INT, after_revision INT, undone_by TEXT, undone_at INT,
  PRIMARY KEY (curated, id)
);
CREATE INDEX accession_decision_iri ON accession_decision (curated, iri, id);
CREATE INDEX accession_decision_label ON accession_decision (curated, label, id);
CREATE INDEX accession_decision_step ON accession_decision (curated, step, id);
CREATE INDEX accession_decision_time ON accession_decision (curated, time);
CREATE INDEX accession_decision_filter ON accession_decision
  (curated, id, time, decision, class_name, label, reviewer, submitter);
CREATE TABLE accession_kept (
  curated INT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL, carried TEXT, PRIMARY KEY (curated, id)
);`,
    iris: [
      ['accession_submission', 'area', 'iri'],
      ['accession_comment', 'area', 'iri'],
      ['accession_decision', 'curated', 'iri'],
    ],
    absent: { sql: "UPDATE accession_submission SET version = ''", cursors: 'review ' },
  },
  vocabularies: {
    sql: `
CREATE TABLE accession_snapshot (
  digest TEXT PRIMARY KEY, size INT NOT NULL, complete INT NOT NULL, used INT NOT NULL
);
CREATE TABLE accession_snapshot_part (
  digest TEXT NOT NULL, part INT NOT NULL, bytes BYTES NOT NULL,
  PRIMARY KEY (digest, part)
);`,
  },
  webhooks: {
    sql: `
CREATE TABLE accession_webhook (
  area INT NOT NULL, collection TEXT NOT NULL, name TEXT NOT NULL, json TEXT NOT NULL, secret TEXT NOT NULL,
  since INT NOT NULL, failures INT NOT NULL, failing INT, due INT NOT NULL, disabled TEXT,
  PRIMARY KEY (area, collection, name)
);
CREATE TABLE accession_delivery (
  id ID, area INT NOT NULL, collection TEXT NOT NULL, webhook TEXT NOT NULL, message TEXT NOT NULL, json TEXT NOT NULL,
  delivered INT NOT NULL, attempts INT NOT NULL, attempted INT, status INT, error TEXT
);
CREATE INDEX accession_delivery_webhook ON accession_delivery (area, collection, webhook, id);
CREATE INDEX accession_delivery_pending ON accession_delivery (area, collection, webhook, id) WHERE delivered = 0;`,
    collection: ['accession_webhook', 'accession_delivery'],
  },
} as const;
