/** `accession review forget`: removes a person, or the contents about a record, from the decisions of a collection. */
import { forget } from '../../review/forget.ts';
import { openStore } from '../open-store.ts';
import { UsageError } from '../outcome.ts';
import { countText } from '../print.ts';

export async function forgetDecisions(
  place: string,
  collection: string,
  { user, pid }: { readonly user?: string; readonly pid?: string },
): Promise<number> {
  if ((user === undefined) === (pid === undefined)) throw new UsageError('Expected either --user or --pid.');
  await using store = await openStore(place, { beside: true });
  const areas = await store.areas();
  const curated = areas.find((one) => one.collection === collection && one.area === 'curated');
  if (!curated) throw new UsageError(`${place} has no collection ${collection}.`);
  const open = store.schemas();
  const what = user !== undefined ? { user } : { iri: (await open(curated.config)).expand(pid!) ?? pid! };
  const changed = await forget(store.database, curated.store.area, what);
  process.stderr.write(`${countText(changed, 'decision')} changed\n`);
  return 0;
}
