import { join } from 'node:path';
import { isLong } from '../../../test/support/tier.ts';
import { storeContract } from './contract/store.contract.ts';
import type { Subject } from './contract/subject.ts';
import { weekContract } from './contract/weeks.contract.ts';
import { openSqliteDatabase } from './sqlite/sqlite.ts';

const subject: Subject = {
  name: 'sqlite',
  many: 2400,
  longestPid: Number.POSITIVE_INFINITY,
  open: (directory) => openSqliteDatabase(join(directory, 'accession.db')),
};

// That of weeks has thousands of records.
storeContract(subject, (part) => (part === weekContract) === isLong);
