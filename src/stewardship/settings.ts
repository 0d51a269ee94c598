/**
 * What stewards set for a collection besides its configuration, which the peer reads and of which it refuses unknown
 * attributes. Kept as a ledger row of the curated area.
 */
import { randomUUID } from 'node:crypto';
import { type Problem, ServiceError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import type { Actor, LedgerChange, RecordStore } from '../storage/store.ts';

export type Settings = {
  /** Whether a curated record that others refer to can be deleted. */
  readonly on_delete: 'warn' | 'refuse';
  /** By class, with the classes below it: slots whose values name one real thing, such as an ORCID. */
  readonly identifying_slots: Readonly<Record<string, readonly string[]>>;
};

const DEFAULT_SETTINGS: Settings = { on_delete: 'warn', identifying_slots: {} };

const SETTINGS_KIND = 'settings';

/** The settings of a collection. */
export async function readSettings(curated: RecordStore, collection: string): Promise<Settings> {
  const row = await curated.ledger.get(SETTINGS_KIND, collection);
  return row ? { ...DEFAULT_SETTINGS, ...(JSON.parse(row.json) as Partial<Settings>) } : DEFAULT_SETTINGS;
}

/** Replaces the settings of a collection. */
export async function writeSettings(
  curated: RecordStore,
  collection: string,
  settings: Settings,
  by: Actor,
): Promise<void> {
  const json = JSON.stringify(settings);
  const set = { kind: SETTINGS_KIND, id: collection, keys: [], json };
  await curated.write([], by, [{ set }, hintsChanged()]);
}

const HINTS_KIND = 'hints';
const HINTS_ID = 'version';

/** To be written with what changes hints of submissions and is not a record: a new version of them. */
export function hintsChanged(): LedgerChange {
  return { set: { kind: HINTS_KIND, id: HINTS_ID, keys: [], json: JSON.stringify(randomUUID()) } };
}

/** What entity tags of hints of submissions depend on besides records. */
export async function hintsVersion({ ledger }: RecordStore): Promise<string> {
  const row = await ledger.get(HINTS_KIND, HINTS_ID);
  return row ? (JSON.parse(row.json) as string).slice(0, 8) : '';
}

/** Settings as they were sent. @throws ServiceError `payload_invalid` with every problem */
export function parseSettings(body: JsonValue, schema: Schema): Settings {
  const problems: Problem[] = [];
  const refuse = (path: string[], msg: string) =>
    problems.push({ type: 'payload_invalid', loc: ['body', ...path], msg });
  if (!isJsonObject(body)) refuse([], 'expected an object with on_delete and identifying_slots');
  const given: JsonObject = isJsonObject(body) ? body : {};
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(DEFAULT_SETTINGS, key))
      refuse([key], 'unknown key, expected on_delete or identifying_slots');
  }
  const { on_delete = DEFAULT_SETTINGS.on_delete, identifying_slots = {} } = given;
  if (on_delete !== 'warn' && on_delete !== 'refuse')
    refuse(['on_delete'], "expected the string 'warn' or 'refuse'");
  if (!isJsonObject(identifying_slots)) {
    refuse(['identifying_slots'], 'expected an object of class names with arrays of slot names');
  } else {
    for (const [name, slots] of Object.entries(identifying_slots)) {
      const known = schema.classes.get(name)?.slots;
      if (!known) refuse(['identifying_slots', name], `the schema has no class '${name}'`);
      else if (!Array.isArray(slots) || !slots.every((slot) => typeof slot === 'string' && known.has(slot)))
        refuse(['identifying_slots', name], `expected an array of slots of the class ${name}`);
    }
  }
  if (problems.length === 0) return { on_delete, identifying_slots } as unknown as Settings;
  const message = problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  throw new ServiceError('payload_invalid', message, problems);
}
