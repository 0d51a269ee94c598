/** Two pools on one database, for tests of what two instances do at the same time. */
import { after, before } from 'node:test';
import { SILENT_LOG } from '../../src/storage/log.ts';
import { type Database, openPostgresql } from '../../src/storage/postgresql/database.ts';
import { startPostgresql, type TestServer } from './postgresql.ts';

/** Opens them for the tests of a file. @returns the pools, which are there when the tests run */
export function useTwoInstances(): readonly Database[] {
  let server: TestServer;
  const databases: Database[] = [];
  before(async () => {
    server = await startPostgresql();
    const url = await server.createDatabase();
    for (let instance = 0; instance < 2; instance++)
      databases.push(await openPostgresql(url, { log: SILENT_LOG }));
  });
  after(async () => {
    for (const database of databases) await database.close();
    await server.close();
  });
  return databases;
}
