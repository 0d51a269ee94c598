/** The paths of an expansion, as clients write them (`authors.affiliations,part_of+,^generated_by(Publication)`), and its limits. */
import type { Schema } from '../../core/schema/schema.ts';

/** How much a response includes of what its records refer to. */
export type ExpansionLimits = {
  /** References in a row. */
  readonly levels: number;
  /** Records beside those that are expanded. */
  readonly included: number;
  /** Of the included records, also of those that are written repeatedly. */
  readonly characters: number;
  /** Records that are read, since only their texts say by which slot they refer to another one. */
  readonly referring: number;
};

export const EXPANSION_LIMITS: ExpansionLimits = {
  levels: 8,
  included: 2000,
  characters: 4_000_000,
  referring: 10_000,
};

/**
 * The characters that an export includes in all, beside so many times those of its own records: 60 short records that refer to
 * each other would otherwise be 240 MB, and 600 of them 2.4 GB.
 */
export const IN_EXPORT = { characters: 64_000_000, times: 100 };

/** One step: to what a slot refers to or, back, to what refers to a record by a slot. */
type PathStep = {
  readonly slot: string;
  readonly isBack: boolean;
  /** Of a step back: the class of the records, with its subclasses. */
  readonly className: string | undefined;
  /** Whether the step is made again and again. */
  readonly repeats: boolean;
};

export type ExpansionPath = readonly PathStep[];

/** A position: the steps of a path that are still to be made. Positions with one text are one. */
export type Position = { readonly path: ExpansionPath; readonly at: number };

const STEP = /^(\^)?([^\s^+().,]+)(?:\(([^()\s]+)\))?([+ ])?$/;
/** Paths and steps of one request. */
const MOST_PATHS = 20;
const MOST_STEPS = 8;

/** The paths, or what is wrong with them. A `+` may have become a blank on its way. */
export function parsePaths(schema: Schema, text: string): ExpansionPath[] | { readonly problem: string } {
  const texts = text.split(',');
  if (texts.length > MOST_PATHS) return { problem: `at most ${MOST_PATHS} paths` };
  const slots = new Set([...schema.classes.values()].flatMap((one) => [...one.slots.keys()]));
  const paths: ExpansionPath[] = [];
  for (const one of texts) {
    const path: PathStep[] = [];
    const steps = stepsIn(one);
    if (steps.length > MOST_STEPS) return { problem: `at most ${MOST_STEPS} steps in a path` };
    for (const step of steps) {
      const [, back, slot = '', className, repeats] = STEP.exec(step) ?? [];
      if (!slots.has(slot)) return { problem: `a slot of the schema in place of '${step}'` };
      if (className !== undefined && (back === undefined || !schema.classes.has(className)))
        return { problem: `a class of the schema behind '^${slot}' in place of '(${className})'` };
      path.push({ slot, className, isBack: back !== undefined, repeats: repeats !== undefined });
    }
    paths.push(path);
  }
  return paths;
}

/** Names of classes, which are in parentheses, may have dots. */
function stepsIn(path: string): string[] {
  const steps: string[] = [];
  let isOpen = false;
  for (const piece of path.split('.')) {
    if (isOpen) steps.push(`${steps.pop()}.${piece}`);
    else steps.push(piece);
    const [open, close] = [piece.lastIndexOf('('), piece.lastIndexOf(')')];
    isOpen = open > close || (isOpen && close < 0);
  }
  return steps;
}

/** Whether nothing is left to be followed. */
export function isEnd({ path, at }: Position): boolean {
  return at >= path.length;
}

/** Whether the next step leads to what refers to the record. */
export function isBack({ path, at }: Position): boolean {
  return path[at]!.isBack;
}

export function pathText({ path, at }: Position): string {
  return path
    .slice(at)
    .map((step) => `${stepName(step)}${step.repeats ? '+' : ''}`)
    .join('.');
}

/** The member of an inlined record that has what refers to it: `^generated_by(Publication)`. */
export function stepName({ slot, isBack, className }: PathStep): string {
  return `${isBack ? '^' : ''}${slot}${className === undefined ? '' : `(${className})`}`;
}

/** Where a reference leads, by the slots from the record to it. */
export function behindReference({ path, at }: Position, slots: readonly string[]): Position[] {
  const leads = slots.every((slot, index) => {
    const step = path[at + index];
    return step?.slot === slot && !step.isBack;
  });
  return leads ? behindStep({ path, at: at + slots.length - 1 }) : [];
}

/** The positions behind a step; at the end of a path, the record is included and nothing more. */
export function behindStep({ path, at }: Position): Position[] {
  const end = { path, at: at + 1 };
  return path[at]!.repeats ? [end, { path, at }] : [end];
}

/** Returns of some positions those at which something is left to be followed, each once; the same list for the same ones. */
export function openLists(): (positions: readonly Position[]) => readonly Position[] {
  const lists = new Map<string, readonly Position[]>();
  return (positions) => {
    const open = new Map(positions.filter((one) => !isEnd(one)).map((one) => [pathText(one), one]));
    const texts = [...open.keys()].join();
    const list = lists.get(texts) ?? [...open.values()];
    lists.set(texts, list);
    return list;
  };
}

/** The next step: a record, and the paths that were not followed from there. */
export type Truncation = { readonly pid: string; readonly expand: string };

export function truncation({ pid }: { readonly pid: string }, position: Position): Truncation {
  return { pid, expand: pathText(position) };
}
