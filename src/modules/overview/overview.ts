/** What an overview is made of: records by class, completeness of slots, values of a slot, weeks. */

import type { Grant } from '../../core/access/grant.ts';
import type { Area } from '../../core/collections/area.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { type Counts, countFound } from '../../core/collections/search-area.ts';
import type { Histogram } from '../../core/records/value-search.ts';
import type { SlotDefinition } from '../../core/schema/schema.ts';
import { WEEK, weekOf } from '../../core/storage/history/weeks.ts';
import { tooBroad } from '../../core/storage/search/effort.ts';
import type { ConditionGroups } from '../../core/storage/search/indexed-values.ts';
import type { ReadStore, Week } from '../../core/storage/store.ts';
import { timeOf } from '../../core/storage/times.ts';
import type { Pool } from '../../core/work/pool.ts';
import { keptCounts } from './counts.ts';
import { cutDates, cutNumbers } from './cut.ts';

/** Who asks, and what is sought. */
export type Sought = {
  readonly pool: Pool;
  readonly collection: Collection;
  readonly area: Area;
  readonly grant: Grant;
  readonly q: string;
  readonly className: string | undefined;
  readonly slots: ConditionGroups;
};

type Completeness = {
  readonly records: number;
  readonly classes: { readonly class: string; readonly records: number }[];
  readonly slots: {
    readonly slot: string;
    readonly class: string | null;
    readonly records: number;
    readonly of: number;
  }[];
};

/** Counts the records by class, and those with a value of each slot, the least complete slot first. */
export async function completenessOf(sought: Sought): Promise<Completeness> {
  const { collection, className } = sought;
  const { schema } = collection;
  const byClass = collection.classes.filter(
    (name) => className === undefined || schema.descendants(className).includes(name),
  );
  const slots = new Map<string, string[]>();
  for (const name of byClass)
    for (const slot of schema.classes.get(name)!.slots.values())
      if (!slot.identifier && !slot.designatesType)
        slots.set(slot.name, [...(slots.get(slot.name) ?? []), name]);
  const kept = await keptOf(sought);
  const filled = kept ? [] : [...slots.keys()];
  const found = await count(sought, { byClass, filled });
  const ofClass = (name: string) => found.byClass.get(name) ?? 0;
  const completeness = [...slots].map(([slot, classes]) => ({
    slot,
    class: classes.find((name) => classes.every((one) => schema.descendants(name).includes(one))) ?? null,
    records: (kept ?? found.filled).get(slot) ?? 0,
    of: classes.reduce((sum, name) => sum + ofClass(name), 0),
  }));
  return {
    records: found.total,
    classes: byClass.flatMap((name) =>
      ofClass(name) === 0 ? [] : [{ class: name, records: ofClass(name) }],
    ),
    slots: completeness
      .filter(({ of }) => of > 0)
      .sort((a, b) => a.records / a.of - b.records / b.of || b.of - a.of || (a.slot < b.slot ? -1 : 1)),
  };
}

/** The kept counts, if no filter applies and they are complete. */
async function keptOf({ collection, area, grant, q, className, slots }: Sought) {
  const { readCurated, readZone } = grant.permissions;
  if (q !== '' || slots.length > 0 || !readCurated) return undefined;
  const hasZone = readZone && collection.zones.exist && grant.label !== undefined;
  const found = hasZone ? await collection.zones.existing(grant.label) : undefined;
  const visibility = area.visibility();
  return keptCounts(collection, {
    classes: className === undefined ? undefined : collection.schema.descendants(className),
    visibility,
    zone: found && !found.isCurated ? await collection.seen<ReadStore>(found.store, visibility) : undefined,
  });
}

const NO_COUNTS = { byClass: [], filled: [], histograms: [] };

function count(
  { pool, collection, area, q, className, slots }: Sought,
  { facets = [], ...counts }: Counts & { readonly facets?: readonly string[] },
) {
  return countFound(pool, collection, area, {
    q,
    className,
    slots,
    facets,
    counts: { ...NO_COUNTS, ...counts },
  });
}

