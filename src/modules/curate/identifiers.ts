/** The identifiers of records: what the setting and the schema say names one thing, as strings that are compared. */
import { hash } from 'node:crypto';
import { readSettings } from '../../core/collections/settings.ts';
import type { ReadStores } from '../../core/collections/stores.ts';
import { definedRecord } from '../../core/records/record.ts';
import type { StoredRecord } from '../../core/storage/store.ts';
import { LONG_BODY } from '../../core/work/pool.ts';
import { type IdentifyingSlots, identifyingKeys, identifyingText, isIdentified } from './identify.ts';
import type {} from './settings.ts';

/** Longer identifiers are compared by a digest. */
const LONGEST_IDENTIFIER = 200;

/** Identifies everything but records that identifiers depend on. */
export function versionOf({ schema }: Pick<ReadStores, 'schema'>, slots: IdentifyingSlots): string {
  return hash('sha256', `${schema.digest} ${JSON.stringify(slots)}`, 'base64url');
}

export async function readSlots(
  stores: Pick<ReadStores, 'name' | 'database' | 'curated'>,
): Promise<IdentifyingSlots> {
  return (await readSettings(stores)).identifying_slots ?? {};
}

export function identifiersOf(
  { schema }: Pick<ReadStores, 'schema'>,
  slots: IdentifyingSlots,
  record: Pick<StoredRecord, 'className' | 'json'>,
): string[] {
  // Nothing is parsed for records of a class without keys. Others would wait while a long one is parsed.
  if (!isIdentified(schema, slots, record.className) || record.json.length > LONG_BODY) return [];
  const keys = identifyingKeys(schema, slots, record.className, definedRecord(schema, record));
  const texts = keys
    .map(identifyingText)
    .map((text) => (text.length > LONGEST_IDENTIFIER ? hash('sha256', text, 'base64url') : text));
  return [...new Set(texts)];
}
