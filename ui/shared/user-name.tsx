/** A user, as people read it: by the name that the source of an identity says, or by the id. */
import { useContext } from 'preact/hooks';
import { type NameProps, People } from './people.ts';

export function UserName({ collection, id }: NameProps) {
  const people = useContext(People);
  return people?.mayName(id) ? <people.Name collection={collection} id={id} /> : <bdi>{id}</bdi>;
}