type SlotValues = {
  readonly slot: string;
  readonly kind: 'values' | 'numbers' | 'dates';
  readonly records: number;
  readonly bars: readonly {
    readonly value?: string;
    readonly from?: string;
    readonly to?: string;
    readonly records: number;
  }[];
};

/** Counts the records with each value of a slot, or with one in each range of numbers or dates. */
export async function valuesOf(sought: Sought, slot: string): Promise<SlotValues> {
  const { collection, className } = sought;
  const kind = kindOf(collection, className, slot);
  const kept = await keptOf(sought);
  const any = kept ? [] : [slot];
  if (kind === 'values') {
    const { facets, cutFacets, filled } = await count(sought, { facets: [slot], filled: any });
    if (cutFacets.length > 0) throw tooBroad(`'${slot}' has too many different values to count.`);
    const bars = (facets.get(slot) ?? []).map(({ value, count: records }) => ({ value, records }));
    return { slot, kind, records: (kept ?? filled).get(slot) ?? 0, bars };
  }
  const cut: Histogram['cut'] = kind === 'dates' ? cutDates : cutNumbers(kind === 'whole');
  const { histograms, filled } = await count(sought, { histograms: [{ slot, cut }], filled: any });
  const bars = (histograms.get(slot) ?? []).map(({ count: records, ...range }) => ({ ...range, records }));
  const records = (kept ?? filled).get(slot) ?? 0;
  return { slot, kind: kind === 'dates' ? kind : 'numbers', records, bars };
}

/** How the values of a slot are counted, by its range in the first class that has it. */
function kindOf({ schema, classes }: Collection, className: string | undefined, slot: string) {
  const names = className === undefined ? classes : schema.descendants(className);
  const found = names
    .map((name) => schema.classes.get(name)?.slots.get(slot))
    .find((one) => one !== undefined);
  return found ? kindOfRange(found) : 'values';
}

/** By the built-in type of values. */
const KINDS: Readonly<Record<string, 'whole' | 'numbers' | 'dates'>> = {
  integer: 'whole',
  float: 'numbers',
  double: 'numbers',
  decimal: 'numbers',
  date: 'dates',
  datetime: 'dates',
  date_or_datetime: 'dates',
};

function kindOfRange({ range }: Pick<SlotDefinition, 'range'>): 'values' | 'whole' | 'numbers' | 'dates' {
  return (range.kind === 'type' ? KINDS[range.type.base] : undefined) ?? 'values';
}

/** Weeks, the present one last, with the number of records at their end. */
export async function weeksOf(
  store: ReadStore,
  classes: readonly string[] | undefined,
  weeks: number,
): Promise<readonly (Week & { readonly records: number })[]> {
  const last = weekOf(Date.now() * 1000);
  const first = last - (weeks - 1) * WEEK;
  const present = timeOf(last).slice(0, 10);
  const counted = new Map<string, Pick<Week, 'made' | 'deleted'>>();
  for (const { week, made, deleted } of await store.weeks({ since: timeOf(first), classes })) {
    // A clock that was ahead has dated what was made in the weeks until now.
    const isAhead = week > present;
    const shown = isAhead ? present : week;
    const counts = counted.get(shown) ?? { made: 0, deleted: 0 };
    counted.set(shown, { made: counts.made + made, deleted: counts.deleted + deleted });
  }
  let records = await store.count(classes ? { classes } : {});
  const all: (Week & { readonly records: number })[] = [];
  for (let at = weeks - 1; at >= 0; at--) {
    const week = timeOf(first + at * WEEK).slice(0, 10);
    const { made, deleted } = counted.get(week) ?? { made: 0, deleted: 0 };
    all.unshift({ week, made, deleted, records });
    records += deleted - made;
  }
  return all;
}
