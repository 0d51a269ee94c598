/** `accession review forget`: removes a person, or the contents about a record, from the decisions of a collection. */

import { forget } from '../review/forget.ts';
import { openSchema } from '../schema/schema.ts';
import { openStore } from '../storage/backends.ts';
import { namingOf } from '../storage/store-handles.ts';
import { storeAreas, storedConfiguration } from './areas.ts';
import { type Given, UsageError } from './command.ts';

/** @returns the exit status */
export async function reviewForget(given: Given): Promise<number> {
  const [store = '', collection = ''] = given.args;
  const user = given.text('user');
  const pid = given.text('pid');
  if ((user === undefined) === (pid === undefined)) throw new UsageError('Expected either --user or --pid.');
  const { collections } = await storedConfiguration(store);
  const area = (await storeAreas(store)).find(
    (one) => one.collection === collection && one.area === 'curated',
  );
  const config = collections[collection];
  if (!area || !config) throw new UsageError(`${store} has no collection ${collection}.`);
  const schema = await openSchema(area.schema);
  const curated = await openStore(config.backend, area.directory, {
    ...namingOf(schema),
    schema: area.schema,
  });
  try {
    const what = user !== undefined ? { user } : { iri: schema.expand(pid!) ?? pid! };
    const changed = await forget(curated, what, new Date());
    process.stderr.write(`${changed} ${changed === 1 ? 'decision' : 'decisions'} changed\n`);
    return 0;
  } finally {
    await curated.close();
  }
}
