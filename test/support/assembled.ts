/** What records include, put together from single reads: what expansion is compared with. */
export type Json = null | string | number | boolean | Json[] | { [key: string]: Json };
export type Item = { [key: string]: Json };

/** The members that a step leads through, with single reads: `slots` are those of one reference. */
export type Step = { readonly slots: readonly string[]; readonly repeats?: boolean; readonly back?: string };

/** How records are read. */
export type Reads = {
  read(pid: string): Promise<Item | null>;
  ofClass(className: string): Promise<readonly Item[]>;
};

/** Expands one record by reading each of the others on its own. */
export async function assembled(
  reads: Reads,
  record: Item,
  paths: readonly (readonly Step[])[],
  above: readonly string[] = [],
): Promise<Item> {
  const within = [...above, String(record.pid)];
  const result = structuredClone(record);
  for (const [first, ...rest] of paths) {
    if (!first) continue;
    const behind = [rest, ...(first.repeats ? [[first, ...rest]] : [])];
    const expanded = async (pid: string): Promise<Json> => {
      const target = await reads.read(pid);
      if (target === null) return pid;
      return within.includes(String(target.pid))
        ? String(target.pid)
        : assembled(reads, target, behind, within);
    };
    if (first.back !== undefined) {
      const found: Json[] = [];
      const name = `^${first.slots[0]}(${first.back})`;
      for (const one of await reads.ofClass(first.back))
        if (referencesIn(one, first.slots[0]!).includes(String(record.pid)) && one.pid !== record.pid)
          found.push(await expanded(String(one.pid)));
      result[name] = found;
    } else await replace(result, first.slots, expanded);
  }
  return result;
}

function referencesIn(record: Item, slot: string): string[] {
  const found: string[] = [];
  JSON.stringify(record, (key, value) => {
    if (key === slot) found.push(...[value].flat());
    return value;
  });
  return found;
}

async function replace(
  object: Item,
  [slot, ...rest]: readonly string[],
  expanded: (pid: string) => Promise<Json>,
) {
  const value = object[slot!];
  if (value === undefined) return;
  if (rest.length > 0) {
    for (const one of value as Item[]) await replace(one, rest, expanded);
  } else if (Array.isArray(value))
    object[slot!] = await Promise.all(value.map((one) => (typeof one === 'string' ? expanded(one) : one)));
  else if (typeof value === 'string') object[slot!] = await expanded(value);
}
