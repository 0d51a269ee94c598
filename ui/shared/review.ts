/** Words of reviews that the desk adds to those of the service. */
import type { Decision } from '../../src/modules/review/api-types.ts';
import { REQUESTS } from '../../src/modules/review/states.ts';
import { urlOf } from './router.ts';
import type { StateName } from './state-names.ts';

export { LONGEST_COMMENT } from '../../src/modules/review/states.ts';

export type Verdict = Decision['decision'];
export type Side = 'base' | 'curated' | 'submitted';

/** The query for submissions about which a curator asks for anything. */
export const ANY_REQUEST = REQUESTS.join(',');

export const DECIDED: Readonly<Record<Verdict, StateName>> = {
  accept: 'accepted',
  reject: 'rejected',
  defer: 'deferred',
};

/** Where the record of a decision is: curated if it was accepted, else in the zone that it was submitted to. */
export function decidedUrl(collection: string, { decision, undone, label, pid }: Decision): string {
  return decision === 'accept' && !undone
    ? urlOf([collection, 'record'], { pid })
    : urlOf([collection, 'review', 'item'], { label, pid });
}
