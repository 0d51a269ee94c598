import type { ModuleTables } from '../../core/storage/tables.ts';
import { NOT_DUE } from './states.ts';

const OF_ASSIGNMENTS = `CREATE INDEX accession_submission_assignee ON accession_submission
  (queue, status, assignee, submitted_at, label, pid) WHERE present = 1 AND assignee <> '';
CREATE INDEX accession_submission_due ON accession_submission
  (queue, status, due, label, pid, assignee) WHERE present = 1;`;

/** By the changes of the queue, which rise while clocks are set. */
const OF_EVENTS = `CREATE INDEX accession_submission_submitted ON accession_submission
  (queue, submitted_change, submitted_at, label, pid) WHERE present = 1 AND status = 'waiting';
CREATE INDEX accession_submission_decided ON accession_submission (queue, area, settled_change, settled_at)
  WHERE settled_at IS NOT NULL;
CREATE INDEX accession_submission_faulty ON accession_submission (queue, area, faulty_change, faulty_at)
  WHERE faulty_at IS NOT NULL;
CREATE INDEX accession_comment_role ON accession_comment (queue, role, change, time);
CREATE INDEX accession_comment_zone ON accession_comment (queue, role, area, change, time);`;

const COUNTS = `-- How many submissions there are of each kind. Absent values are empty strings.
CREATE TABLE accession_submission_count (
  queue INT NOT NULL, label TEXT NOT NULL, class_name TEXT NOT NULL, status TEXT NOT NULL, state TEXT NOT NULL,
  submitter TEXT NOT NULL, batch TEXT NOT NULL, assignee TEXT NOT NULL, valid INT NOT NULL, n INT NOT NULL,
  PRIMARY KEY (queue, label, class_name, status, state, submitter, batch, assignee, valid)
);
CREATE INDEX accession_submission_none ON accession_submission_count (queue) WHERE n = 0;`;

const sql = `
-- A queue belongs to a collection with these areas; changes is raised by each of its changes, stored is the time
-- of the last store in it.
CREATE TABLE accession_queue (
  queue ID, collection TEXT NOT NULL, curated INT NOT NULL, incoming TEXT NOT NULL,
  changes INT NOT NULL DEFAULT 0, stored INT NOT NULL DEFAULT 0,
  UNIQUE (collection, curated, incoming)
);

-- One row for each IRI of a zone, also if the submission has left it (present = 0). Its text is that of the record or, once it
-- has left, the former of the entry with its revision. The version is that of the schema and the tags which made the digest.
-- Beside the time of an event is the change of the queue that made it: the number of changes behind it, 0 by an earlier release.
CREATE TABLE accession_submission (
  id ID, queue INT NOT NULL, area INT NOT NULL, iri TEXT NOT NULL, label TEXT NOT NULL, pid TEXT NOT NULL,
  class_name TEXT NOT NULL, present INT NOT NULL, status TEXT NOT NULL, state TEXT NOT NULL,
  submitter TEXT, edited_by TEXT, submitted_at INT NOT NULL, stored_at INT NOT NULL, batch TEXT, message TEXT,
  answered_at INT, until INT, settled_at INT, decision TEXT, requested TEXT,
  commented_at INT, commented_by TEXT, faulty_at INT,
  submitted_change INT NOT NULL DEFAULT 0, settled_change INT NOT NULL DEFAULT 0, faulty_change INT NOT NULL DEFAULT 0,
  assignee TEXT NOT NULL DEFAULT '', due INT NOT NULL DEFAULT ${NOT_DUE},
  revision INT NOT NULL, version TEXT NOT NULL, digest TEXT NOT NULL, title TEXT, valid INT NOT NULL,
  differences INT NOT NULL, conflicts INT NOT NULL, slots TEXT NOT NULL, curated_revision INT,
  base_known INT NOT NULL, base_revision INT, base_class TEXT, base_json TEXT
);
CREATE UNIQUE INDEX accession_submission_iri ON accession_submission (iri, queue, area);
-- A page is selected in an index of its order that has all columns which are filtered by.
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
CREATE INDEX accession_submission_conflicts ON accession_submission
  (queue, status, submitted_at, label, pid) WHERE present = 1 AND conflicts > 0;
${OF_ASSIGNMENTS}
CREATE INDEX accession_submission_until ON accession_submission (queue, until) WHERE until IS NOT NULL;
CREATE INDEX accession_submission_own ON accession_submission (queue, area, submitted_at DESC, pid);
CREATE INDEX accession_submission_status ON accession_submission
  (queue, label, status, submitted_at, pid, class_name, batch);
CREATE INDEX accession_submission_settled ON accession_submission (queue, area, settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX accession_submission_activity ON accession_submission
  (queue, submitted_at, status, settled_at, class_name, submitter);

${COUNTS}
-- What curators and submitters write to each other about a submission, numbered from 1. The change is that of the queue.
CREATE TABLE accession_comment (
  queue INT NOT NULL, area INT NOT NULL, iri TEXT NOT NULL, number INT NOT NULL,
  author TEXT NOT NULL, role TEXT NOT NULL, requests TEXT, text TEXT NOT NULL, time INT NOT NULL,
  change INT NOT NULL DEFAULT 0,
  PRIMARY KEY (queue, area, iri, number)
);
${OF_EVENTS}

-- Decisions of the collections that share a curated area.
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
-- The records of a decision, as JSON, and what changes of the schema have made of the submitted one.
CREATE TABLE accession_kept (
  curated INT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL, carried TEXT, PRIMARY KEY (curated, id)
);
`;

