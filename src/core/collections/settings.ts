/**
 * Settings by curators. They are outside of the configuration, since the peer reads that, too, and refuses unknown attributes.
 */
import { isJsonObject } from '#linkml/json.ts';
import { isMet, type Precondition } from '../entity-tag.ts';
import { type Problem, ServiceError } from '../errors.ts';
import { refusal } from '../json-schema.ts';
import { type ModuleKey, type ModuleKeys, withKeys } from '../module-keys.ts';
import type { Schema } from '../schema/schema.ts';
import type { Shape } from '../shapes.ts';
import type { Reader } from '../storage/reader.ts';
import { LANGUAGES } from '../storage/search/stemmers.ts';
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
    search: {
      type: 'object',
      additionalProperties: false,
      properties: {
        language: {
          enum: LANGUAGES,
          description: 'Words of a search find other words with the same stem in this language.',
        },
      },
    },
  },
} as const;
type Sent = Shape<typeof settingsSchema>;
/** The values of the keys that modules have, added by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: modules add the members
export interface ModuleSettings {}
type Settings = Sent & Required<Pick<Sent, 'on_delete'>> & Partial<ModuleSettings>;

/** A key that a module has in the settings of each collection. */
type SettingKey = ModuleKey & {
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

const DEFAULTS: Settings = { on_delete: settingsSchema.properties.on_delete.default };

type Of = Pick<CollectionStores, 'name' | 'database' | 'curated'>;

type StoredOf = Pick<ReadStores, 'name' | 'curated'> & { readonly database: Pick<Reader, 'tuples'> };

/** All settings that are stored, also those of modules that are absent, with the defaults of the core. */
export async function readSettings(of: StoredOf): Promise<Settings> {
  return { ...DEFAULTS, ...(await storedSettings(of)) };
}

async function storedSettings({ database, curated, name }: StoredOf): Promise<Partial<Settings>> {
  const [row] = await database.tuples<[json: string]>(
    'SELECT json FROM accession_settings WHERE area = $1 AND collection = $2',
    [curated.area.id, name],
  );
  return row ? (JSON.parse(row[0]) as Partial<Settings>) : {};
}

/**
 * The settings that endpoints of the settings show and change, with the defaults that the schema names. Those of modules that are absent
 * are only kept.
 */
export function shownSettings(stored: Partial<Settings>, schema: typeof settingsSchema): Settings {
  return { ...DEFAULTS, ...defaultsIn(schema), ...split(schema, stored)[0] } as Settings;
}

function defaultsIn({ properties }: typeof settingsSchema): Partial<Settings> {
  return Object.fromEntries(
    Object.entries(properties as Readonly<Record<string, { readonly default?: unknown }>>).flatMap(
      ([key, { default: value }]) => (value === undefined ? [] : [[key, value]]),
    ),
  );
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
    if (!isMet(precondition, shownSettings(stored, schema)))
      throw new ServiceError(
        'precondition_failed',
        `The settings of '${of.name}' are not in the state that the request demands: read them again.`,
      );
    return together(split(schema, stored)[1], settings);
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
  });
}

/**
 * All settings, with the defaults of those that were not sent.
 *
 * @throws ServiceError `payload_invalid` with all that the keys of modules refuse
 */
export function settingsFor(
  schema: Schema,
  given: Sent,
  keys: SettingKeys,
  sent: typeof settingsSchema,
): Settings {
  const problems = Object.entries(given).flatMap(
    ([key, value]) => (Object.hasOwn(keys, key) && keys[key]?.problems?.(schema, value)) || [],
  );
  if (problems.length > 0) throw refusal('payload_invalid', problems);
  return shownSettings(given, sent);
}

type Members = Readonly<Record<string, unknown>>;
type ObjectSchema = { readonly properties: Readonly<Record<string, object>> };

/**
 * The members of settings that a schema has, and the others, also within objects: those of modules that are absent, and those that a
 * module had in an earlier release.
 */
function split({ properties }: ObjectSchema, members: Members): [known: Members, unknown: Members] {
  const parts = Object.entries(members).map(([key, value]) => {
    const of = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!of) return [[], [[key, value]]];
    if (!('properties' in of) || !isJsonObject(value)) return [[[key, value]], []];
    const [known, unknown] = split(of as ObjectSchema, value);
    return [[[key, known]], Object.keys(unknown).length > 0 ? [[key, unknown]] : []];
  });
  return [
    Object.fromEntries(parts.flatMap(([known]) => known!)),
    Object.fromEntries(parts.flatMap(([, unknown]) => unknown!)),
  ];
}

/** Settings with the unknown members of stored ones. */
function together(unknown: Members, settings: Members): Members {
  const within = Object.entries(settings).map(([key, value]) => {
    const others = unknown[key];
    return [key, isJsonObject(value) && isJsonObject(others) ? together(others, value) : value] as const;
  });
  return { ...unknown, ...Object.fromEntries(within) };
}

/** The paths of members that a schema does not have, such as `publish.base`. */
function pathsOf({ properties }: ObjectSchema, unknown: Members): string[] {
  return Object.entries(unknown).flatMap(([key, value]) =>
    Object.hasOwn(properties, key)
      ? pathsOf(properties[key] as ObjectSchema, value as Members).map((path) => `${key}.${path}`)
      : [key],
  );
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
    .map(([name, json]) => [name, pathsOf(schema, split(schema, JSON.parse(json))[1])] as const)
    .filter(([, found]) => found.length > 0);
}
