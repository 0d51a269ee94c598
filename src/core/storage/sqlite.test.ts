import { join } from 'node:path';
import { storeContract } from './contract/store.contract.ts';
import { openSqliteDatabase } from './sqlite/sqlite.ts';

storeContract({
  name: 'sqlite',
  many: 2400,
  longestPid: Number.POSITIVE_INFINITY,
  open: (directory) => openSqliteDatabase(join(directory, 'accession.db')),
});
