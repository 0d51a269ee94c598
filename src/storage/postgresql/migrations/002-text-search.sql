-- The texts of records for `matching`, folded to one case. They lag behind the records: see text-index.ts.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE accession_text (
  area bigint NOT NULL,
  iri_key text COLLATE "C" NOT NULL,
  folded text NOT NULL,
  PRIMARY KEY (area, iri_key)
);
CREATE INDEX accession_text_trigrams ON accession_text USING gin (folded gin_trgm_ops);

CREATE TABLE accession_text_progress (
  area bigint PRIMARY KEY,
  -- The texts of all records up to this revision are in accession_text.
  revision bigint NOT NULL
);
