import type { ModuleTables } from '../../core/storage/tables.ts';

const sql = `
-- They follow the changes behind since; due is when the next attempt may be made, and
-- failing when the first of the failed ones was, in milliseconds since 1970 by the clock of the database. disabled is the reason.
CREATE TABLE accession_webhook (
  area INT NOT NULL, collection TEXT NOT NULL, name TEXT NOT NULL, json TEXT NOT NULL, secret TEXT NOT NULL,
  since INT NOT NULL, failures INT NOT NULL, failing INT, due INT NOT NULL, disabled TEXT,
  PRIMARY KEY (area, collection, name)
);
-- One row for each change that a webhook sends, in their order.
CREATE TABLE accession_delivery (
  id ID, area INT NOT NULL, collection TEXT NOT NULL, webhook TEXT NOT NULL, message TEXT NOT NULL, json TEXT NOT NULL,
  delivered INT NOT NULL, attempts INT NOT NULL, attempted INT, status INT, error TEXT
);
CREATE INDEX accession_delivery_webhook ON accession_delivery (area, collection, webhook, id);
CREATE INDEX accession_delivery_pending ON accession_delivery (area, collection, webhook, id) WHERE delivered = 0;
`;

export const tables: ModuleTables = {
  version: 1,
  sql,
  collection: ['accession_webhook', 'accession_delivery'],
};
