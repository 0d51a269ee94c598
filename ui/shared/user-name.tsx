/** Users, as people read them: by the name that the source of an identity says, or by the id. */
import { useContext } from 'preact/hooks';
import { useLoad } from './load.ts';
import { People } from './people.ts';

/** Returns the names of users for sentences, and their ids until names are there. */
export function useUserNames(
  collection: string,
  ids: readonly (string | null | undefined)[],
): (id: string) => string {
  const people = useContext(People);
  const asked = [...new Set(ids)].filter((id) => typeof id === 'string' && people?.mayName(id)) as string[];
  const key = asked.length === 0 ? undefined : `${collection} ${asked.join(' ')}`;
  const { value } = useLoad(key, async () => {
    const named = asked.map(async (id) => [id, await people?.nameOf(collection, id)] as const);
    return new Map(await Promise.all(named));
  });
  return (id) => value?.get(id) ?? id;
}

/** The id is the title of a name. */
export function UserName({ collection, id }: { collection: string; id: string }) {
  const name = useUserNames(collection, [id])(id);
  return name === id ? <bdi>{id}</bdi> : <bdi title={id}>{name}</bdi>;
}
