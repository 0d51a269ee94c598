/**
 * Which ids of a vocabulary are below or above some others. Each edge is followed once, however many ids are tested: what is found out
 * about one serves all, also in a chain or a cycle of all terms.
 */

/** The edges of ids by their numbers: behind those of the id before, up to `ends`, pairs of a relation and a parent. */
export type Edges = { readonly ends: Uint32Array; readonly edges: Uint32Array };

/** What is known of a number; `OPEN` while it is looked at. */
const [UNKNOWN, BELOW, ELSEWHERE, OPEN] = [0, 1, 2, 3];

/**
 * Tests whether one of some numbers is above a number. None is above itself, but another one may be above it.
 *
 * @param follows by relation, whether edges of it are followed
 */
export function belowTest(
  edges: Edges,
  tops: readonly number[],
  follows: readonly boolean[],
): (number: number) => boolean {
  const isTop = new Set(tops);
  const known = new Uint8Array(edges.ends.length);
  const place = new Uint32Array(edges.ends.length);
  /** Finds out about a number and all unknown ones above it. */
  const explore = (start: number): void => {
    const open = [start];
    known[start] = OPEN;
    place[start] = 0;
    const below: number[] = [];
    // The numbers from which each open one was met: linked lists, since most have one.
    const firstLink = [-1];
    const links: { readonly child: number; readonly next: number }[] = [];
    for (let at = 0; at < open.length; at++) {
      const one = open[at]!;
      for (const parent of parentsOf(edges, one, follows)) {
        if (isTop.has(parent) || known[parent] === BELOW) {
          below.push(one);
          break;
        }
        if (known[parent] === UNKNOWN) {
          known[parent] = OPEN;
          place[parent] = open.push(parent) - 1;
          firstLink.push(-1);
        }
        if (known[parent] !== OPEN) continue;
        const to = place[parent]!;
        firstLink[to] = links.push({ child: one, next: firstLink[to]! }) - 1;
      }
    }
    for (const one of below) {
      if (known[one] === BELOW) continue;
      known[one] = BELOW;
      for (let link = firstLink[place[one]!]!; link >= 0; link = links[link]!.next)
        below.push(links[link]!.child);
    }
    for (const one of open) if (known[one] === OPEN) known[one] = ELSEWHERE;
  };
  return (number) => {
    // An id that is given may be below the others.
    if (isTop.has(number)) return othersReach(edges, [number], tops, follows);
    if (known[number] === UNKNOWN) explore(number);
    return known[number] === BELOW;
  };
}

/** Tests whether one of some numbers is below a number. None is below itself, but another one may be below it. */
export function aboveTest(
  edges: Edges,
  bottoms: readonly number[],
  follows: readonly boolean[],
): (number: number) => boolean {
  const isBottom = new Set(bottoms);
  let above: ReadonlySet<number> | undefined;
  return (number) => {
    if (isBottom.has(number)) {
      const others = bottoms.filter((one) => one !== number);
      return closure(edges, others, follows).has(number);
    }
    above ??= closure(edges, bottoms, follows);
    return above.has(number);
  };
}

function othersReach(
  edges: Edges,
  from: readonly number[],
  tops: readonly number[],
  follows: readonly boolean[],
) {
  const above = closure(edges, from, follows);
  return tops.some((top) => !from.includes(top) && above.has(top));
}

/** All numbers at the end of edges that lead up from some. */
function closure(edges: Edges, from: readonly number[], follows: readonly boolean[]): Set<number> {
  const above = new Set<number>();
  for (const start of from) for (const parent of parentsOf(edges, start, follows)) above.add(parent);
  for (const one of above) for (const parent of parentsOf(edges, one, follows)) above.add(parent);
  return above;
}

function* parentsOf({ ends, edges }: Edges, number: number, follows: readonly boolean[]): Generator<number> {
  const start = number === 0 ? 0 : ends[number - 1]!;
  for (let edge = start; edge < ends[number]!; edge += 2) if (follows[edges[edge]!]) yield edges[edge + 1]!;
}
