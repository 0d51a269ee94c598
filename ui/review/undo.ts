/** The decisions of this tab that `U` takes back, the last one first; many that were made at once are one step. */
import { signal } from '@preact/signals';
import { lab } from '../shared/service.ts';
import { afterWrite } from '../shared/submit.ts';

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

/** Takes the last step in a collection from the list. */
export function lastStep(collection: string): Step | undefined {
  const last = steps.peek().findLast((step) => step.collection === collection);
  if (last) dropStep(last);
  return last;
}

/** Takes a step from the list, if it is still there. */
export function dropStep(step: Step): void {
  keep(steps.peek().filter((one) => one !== step));
}

/** Forgets a decision that was undone elsewhere. */
export function noteUndone(id: string): void {
  keep(steps.peek().filter(({ decisions }) => !(decisions.length === 1 && decisions[0] === id)));
}

/** Steps are undone one after the other, however fast they are asked for. */
let running: Promise<unknown> = Promise.resolve();

/**
 * Undoes a step, its last decision first; what cannot be undone stays decided.
 *
 * @returns why decisions stay, one error for each
 */
export function undoStep(step: Step, onDone: (done: number) => void = () => {}): Promise<unknown[]> {
  const run = async () => {
    const errors: unknown[] = [];
    let done = 0;
    for (const id of step.decisions.toReversed()) {
      await lab(step.collection)
        .review.undo(id)
        .catch((error: unknown) => errors.push(error));
      onDone(++done);
    }
    afterWrite();
    return errors;
  };
  const result = running.then(run);
  running = result;
  return result;
}
