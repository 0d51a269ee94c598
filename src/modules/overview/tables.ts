import type { ModuleTables } from '../../core/storage/tables.ts';

const sql = `
-- How many curated records of a class, without its subclasses, that name a policy have a value of a slot.
CREATE TABLE accession_overview_count (
  area INT NOT NULL, collection TEXT NOT NULL, policy TEXT NOT NULL, class_name TEXT NOT NULL, slot TEXT NOT NULL,
  records INT NOT NULL,
  PRIMARY KEY (area, collection, policy, class_name, slot)
) CLUSTERED;
`;

export const tables: ModuleTables = { version: 1, sql, collection: ['accession_overview_count'] };
