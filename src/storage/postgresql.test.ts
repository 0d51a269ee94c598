import { after, before } from 'node:test';
import { startPostgresql, type TestServer } from '../../test/support/postgresql.ts';
import { POSTGRESQL } from './dialect.ts';
import { openPostgresqlDatabase } from './postgresql/postgresql.ts';
import { storeContract } from './store.contract.ts';

let server: TestServer;
/** A database for each directory, which a case opens again. */
const urls = new Map<string, string>();

before(async () => {
  server = await startPostgresql();
});
after(() => server.close());

storeContract({
  name: 'postgresql',
  many: 2400,
  longestPid: POSTGRESQL.longestPid,
  async open(directory) {
    const url = urls.get(directory) ?? (await server.createDatabase());
    urls.set(directory, url);
    return openPostgresqlDatabase(url);
  },
});
