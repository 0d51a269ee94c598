import { databaseWithTables } from '../../../test/support/postgresql.ts';
import { storeContract } from './contract/store.contract.ts';
import { POSTGRESQL } from './dialect.ts';
import { openPostgresqlDatabase } from './postgresql/postgresql.ts';

/** A database for each directory, which a case opens again. */
const urls = new Map<string, string>();

storeContract({
  name: 'postgresql',
  many: 2400,
  longestPid: POSTGRESQL.longestPid,
  async open(directory) {
    const url = urls.get(directory) ?? (await databaseWithTables());
    urls.set(directory, url);
    return openPostgresqlDatabase(url);
  },
});
