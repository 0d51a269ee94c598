/** The three areas that endpoints of records are mounted on. */
import type { AreaKind } from '../endpoint.ts';

export type Mount = {
  readonly kind: AreaKind;
  readonly path: string;
  /** Read as "Read one record {title}". */
  readonly title: string;
  /** Where a store puts a record: "Store an object {storedIn}". */
  readonly storedIn: string;
  /** The description of the tag of the area. */
  readonly about: string;
  /** Which records a list of one class has. */
  readonly classWords: string;
};

export const MOUNTS: readonly Mount[] = [
  {
    kind: 'user',
    path: '/{collection}',
    title: 'of the collection',
    storedIn: 'in the zone of the token',
    about: 'What a token may read, and submit to its own incoming zone.',
    classWords: 'A class; its subclasses are included.',
  },
  {
    kind: 'curated',
    path: '/{collection}/curated',
    title: 'of the curated area',
    storedIn: 'in the curated area',
    about: 'The curated area, for curators.',
    classWords: 'A class, without its subclasses.',
  },
  {
    kind: 'incoming',
    path: '/{collection}/incoming/{label}',
    title: 'of an incoming zone',
    storedIn: 'in an incoming zone',
    about: 'The incoming zones, for curators.',
    classWords: 'A class, without its subclasses.',
  },
];
