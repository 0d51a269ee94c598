/** The values of a facet that most records have, of those that were counted. */
import { First } from '../ordering.ts';
import { comparedText, compareValues } from '../storage/search/indexed-values.ts';
import type { ValueCounts } from '../storage/search/value-counts.ts';
import type { YieldIfDue } from '../yield.ts';

/** Values of a facet, those of most records first. */
const MOST_FACET_VALUES = 100;
/** Values that are handled before others have their turn. */
const AT_ONCE = 1000;

export type CountedValue = {
  /** Equal for spellings of a reference. */
  readonly name: string;
  readonly text: string;
  readonly count: number;
  /** The first record that has it. */
  readonly record: number;
};

type Spellings = { readonly name: string; readonly texts: string[]; most: number; record: number };

export type FrequencyOptions = {
  /** Equal for texts that are the same value. */
  identity(text: string): string;
  /** The names of values that are returned however many records have them, if any has. */
  readonly asked: ReadonlySet<string>;
  /** How many records have one of some texts. */
  countAny(texts: readonly string[]): Promise<number>;
  readonly yieldIfDue: YieldIfDue;
};

/** Counts those that are the same value, such as spellings of a reference, together. */
export async function mostFrequent(
  counts: ValueCounts,
  { identity, asked, countAny, yieldIfDue }: FrequencyOptions,
): Promise<CountedValue[]> {
  const { mostLeftOut } = counts;
  const best = new First(MOST_FACET_VALUES, byCount);
  const wanted: CountedValue[] = [];
  const add = ({ name, texts, record }: Spellings, count: number) => {
    const value = { name, text: texts[0]!, count, record };
    if (asked.has(name)) wanted.push(value);
    else best.add(value);
  };
  const several: Spellings[] = [];
  let handled = 0;
  for (const one of await spellingsOf(counts, identity, yieldIfDue)) {
    if (handled++ % AT_ONCE === 0) await yieldIfDue();
    if (one.most <= mostLeftOut && !asked.has(one.name)) continue;
    if (one.texts.length > 1) several.push(one);
    else add(one, one.most);
  }
  // A record may have several of them, so these are counted, unless even their sum is too small.
  for (const one of several.sort((a, b) => b.most - a.most))
    if (asked.has(one.name) || (best.last?.count ?? 0) <= one.most) add(one, await countAny(one.texts));
  return [...best.items, ...wanted]
    .sort(byCount)
    .filter(({ name }, at) => at < MOST_FACET_VALUES || asked.has(name));
}

/** The texts of each value, that of the first record first. */
async function spellingsOf(
  counts: ValueCounts,
  identity: (text: string) => string,
  yieldIfDue: YieldIfDue,
): Promise<Iterable<Spellings>> {
  const same = new Map<string, Spellings>();
  let handled = 0;
  for (const [text, { count, record }] of counts.values) {
    if (handled++ % AT_ONCE === 0) await yieldIfDue();
    const name = identity(text);
    const known = same.get(name);
    if (known) {
      known.most += count;
      if (record < known.record) known.texts.unshift(text);
      else known.texts.push(text);
      known.record = Math.min(known.record, record);
    } else same.set(name, { name, texts: [text], most: count, record });
  }
  return same.values();
}

const byCount = (a: CountedValue, b: CountedValue) =>
  b.count - a.count || compareValues(comparedText(a.text), comparedText(b.text));
