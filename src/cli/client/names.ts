/** Names of zones and classes that arguments give, against those of a collection: a typing error is not an empty result. */

import { didYouMean } from '#linkml/suggestions.ts';
import { ClientError, type CollectionClient } from '../../client/client.ts';
import { UsageError } from '../outcome.ts';

/** Why a zone is missing; undefined if the collection has it. */
export async function zoneMissing(collection: CollectionClient, label: string): Promise<string | undefined> {
  return missing('zone', label, await collection.labels());
}

/** Why a class is missing; undefined if the collection has it. */
async function classMissing(collection: CollectionClient, name: string): Promise<string | undefined> {
  const classes = await collection.classes();
  return missing(
    'class',
    name,
    classes.map((one) => one.class),
  );
}

/** Why the values of filters find nothing; undefined if they name zones and classes that there are. */
export async function filterMistake(
  collection: CollectionClient,
  filters: { readonly label?: unknown; readonly class?: unknown },
): Promise<string | undefined> {
  const each = [
    [filters.class, classMissing],
    [filters.label, zoneMissing],
  ] as const;
  for (const [given, why] of each) {
    for (const name of typeof given === 'string' ? given.split(',') : []) {
      const mistake = await why(collection, name).catch(unlessRefused);
      if (mistake !== undefined) return mistake;
    }
  }
  return undefined;
}

/** A class with its subclasses; itself if the service does not describe classes. @throws UsageError if the class does not exist */
export async function withSubclasses(collection: CollectionClient, name: string): Promise<string[]> {
  const classes = await collection.classes().catch(unlessRefused);
  if (classes === undefined) return [name];
  const parents = new Map(classes.map((one) => [one.class, one.is_a]));
  if (!parents.has(name)) throw new UsageError(missing('class', name, parents.keys()) as string);
  const isBelow = (one: string | null | undefined): boolean =>
    typeof one === 'string' && (one === name || isBelow(parents.get(one)));
  return [...parents.keys()].filter(isBelow);
}

function missing(kind: string, name: string, known: Iterable<string>): string | undefined {
  const names = [...known];
  if (names.includes(name)) return undefined;
  const hint = didYouMean(name, names, (meant) => `'${meant}'`);
  return `The collection has no ${kind} '${name}'.${hint}`;
}

/** Leaves unchecked whatever the token may not read. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof ClientError && error.status > 0 && error.status < 500) return undefined;
  throw error;
}
