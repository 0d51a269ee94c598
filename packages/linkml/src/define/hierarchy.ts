/**
 * Ancestors and descendants: `is_a` and `mixins` of classes, in the orders of the Python tools.
 */
import { LinkmlError } from '../errors.ts';
import type { Faults } from '../faults.ts';
import { textsOf, yamlText } from '../load/definitions.ts';
import type { Element } from '../load/loaded.ts';

export type Hierarchy = {
  /** The element itself, then all above it, nearest first; at each step the mixins come before `is_a`. */
  ancestors(name: string): readonly string[];
  /** The element itself, then all below it. */
  descendants(name: string): readonly string[];
  /** Every element after its ancestors, otherwise in the order of the schema. */
  readonly sorted: readonly string[];
};

function parentsOf(element: Element): string[] {
  const isA = yamlText(element.source.is_a);
  return [...textsOf(element.source.mixins), ...(isA === undefined ? [] : [isA])];
}

/**
 * @param faults gets parents that are not there; the hierarchy is without them
 * @throws LinkmlError `schema_invalid` for a circle
 */
export async function buildHierarchy(
  kind: 'class' | 'slot',
  elements: ReadonlyMap<string, Element>,
  faults: Faults,
  yieldIfDue: () => Promise<void>,
): Promise<Hierarchy> {
  const parents = new Map<string, string[]>();
  const children = new Map<string, string[]>();
  for (const [name, element] of elements) {
    const named = parentsOf(element);
    const above = named.filter((parent) => elements.has(parent));
    for (const parent of new Set(named))
      if (!elements.has(parent)) faults.add(unknownParent(kind, name, parent, element, elements, faults));
    parents.set(name, above);
    for (const parent of new Set(above)) {
      const siblings = children.get(parent);
      if (siblings) siblings.push(name);
      else children.set(parent, [name]);
    }
    await yieldIfDue();
  }
  const sorted = sort(kind, parents, children);
  return {
    sorted,
    ancestors: remember(kind, (name) => closure(name, parents)),
    descendants: remember(kind, (name) => closure(name, children)),
  };
}

function unknownParent(
  kind: string,
  name: string,
  parent: string,
  element: Element,
  elements: ReadonlyMap<string, Element>,
  { suggestions }: Faults,
): LinkmlError {
  const others = () => [...elements.keys()].filter((other) => other !== name);
  return new LinkmlError(
    'schema_invalid',
    `The ${kind} ${name} (${element.file.place}) inherits from ${parent}, which is not a ${kind} of the schema.${suggestions.didYouMean(parent, others)}`,
  );
}

/** Ancestors of all elements together; large schemas have some ten thousand. */
const MOST_INHERITANCE = 500_000;

/** @throws LinkmlError `schema_invalid` if a few lines would inherit without end, as in a chain of 10,000 classes */
function remember(
  kind: string,
  compute: (name: string) => readonly string[],
): (name: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  let total = 0;
  return (name) => {
    const before = known.get(name);
    if (before) return before;
    // Each element that asks is refused, so that no more is computed.
    const result = total > MOST_INHERITANCE ? [] : compute(name);
    total += result.length;
    if (total > MOST_INHERITANCE)
      throw new LinkmlError(
        'schema_invalid',
        `The ${kind === 'class' ? 'classes' : 'slots'} of the schema inherit from too many others.`,
      );
    known.set(name, result);
    return result;
  };
}

/** The walk of the Python tools: the last element found is followed first. */
function closure(start: string, next: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set([start]);
  const todo = [start];
  for (let name = todo.pop(); name !== undefined; name = todo.pop())
    for (const neighbour of next.get(name) ?? [])
      if (!found.has(neighbour)) {
        found.add(neighbour);
        todo.push(neighbour);
      }
  return [...found];
}

/**
 * Takes, again and again, the first element whose parents are all taken. Elements that become free by a choice are
 * kept in a heap of positions, so that thousands of classes in unlucky order stay cheap.
 */
function sort(
  kind: string,
  parents: ReadonlyMap<string, string[]>,
  children: ReadonlyMap<string, string[]>,
): string[] {
  const names = [...parents.keys()];
  const position = new Map(names.map((name, index) => [name, index]));
  const waiting = new Map(names.map((name) => [name, new Set(parents.get(name)).size]));
  const free = names.flatMap((name, index) => (waiting.get(name) === 0 ? [index] : []));
  const sorted: string[] = [];
  // Taken ones stay in front: to remove each would move all behind it.
  for (let taken = 0; taken < free.length; taken++) {
    const name = names[free[taken]!]!;
    sorted.push(name);
    for (const child of children.get(name) ?? []) {
      const left = waiting.get(child)! - 1;
      waiting.set(child, left);
      if (left === 0) insert(free, position.get(child)!, taken + 1);
    }
  }
  if (sorted.length < names.length)
    throw circle(
      kind,
      names.filter((name) => !sorted.includes(name)),
      parents,
    );
  return sorted;
}

function insert(sorted: number[], value: number, from: number): void {
  let low = from;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  sorted.splice(low, 0, value);
}

function circle(kind: string, left: readonly string[], parents: ReadonlyMap<string, string[]>): LinkmlError {
  const path: string[] = [];
  let name = left[0]!;
  while (!path.includes(name)) {
    path.push(name);
    name = parents.get(name)!.find((parent) => left.includes(parent))!;
  }
  const round = [...path.slice(path.indexOf(name)), name];
  return new LinkmlError(
    'schema_invalid',
    `${kind === 'class' ? 'Classes' : 'Slots'} inherit from each other in a cycle: ${round.join(' → ')}.`,
  );
}
