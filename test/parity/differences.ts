/**
 * Every difference between the peer and Accession that a request of the differential test may show, as the rows of the
 * table in `docs/compatibility.md`: each row has a name, and the predicate here tells which exchanges it covers. An
 * exchange that differs and is covered by none fails the test; so does a row that covers nothing any more.
 */
import type { Answer } from './exchange.ts';
import type { Step } from './step.ts';

export type Exchange = { readonly step: Step; readonly peer: Answer; readonly ours: Answer };

type Difference = {
  /** The name of the row in the document. */
  readonly name: string;
  readonly covers: (exchange: Exchange) => boolean;
};

export const DIFFERENCES: readonly Difference[] = [
  {
    name: 'invalid-400',
    covers: ({ step, peer, ours }) =>
      peer.status === 422 && ours.status === 400 && takesRecord(step) && isError(ours),
  },
];

/** The first difference that covers an exchange. */
export function nameOf(exchange: Exchange): string | undefined {
  return DIFFERENCES.find(({ covers }) => covers(exchange))?.name;
}

function takesRecord(step: Step): boolean {
  return step.method === 'POST' && /\/(validate|record)\//.test(step.path);
}

function isError(answer: Answer): boolean {
  return answer.body === 'error';
}
