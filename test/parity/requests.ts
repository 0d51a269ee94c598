/**
 * The requests of the differential test: the same list in every run, in an order in which each step finds what the
 * steps before it have left.
 */
import { administration, maintenance } from './admin-requests.ts';
import { choicesFrom } from './random.ts';
import { modeMatrix, reads, routes, serviceSteps } from './read-requests.ts';
import type { Step } from './step.ts';
import {
  brokenBodies,
  curation,
  deletes,
  fill,
  relations,
  spellings,
  stores,
  turtleStores,
} from './write-requests.ts';

/** All steps, about 950. */
export function allSteps(): Step[] {
  const choices = choicesFrom(63_300);
  return [
    ...fill(),
    ...serviceSteps(),
    ...modeMatrix(),
    ...reads(choices),
    ...routes(),
    ...stores(choices),
    ...turtleStores(choices),
    ...brokenBodies(),
    ...relations(),
    ...spellings(),
    ...curation(choices),
    ...deletes(),
    ...maintenance(),
    ...administration(),
  ];
}
