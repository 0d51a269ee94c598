/** The records that a vocabulary is made of. */

import type { Collection } from '../../core/collections/collection.ts';
import { ServiceError } from '../../core/errors.ts';
import type { RecordsOf } from './snapshots.ts';

/** A caller without policies: terms are shown to all who use the vocabulary. */
const WITHOUT_POLICIES = { source: '', userId: '' };

/**
 * The curated records of a class and the classes below it, without those that some callers do not see.
 *
 * @param source `collection/Class`
 * @throws ServiceError `schema_invalid` if the class is unknown, `policies_unavailable`
 */
export async function recordsOf(
  source: string,
  { collections }: { readonly collections: ReadonlyMap<string, Collection> },
): Promise<RecordsOf> {
  const slash = source.lastIndexOf('/');
  const collection = collections.get(source.slice(0, slash));
  const className = collection?.classNamed(source.slice(slash + 1));
  if (!collection || className === undefined)
    throw new ServiceError('schema_invalid', `There is no collection with the class ${source}.`);
  const { schema, curated, policies } = collection;
  const store = await collection.seen(curated, policies?.visibilityOf(WITHOUT_POLICIES));
  return { schema, records: ofClasses(store.scan({}), new Set(schema.descendants(className))) };
}

export async function* ofClasses(
  records: RecordsOf['records'],
  classes: ReadonlySet<string>,
): RecordsOf['records'] {
  for await (const record of records) if (classes.has(record.className)) yield record;
}
