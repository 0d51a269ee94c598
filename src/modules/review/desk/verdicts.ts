/** Words of reviews that the desk adds to those of the service. */

import { urlOf } from '../../../../ui/shared/router.ts';
import type { StateName } from '../../../../ui/shared/state-names.ts';
import type { Decision, DecisionRequest } from '../api-types.ts';
import { REQUESTS } from '../states.ts';

export { LONGEST_COMMENT } from '../states.ts';

export type Verdict = DecisionRequest['decision'];

/** The query for submissions about which a curator asks for anything. */
export const ANY_REQUEST = REQUESTS.join(',');

export const DECIDED: Readonly<Record<Decision['decision'], StateName>> = {
  accept: 'accepted',
  reject: 'rejected',
  defer: 'deferred',
  approve: 'waiting',
};

/** Where the record of a decision is: curated if it was accepted, else in the zone that it was submitted to. */
export function decidedUrl(collection: string, { decision, undone, label, pid }: Decision): string {
  return decision === 'accept' && !undone
    ? urlOf([collection, 'record'], { pid })
    : urlOf([collection, 'review', 'item'], { label, pid });
}
