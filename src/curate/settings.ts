/**
 * What curators set for a collection besides its configuration, which the peer reads and of which it refuses unknown
 * attributes.
 */
import { type Problem, ServiceError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import type { Draft } from '../storage/database.ts';
import type { CollectionStores } from './stores.ts';

export type Settings = {
  /** Whether a curated record that others refer to can be deleted. */
  readonly on_delete: 'warn' | 'refuse';
  /** By class, with the classes below it: slots whose values name one real thing, such as an ORCID. */
  readonly identifying_slots: Readonly<Record<string, readonly string[]>>;
};

const DEFAULT_SETTINGS: Settings = { on_delete: 'warn', identifying_slots: {} };

type Of = Pick<CollectionStores, 'name' | 'database' | 'curated'>;

export async function readSettings({ database, curated, name }: Of): Promise<Settings> {
  const [row] = await database.tuples<[json: string]>(
    'SELECT json FROM accession_settings WHERE area = $1 AND collection = $2',
    [curated.area.id, name],
  );
  return row ? { ...DEFAULT_SETTINGS, ...(JSON.parse(row[0]) as Partial<Settings>) } : DEFAULT_SETTINGS;
}

/** Replaces the settings of a collection. */
export async function writeSettings(of: Of, settings: Settings): Promise<void> {
  await of.database.transact(async (draft) => {
    draft.run(
      `INSERT INTO accession_settings (area, collection, json) VALUES ($1, $2, $3)
       ON CONFLICT (area, collection) DO UPDATE SET json = excluded.json`,
      [of.curated.area.id, of.name, JSON.stringify(settings)],
    );
    hintsChanged(draft, of);
  });
}

/** To be written with what changes hints of submissions and is not a record. */
export function hintsChanged(draft: Draft, { curated }: Pick<Of, 'curated'>): void {
  draft.run(
    `INSERT INTO accession_hints (area, version) VALUES ($1, 1)
     ON CONFLICT (area) DO UPDATE SET version = accession_hints.version + 1`,
    [curated.area.id],
  );
}

/** What entity tags of hints of submissions depend on besides records. */
export async function hintsVersion({ database, curated }: Pick<Of, 'database' | 'curated'>): Promise<string> {
  const [row] = await database.tuples<[number]>('SELECT version FROM accession_hints WHERE area = $1', [
    curated.area.id,
  ]);
  return String(row?.[0] ?? '');
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
