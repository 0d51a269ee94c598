/**
 * Settings by curators. They are outside of the configuration, since the peer reads that, too, and refuses unknown attributes.
 */
import { isMet, type Precondition } from '../entity-tag.ts';
import { type Problem, ServiceError } from '../errors.ts';
import { refusal } from '../json-schema.ts';
import { type ModuleKey, type ModuleKeys, splitByKeys, withKeys } from '../module-keys.ts';
import type { Schema } from '../schema/schema.ts';
import { listOf, type Shape, textSchema } from '../shapes.ts';
import type { Draft } from '../storage/database.ts';
import type { Reader } from '../storage/reader.ts';
import type { CollectionStores, ReadStores } from './stores.ts';

export const settingsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    on_delete: {
      enum: ['warn', 'refuse'],
      default: 'warn',
      description: 'Whether a curated record that others refer to can be deleted.',
    },
    identifying_slots: {
      type: 'object',
      additionalProperties: listOf(textSchema),
      description: 'By class: slots whose values name one real thing, such as an ORCID.',
    },
  },
} as const;
type Sent = Shape<typeof settingsSchema>;
/** The values of the keys that modules have, added by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: modules add the members
export interface ModuleSettings {}
export type Settings = Sent &
  Required<Pick<Sent, 'on_delete' | 'identifying_slots'>> &
  Partial<ModuleSettings>;

/** A key that a module has in the settings of each collection. */
export type SettingKey = ModuleKey & {
  /** Whether only endpoints of the module show and change it, and those of the settings do not. */
  readonly separate?: boolean;
  /** Finds what the schema cannot express. A location begins with `body` and the key. */
  problems?(schema: Schema, value: unknown): readonly Problem[];
};
export type SettingKeys = ModuleKeys<SettingKey>;

/** The schema of the settings that are sent, with the keys of modules. */
export function settingsSchemaWith(keys: SettingKeys): typeof settingsSchema {
  const sent = Object.entries(keys).filter(([, { separate }]) => !separate);
  return withKeys(settingsSchema, Object.fromEntries(sent));
}

const DEFAULT_SETTINGS: Settings = { on_delete: 'warn', identifying_slots: {} };

type Of = Pick<CollectionStores, 'name' | 'database' | 'curated'>;

/** All settings, also those of modules that are absent. */
export async function readSettings(of: Pick<ReadStores, 'name' | 'database' | 'curated'>): Promise<Settings> {
  return { ...DEFAULT_SETTINGS, ...(await storedSettings(of)) };
}

async function storedSettings({
  database,
  curated,
  name,
}: Pick<ReadStores, 'name' | 'curated'> & { readonly database: Pick<Reader, 'tuples'> }): Promise<
  Partial<Settings>
> {
  const [row] = await database.tuples<[json: string]>(
    'SELECT json FROM accession_settings WHERE area = $1 AND collection = $2',
    [curated.area.id, name],
  );
  return row ? (JSON.parse(row[0]) as Partial<Settings>) : {};
}

/** The settings that endpoints of the settings show and change. Those of modules that are absent are only kept. */
export function shownSettings(settings: Settings, schema: typeof settingsSchema): Settings {
  return splitByKeys(schema, settings)[0];
}

/**
 * Replaces the settings that `schema` has. Other keys stay: they belong to modules with endpoints for them, or to absent ones.
 *
 * @throws ServiceError `precondition_failed`
 */
export function replaceSettings(
  of: Of,
  settings: Settings,
  schema: typeof settingsSchema,
  precondition?: Precondition,
): Promise<void> {
  return change(of, (stored) => {
    if (!isMet(precondition, shownSettings({ ...DEFAULT_SETTINGS, ...stored }, schema)))
      throw new ServiceError(
        'precondition_failed',
        `The settings of '${of.name}' are not in the state that the request demands: read them again.`,
      );
    return { ...splitByKeys(schema, stored)[1], ...settings };
  });
}

/** Changes the value of one key, in turn with other changes. */
export function changeSetting<K extends keyof Settings>(
  of: Of,
  key: K,
  next: (stored: Settings[K] | undefined) => Settings[K],
): Promise<void> {
  return change(of, (stored) => ({ ...stored, [key]: next(stored[key]) }));
}

async function change(of: Of, next: (stored: Partial<Settings>) => Partial<Settings>): Promise<void> {
  await of.database.transact(async (draft) => {
    const stored = await storedSettings({ ...of, database: draft });
    draft.run(
      `INSERT INTO accession_settings (area, collection, json) VALUES ($1, $2, $3)
       ON CONFLICT (area, collection) DO UPDATE SET json = excluded.json`,
      [of.curated.area.id, of.name, JSON.stringify(next(stored))],
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

/** Identifies everything but records that hints of submissions depend on, for entity tags. */
export async function hintsVersion({ database, curated }: Pick<Of, 'database' | 'curated'>): Promise<string> {
  const [row] = await database.tuples<[number]>('SELECT version FROM accession_hints WHERE area = $1', [
    curated.area.id,
  ]);
  return String(row?.[0] ?? '');
}

/**
 * All settings, with the defaults of those that were not sent.
 *
 * @throws ServiceError `payload_invalid` with every class and slot that the schema or a vocabulary lacks
 */
export function settingsFor(schema: Schema, given: Sent, keys: SettingKeys): Settings {
  const settings = { ...DEFAULT_SETTINGS, ...given };
  const classMissing = (setting: string, name: string) =>
    problem(`the schema has no class '${name}'`, setting, name);
  const problems = Object.entries(settings.identifying_slots).flatMap(([name, slots]) => {
    const known = schema.classes.get(name)?.slots;
    if (!known) return [classMissing('identifying_slots', name)];
    return slots.flatMap((slot, at) => {
      const msg = `expected a slot of the class ${name}, found '${slot}'`;
      return known.has(slot) ? [] : problem(msg, 'identifying_slots', name, at);
    });
  });
  for (const [key, value] of Object.entries(given))
    problems.push(...((Object.hasOwn(keys, key) && keys[key]?.problems?.(schema, value)) || []));
  if (problems.length > 0) throw refusal('payload_invalid', problems);
  return settings;
}

/** @param path of the value in the body */
function problem(msg: string, ...path: readonly (string | number)[]): Problem {
  return { type: 'value_error', msg, loc: ['body', ...path] };
}

/** The keys of stored settings that no module of this process has, by collection. */
export async function unknownSettings(
  database: Pick<Reader, 'tuples'>,
  keys: SettingKeys,
): Promise<readonly (readonly [collection: string, keys: readonly string[]])[]> {
  const rows = await database.tuples<[collection: string, json: string]>(
    'SELECT collection, json FROM accession_settings ORDER BY collection, area',
  );
  const schema = withKeys(settingsSchema, keys);
  return rows
    .map(([name, json]) => [name, Object.keys(splitByKeys(schema, JSON.parse(json))[1])] as const)
    .filter(([, found]) => found.length > 0);
}
