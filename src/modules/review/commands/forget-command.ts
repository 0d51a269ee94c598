/** `accession review forget`: removes a person, or the contents about a record, from the decisions of a collection. */

import type { OpenBeside } from '../../../cli/module.ts';
import { UsageError } from '../../../cli/outcome.ts';
import { countText } from '../../../cli/print.ts';
import { forget } from '../decisions/forget.ts';

type Options = { readonly user?: string; readonly pid?: string };

export const forgetDecisions =
  (openStore: OpenBeside) =>
  async (place: string, collection: string, { user, pid }: Options): Promise<number> => {
    if ((user === undefined) === (pid === undefined))
      throw new UsageError('Expected either --user or --pid.');
    await using store = await openStore(place);
    const areas = await store.areas();
    const curated = areas.find((one) => one.collection === collection && one.area === 'curated');
    if (!curated) throw new UsageError(`${place} has no collection ${collection}.`);
    const open = store.schemas();
    const what = user !== undefined ? { user } : { iri: (await open(curated.config)).expand(pid!) ?? pid! };
    const changed = await forget(store.database, curated.store.area, what);
    process.stderr.write(`${countText(changed, 'decision')} changed\n`);
    return 0;
  };
