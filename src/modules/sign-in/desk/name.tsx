/** The name of someone who has signed in; the id is its title. */
import { useLoad } from '../../../../ui/shared/load.ts';
import type { NameProps } from '../../../../ui/shared/people.ts';
import { nameOf } from './names.ts';

export function Name({ collection, id }: NameProps) {
  const { value } = useLoad(`${collection} ${id}`, () => nameOf(collection, id));
  return value === undefined ? <bdi>{id}</bdi> : <bdi title={id}>{value}</bdi>;
}
