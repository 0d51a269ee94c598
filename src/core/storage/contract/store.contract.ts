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
import { weekContract } from './weeks.contract.ts';
import { writeContract } from './writes.contract.ts';

const PARTS = {
  identityContract,
  listContract,
  changeContract,
  writeContract,
  entryContract,
  clockContract,
  feedContract,
  weekContract,
  linkContract,
  textContract,
  matchingContract,
  searchContract,
  restoreContract,
  policyContract,
  policyIndexContract,
} as const;
type Part = (typeof PARTS)[keyof typeof PARTS];

/**
 * Declares the cases of the contract for one subject.
 *
 * @param isChosen which of its parts; all by default
 */
export function storeContract(subject: Subject, isChosen: (part: Part) => boolean = () => true): void {
  const it = casesFor(subject);
  for (const part of Object.values(PARTS)) if (isChosen(part)) part(it, subject);
}
