import type { PartTable } from '../../core/storage/parts.ts';
import type { ModuleTables } from '../../core/storage/tables.ts';

const sql = `
-- Snapshots of vocabularies (packages/linkml/src/vocabularies/snapshot-format.ts) by the SHA-256 hashes of their bytes, in parts. used is when
-- one was taken or known to be in force, in milliseconds since 1970.
CREATE TABLE accession_snapshot (
  digest TEXT PRIMARY KEY, size INT NOT NULL, complete INT NOT NULL, used INT NOT NULL
);
CREATE TABLE accession_snapshot_part (
  digest TEXT NOT NULL, part INT NOT NULL, bytes BYTES NOT NULL,
  PRIMARY KEY (digest, part)
);
`;

export const tables: ModuleTables = { version: 1, sql };

export const SNAPSHOT_PARTS: PartTable = { name: 'accession_snapshot_part', key: 'digest' };
