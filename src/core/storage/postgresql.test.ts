import { databaseWithTables } from '../../../test/support/postgresql.ts';
import { isLong } from '../../../test/support/tier.ts';
import { identityContract } from './contract/identity.contract.ts';
import { policyContract } from './contract/policies.contract.ts';
import { storeContract } from './contract/store.contract.ts';
import type { Subject } from './contract/subject.ts';
import { writeContract } from './contract/writes.contract.ts';
import { POSTGRESQL } from './dialect.ts';
import { openPostgresqlDatabase } from './postgresql/postgresql.ts';

/** A database for each directory, which a case opens again. */
const urls = new Map<string, string>();

/** Where the databases differ most. The long tests have the others. */
const SHORT: readonly unknown[] = [identityContract, writeContract, policyContract];

const subject: Subject = {
  name: 'postgresql',
  many: 2400,
  longestPid: POSTGRESQL.longestPid,
  async open(directory) {
    const url = urls.get(directory) ?? (await databaseWithTables());
    urls.set(directory, url);
    return openPostgresqlDatabase(url);
  },
};

storeContract(subject, (part) => SHORT.includes(part) !== isLong);
