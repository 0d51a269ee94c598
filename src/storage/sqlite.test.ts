import { join } from 'node:path';
import { openSqliteDatabase } from './sqlite/sqlite.ts';
import { storeContract } from './store.contract.ts';

storeContract({
  name: 'sqlite',
  many: 2400,
  longestPid: Number.POSITIVE_INFINITY,
  open: (directory) => openSqliteDatabase(join(directory, 'accession.db')),
});
