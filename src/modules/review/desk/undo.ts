/** The decisions of this tab that `U` takes back, the last one first; many that were made at once are one step. */

import { signal } from '@preact/signals';
import { isAway, isUnknown } from '../../../../ui/shared/connection.ts';
import { lookedUp } from '../../../../ui/shared/lost-answer.ts';
import { asClientError, type ClientError, lab } from '../../../../ui/shared/service.ts';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { inTurn } from '../../../core/in-turn.ts';
import { review } from '../client.ts';
import { AT_ONCE, errorOf } from './decide.ts';

export type Step = {
  readonly collection: string;
  readonly decisions: readonly string[];
  /** The submission; of many, the first. */
  readonly label: string;
  readonly pid: string;
  readonly title: string;
  /** Whether some may be undone: the answer was lost. */
  readonly isUnknown?: boolean;
};

const STORED = 'accession.undo';
const MOST_STEPS = 200;

const steps = signal<readonly Step[]>(JSON.parse(sessionStorage.getItem(STORED) ?? '[]'));

function keep(next: readonly Step[]): void {
  steps.value = next.slice(-MOST_STEPS);
  sessionStorage.setItem(STORED, JSON.stringify(steps.value));
}

/** Notes decisions that can be undone. */
export function noteStep(step: Step): Step {
  keep([...steps.peek(), step]);
  return step;
}

/** Takes a step from the list, if it is still there. */
export function dropStep(step: Step): void {
  keep(steps.peek().filter((one) => one !== step));
}

/** Forgets a decision that was undone elsewhere. */
export function noteUndone(id: string): void {
  keep(steps.peek().filter(({ decisions }) => !(decisions.length === 1 && decisions[0] === id)));
}

let asked = 0;
const next = inTurn();

/** Runs decisions and undos one after the other, however fast they are asked for. */
export function inOrder<T>(work: () => Promise<T>): Promise<T> {
  asked++;
  return next(work).finally(() => asked--);
}

/**
 * Takes the last step in a collection from the list, after the decisions that are being sent.
 *
 * @returns undefined if there is none, and none can come
 */
export function takeLastStep(collection: string): Promise<Step | undefined> | undefined {
  const find = () => steps.peek().findLast((step) => step.collection === collection);
  if (asked === 0 && !find()) return undefined;
  return inOrder(async () => {
    const step = find();
    if (step) dropStep(step);
    return step;
  });
}

/**
 * Undoes a step, its last decision first; what cannot be undone stays decided. What the service was away for is a step again.
 *
 * @returns how many decisions are undone, and why others are not
 */
export function undoStep(
  step: Step,
  onDone: (done: number) => void = () => {},
): Promise<{ readonly undone: number; readonly errors: readonly ClientError[] }> {
  return inOrder(async () => {
    const errors: ClientError[] = [];
    let undone = 0;
    const open = [...step.decisions];
    while (open.length > 0) {
      const ids = open.slice(-AT_ONCE);
      try {
        const send = () => lab(step.collection).use(review).undoAll(ids.toReversed());
        let isRepeated = step.isUnknown === true;
        const results = await lookedUp(send, () => {
          isRepeated = true;
          return send();
        });
        const refused = results.filter(
          (one) => one.status !== 200 && !(isRepeated && errorOf(one).type === 'already_undone'),
        );
        errors.push(...refused.map(errorOf));
        undone += ids.length - refused.length;
      } catch (problem) {
        const error = asClientError(problem);
        errors.push(error);
        if (isAway(error.status)) noteStep({ ...step, decisions: open, isUnknown: isUnknown(error) });
        break;
      }
      open.length -= ids.length;
      onDone(step.decisions.length - open.length);
    }
    afterWrite();
    return { undone, errors };
  });
}
