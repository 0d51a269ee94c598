/** `accession review forget`: removes a person, or the contents about a record, from the decisions of a collection. */
import { Schemas } from '../collections/schemas.ts';
import { forget } from '../review/forget.ts';
import { SILENT_LOG } from '../storage/log.ts';
import { type Given, UsageError } from './command.ts';
import { openStore } from './open-store.ts';
import { counted } from './print.ts';

/** @returns the exit status */
export async function reviewForget(given: Given): Promise<number> {
  const [place = '', collection = ''] = given.args;
  const user = given.text('user');
  const pid = given.text('pid');
  if ((user === undefined) === (pid === undefined)) throw new UsageError('Expected either --user or --pid.');
  const store = await openStore(place, 'beside');
  try {
    const curated = (await store.areas()).find(
      (one) => one.collection === collection && one.area === 'curated',
    );
    if (!curated) throw new UsageError(`${place} has no collection ${collection}.`);
    const open = new Schemas(store.root, SILENT_LOG, new Map(), { keep: false }).reading();
    const what =
      user !== undefined ? { user } : { iri: (await open(curated.config.schema)).expand(pid!) ?? pid! };
    const changed = await forget(store.database, curated.store.area, what);
    process.stderr.write(`${counted(changed, 'decision')} changed\n`);
    return 0;
  } finally {
    await store.close();
  }
}
