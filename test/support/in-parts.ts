/** Parts that are worked on at once: a run on PostgreSQL is thousands of statements, most of which take less time than their way. */
const AT_ONCE = 4;

/**
 * Repeats what is generated, in parts that have a database each.
 *
 * @param most runs of a part
 * @param work makes the runs of a part from the first on, to the one before the end, and returns how much they have found
 * @returns how much all parts have found
 */
export async function inParts(
  runs: number,
  most: number,
  work: (first: number, end: number) => Promise<number>,
): Promise<number> {
  let next = 0;
  let found = 0;
  const one = async () => {
    while (next < runs) {
      const first = next;
      next = Math.min(runs, first + most);
      const more = await work(first, next);
      found += more;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return found;
}
