/** The part of a collection that changes of its schema have, and the key that finds it. */
import { type CollectionPart, partKey } from '../../core/collections/part.ts';
import type { SchemaChanges } from './schema-change.ts';

export interface MigratePart extends CollectionPart {
  readonly changes: SchemaChanges;
}

export const migratePart = partKey<MigratePart>('migrate');
