-- A record that is replaced under its pid and class stays where all indexes point to, if its page has room: no index has
-- its revision, and pages are filled to 85 %. Entries lead to the changes after a revision: see changesSince.

DROP INDEX accession_record_revision;
ALTER TABLE accession_record SET (fillfactor = 85);

-- While the planner takes a table for an empty one, all indexes that begin with the area cost the same, and the youngest
-- one is used. Found by another one than the primary key, a record would cost as much as the area has records.
ALTER TABLE accession_record DROP CONSTRAINT accession_record_pkey, ADD PRIMARY KEY (area, iri_key);
ALTER TABLE accession_entry DROP CONSTRAINT accession_entry_pkey, ADD PRIMARY KEY (area, revision);
ALTER TABLE accession_tombstone DROP CONSTRAINT accession_tombstone_pkey, ADD PRIMARY KEY (area, iri_key);
