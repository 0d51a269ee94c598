/** The suite that every database must pass; see the comment of {@link RecordStore}. */
import { changeContract } from './changes.contract.ts';
import { clockContract } from './clocks.contract.ts';
import { entryContract } from './entries.contract.ts';
import { feedContract } from './feed.contract.ts';
import { identityContract } from './identity.contract.ts';
import { linkContract } from './links.contract.ts';
import { listContract } from './lists.contract.ts';
import { matchingContract } from './matching.contract.ts';
import { policyContract } from './policies.contract.ts';
import { policyIndexContract } from './policy-index.contract.ts';
import { restoreContract } from './restore.contract.ts';
import { searchContract } from './search.contract.ts';
import { casesFor, type Subject } from './subject.ts';
import { textContract } from './texts.contract.ts';
import { writeContract } from './writes.contract.ts';

/** Declares all cases of the contract for one subject. */
export function storeContract(subject: Subject): void {
  const it = casesFor(subject);
  identityContract(it);
  listContract(it, subject);
  changeContract(it);
  writeContract(it, subject);
  entryContract(it);
  clockContract(it);
  feedContract(it);
  linkContract(it);
  textContract(it);
  matchingContract(it);
  searchContract(it);
  restoreContract(it, subject);
  policyContract(it, subject);
  policyIndexContract(it);
}
