/** The names of users by their ids: those that a view asks for at the same time are one request. */
import { lab } from '../../../../ui/shared/service.ts';
import { session } from '../../../../ui/shared/session.ts';
import { grants } from '../client.ts';

type Names = Promise<Readonly<Record<string, string>>>;

/** The service answers so many at once. */
const MOST = 200;

let owner: string | undefined;
const known = new Map<string, Promise<string | undefined>>();
const waiting = new Map<string, { readonly ids: string[]; readonly names: Names }>();

/** The name of a user; undefined if the id is not that of someone who has signed in. */
export function nameOf(collection: string, id: string): Promise<string | undefined> {
  if (owner !== session.token.peek()) known.clear();
  owner = session.token.peek();
  const key = `${collection} ${id}`;
  const found = known.get(key) ?? asked(collection, id);
  known.set(key, found);
  return found;
}

async function asked(collection: string, id: string): Promise<string | undefined> {
  let batch = waiting.get(collection);
  if (batch === undefined || batch.ids.length === MOST) {
    const ids: string[] = [];
    // Components of one view ask in the same task.
    const names = Promise.resolve().then(() => {
      waiting.delete(collection);
      return lab(collection).use(grants).names(ids);
    });
    batch = { ids, names };
    waiting.set(collection, batch);
  }
  batch.ids.push(id);
  return (await batch.names.catch((): Readonly<Record<string, string>> => ({})))[id];
}
