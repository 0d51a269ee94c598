-- The strings of records, folded to one case and without accents, for words and `matching`. They lag behind the records:
-- see text-index.ts. They are made again from the records; the former ones still had their accents.

CREATE TABLE accession_folded (
  area bigint NOT NULL,
  iri_key text COLLATE "C" NOT NULL,
  folded text NOT NULL,
  PRIMARY KEY (area, iri_key)
);
CREATE INDEX accession_folded_trigrams ON accession_folded USING gin (folded gin_trgm_ops);

CREATE TABLE accession_folded_progress (
  area bigint PRIMARY KEY,
  -- The texts of all records up to this revision are in accession_folded.
  revision bigint NOT NULL
);

DROP TABLE accession_text, accession_text_progress;
