/** The suite that every database must pass; see the comment of {@link RecordStore}. */
import { changeContract } from './contract/changes.contract.ts';
import { entryContract } from './contract/entries.contract.ts';
import { feedContract } from './contract/feed.contract.ts';
import { identityContract } from './contract/identity.contract.ts';
import { linkContract } from './contract/links.contract.ts';
import { listContract } from './contract/lists.contract.ts';
import { matchingContract } from './contract/matching.contract.ts';
import { policyContract } from './contract/policies.contract.ts';
import { restoreContract } from './contract/restore.contract.ts';
import { searchContract } from './contract/search.contract.ts';
import { casesFor, type Subject } from './contract/subject.ts';
import { textContract } from './contract/texts.contract.ts';
import { writeContract } from './contract/writes.contract.ts';

/** Declares all cases of the contract for one subject. */
export function storeContract(subject: Subject): void {
  const it = casesFor(subject);
  identityContract(it);
  listContract(it, subject);
  changeContract(it);
  writeContract(it, subject);
  entryContract(it);
  feedContract(it);
  linkContract(it);
  textContract(it);
  matchingContract(it);
  searchContract(it);
  restoreContract(it, subject);
  policyContract(it, subject);
}
