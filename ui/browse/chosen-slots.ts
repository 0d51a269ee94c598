/** The slots of a class that the user has chosen for a part of Browse, which this browser remembers. */
import { signal } from '@preact/signals';
import type { ClassDescription } from '../shared/schema.ts';

/** What slots are chosen for. */
type Part = 'columns' | 'facets';

/** Increases when a choice changes. */
const changes = signal(0);

const keyOf = (part: Part, collection: string, { class: name }: ClassDescription) =>
  `accession.${part}:${collection}/${name}`;

/** The names of the chosen slots, some of which the schema may not have any more; undefined without a choice. */
export function chosenSlots(
  part: Part,
  collection: string,
  description: ClassDescription,
): readonly string[] | undefined {
  changes.value;
  const names: unknown = JSON.parse(localStorage.getItem(keyOf(part, collection, description)) ?? 'null');
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : undefined;
}

/** @param names undefined for those that are shown without a choice */
export function chooseSlots(
  part: Part,
  collection: string,
  description: ClassDescription,
  names: readonly string[] | undefined,
): void {
  const key = keyOf(part, collection, description);
  if (names === undefined) localStorage.removeItem(key);
  else localStorage.setItem(key, JSON.stringify(names));
  changes.value++;
}
