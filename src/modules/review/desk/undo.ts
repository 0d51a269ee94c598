/** The decisions of this tab that `U` takes back, the last one first; many that were made at once are one step. */

import { signal } from '@preact/signals';
import { lab } from '../../../../ui/shared/service.ts';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { inTurn } from '../../../core/in-turn.ts';
import { review } from '../client.ts';

export type Step = {
  readonly collection: string;
  readonly decisions: readonly string[];
  /** The submission; of many, the first. */
  readonly label: string;
  readonly pid: string;
  readonly title: string;
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
 * Undoes a step, its last decision first; what cannot be undone stays decided.
 *
 * @returns why decisions stay, one error for each
 */
export function undoStep(step: Step, onDone: (done: number) => void = () => {}): Promise<unknown[]> {
  return inOrder(async () => {
    const errors: unknown[] = [];
    let done = 0;
    for (const id of step.decisions.toReversed()) {
      await lab(step.collection)
        .use(review)
        .undo(id)
        .catch((error: unknown) => errors.push(error));
      onDone(++done);
    }
    afterWrite();
    return errors;
  });
}