/** Decisions and queues have no end: a collection that is made again with the same areas has them again. */
export const tables: ModuleTables = {
  version: 7,
  sql,
  steps: [
    `CREATE INDEX accession_submission_conflicts ON accession_submission
      (queue, status, submitted_at, label, pid) WHERE present = 1 AND conflicts > 0`,
    `CREATE INDEX accession_submission_activity ON accession_submission
       (queue, submitted_at, status, settled_at, class_name, submitter)`,
    `CREATE INDEX accession_comment_role ON accession_comment (queue, role, time);
     CREATE INDEX accession_comment_zone ON accession_comment (queue, role, area, time)`,
    `ALTER TABLE accession_submission ADD COLUMN assignee TEXT NOT NULL DEFAULT '';
     ALTER TABLE accession_submission ADD COLUMN due INT NOT NULL DEFAULT ${NOT_DUE};
     ${OF_ASSIGNMENTS}
     DROP TABLE accession_submission_count;
     ${COUNTS}
     INSERT INTO accession_submission_count
       SELECT queue, label, class_name, status, state, COALESCE(submitter, ''), COALESCE(batch, ''), assignee, valid, count(*)
       FROM accession_submission GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9`,
    `ALTER TABLE accession_submission ADD COLUMN faulty_at INT;
     CREATE INDEX accession_submission_faulty ON accession_submission (queue, area, faulty_at) WHERE faulty_at IS NOT NULL`,
    `ALTER TABLE accession_submission ADD COLUMN submitted_change INT NOT NULL DEFAULT 0;
     ALTER TABLE accession_submission ADD COLUMN settled_change INT NOT NULL DEFAULT 0;
     ALTER TABLE accession_submission ADD COLUMN faulty_change INT NOT NULL DEFAULT 0;
     ALTER TABLE accession_comment ADD COLUMN change INT NOT NULL DEFAULT 0;
     DROP INDEX accession_submission_faulty;
     DROP INDEX accession_comment_role;
     DROP INDEX accession_comment_zone;
     ${OF_EVENTS}`,
  ],
  iris: [
    ['accession_submission', 'area', 'iri'],
    ['accession_comment', 'area', 'iri'],
    ['accession_decision', 'curated', 'iri'],
  ],
  // Rows of another version are compared again when the module is back.
  absent: { sql: "UPDATE accession_submission SET version = ''", cursors: 'review ' },
  statistics: {
    accession_submission: {
      accession_submission_iri: '1000000 2 1 1',
      accession_submission_time: '500000 100000 20000 1 1 1 1 1 1 1 1 1',
      accession_submission_pid: '500000 100000 20000 2 1 1 1 1 1 1',
      accession_submission_class: '500000 100000 20000 2000 200 2 1 1 1 1',
      accession_submission_class_down: '500000 100000 20000 2000 200 2 1 1 1 1',
      accession_submission_submitter: '500000 100000 20000 1000 1 1 1',
      accession_submission_batch: '50000 10000 5000 100 1 1 1',
      accession_submission_requested: '5000 1000 500 100 1 1 1',
      accession_submission_conflicts: '5000 1000 500 1 1 1',
      accession_submission_assignee: '100000 20000 10000 500 1 1 1',
      accession_submission_due: '500000 100000 20000 20 1 1 1',
      accession_submission_submitted: '500000 100000 2 1 1 1',
      accession_submission_decided: '500000 100000 5000 2 1',
      accession_submission_faulty: '1000 200 10 2 1',
      accession_submission_until: '1000 100 1',
      accession_submission_own: '1000000 200000 10000 1 1',
      accession_submission_status: '1000000 200000 10000 1000 1 1 1 1',
      accession_submission_activity: '1000000 200000 1 1 1 1 1',
      accession_submission_settled: '500000 100000 5000 1',
    },
    accession_decision: {
      sqlite_autoindex_accession_decision_1: '500000 100000 1',
      accession_decision_iri: '500000 100000 2 1',
      accession_decision_label: '500000 100000 5000 1',
      accession_decision_step: '500000 100000 10 1',
      accession_decision_time: '500000 100000 1',
      accession_decision_filter: '500000 100000 1 1 1 1 1 1 1',
    },
  },
};
