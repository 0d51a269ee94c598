/** Long transactions on their way to the thread that writes: in parts, since all others wait while one is copied. */
import type { RevisionOf, Step, Transaction } from '../database.ts';
import { charactersIn, type Value } from '../dialect.ts';
import type { Change } from '../store.ts';

/** Changes and other steps of a part, and characters of their values. */
const STEPS_OF_PART = 500;
const CHARACTERS_OF_PART = 1_000_000;

type ChangesStep = Extract<Step, { changes: unknown }>;
type Values = readonly (Value | RevisionOf)[];

/** Steps as they are sent: equal statements together, and changes that belong to those of the step before. */
export type SentStep =
  | Exclude<Step, { changes: unknown } | { sql: unknown }>
  | { readonly sql: string; readonly rows: Values[] }
  | (Omit<ChangesStep, 'changes'> & { readonly changes: Change[]; readonly isContinued: boolean });

export function isLong({ steps }: Transaction): boolean {
  const isLongStep = (step: Step) => 'changes' in step && step.changes.length > STEPS_OF_PART;
  return steps.length > STEPS_OF_PART || steps.some(isLongStep);
}

export function* partsOf(steps: readonly Step[]): Generator<SentStep[]> {
  let part: SentStep[] = [];
  let number = 0;
  let characters = 0;
  const isFull = (length: number) => {
    number += 1;
    characters += length;
    return number >= STEPS_OF_PART || characters >= CHARACTERS_OF_PART;
  };
  const taken = () => {
    const full = part;
    [part, number, characters] = [[], 0, 0];
    return full;
  };
  for (const step of steps) {
    if ('sql' in step) {
      const last = part.at(-1);
      if (last && 'rows' in last && last.sql === step.sql) last.rows.push(step.values);
      else part.push({ sql: step.sql, rows: [step.values] });
      if (isFull(charactersIn(step.values))) yield taken();
    } else if ('changes' in step) {
      let open = { ...step, changes: [] as Change[], isContinued: false };
      part.push(open);
      for (const change of step.changes) {
        open.changes.push(change);
        if (!isFull('put' in change ? change.put.json.length : 0)) continue;
        yield taken();
        open = { ...step, changes: [], isContinued: true };
        part.push(open);
      }
    } else part.push(step);
  }
  if (part.length > 0) yield part;
}

/** Adds the steps of a part to those of the parts before. */
export function addPart(steps: Step[], part: readonly SentStep[]): void {
  for (const sent of part) {
    if ('rows' in sent) for (const values of sent.rows) steps.push({ sql: sent.sql, values });
    else if ('isContinued' in sent) {
      const { isContinued, ...step } = sent;
      const last = isContinued ? steps.pop() : undefined;
      const before = last && 'changes' in last ? (last.changes as Change[]) : [];
      for (const change of step.changes) before.push(change);
      steps.push({ ...step, changes: before });
    } else steps.push(sent);
  }
}
