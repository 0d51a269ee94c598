/** Words of reviews that the desk adds to those of the service. */
import type { Decision } from '../../src/client/client.ts';
import type { StateName } from './state-names.ts';

export type Verdict = Decision['decision'];
export type Side = 'base' | 'curated' | 'submitted';

export const DECIDED: Readonly<Record<Verdict, StateName>> = {
  accept: 'accepted',
  reject: 'rejected',
  defer: 'deferred',
};
