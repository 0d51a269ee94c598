/**
 * Settings by curators. They are outside of the configuration, since the peer reads that, too, and refuses unknown attributes.
 */
import type { Problem } from '../errors.ts';
import { refused } from '../json-schema.ts';
import { problemsOfProfiles } from '../publish/profiles.ts';
import type { ProfileTexts } from '../publish/publishing.ts';
import { publishingSchema } from '../publish/publishing.ts';
import type { Schema } from '../schema/schema.ts';
import { listOf, type Shape, textSchema } from '../shapes.ts';
import type { Draft } from '../storage/database.ts';
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
    views: {
      type: 'object',
      description: 'By class: saved views of its records. All who may read the class are shown them.',
      additionalProperties: {
        type: 'object',
        maxProperties: 50,
        additionalProperties: { ...textSchema, maxLength: 2000 },
        description: 'By name: the query of Browse in the desk, as `is.email=a%40b.org&sort=-name`.',
      },
    },
    publish: publishingSchema,
  },
} as const;
type Sent = Shape<typeof settingsSchema>;
export type Settings = Sent & Required<Pick<Sent, 'on_delete' | 'identifying_slots'>>;

const DEFAULT_SETTINGS: Settings = { on_delete: 'warn', identifying_slots: {} };

type Of = Pick<CollectionStores, 'name' | 'database' | 'curated'>;

export async function readSettings({
  database,
  curated,
  name,
}: Pick<ReadStores, 'name' | 'database' | 'curated'>): Promise<Settings> {
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
export function settingsFor(schema: Schema, given: Sent): Settings {
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
  const viewed = Object.keys(settings.views ?? {}).filter((name) => !schema.classes.has(name));
  problems.push(...viewed.map((name) => classMissing('views', name)));
  problems.push(...profileProblems(schema, settings.publish?.profiles, 'publish', 'profiles'));
  if (problems.length > 0) throw refused('payload_invalid', problems);
  return settings;
}

/** @param path of the profiles in the body */
export function profileProblems(
  schema: Schema,
  profiles: ProfileTexts = {},
  ...path: readonly string[]
): Problem[] {
  return problemsOfProfiles(schema, profiles).map(([name, msg]) => problem(msg, ...path, name));
}

/** @param path of the value in the body */
function problem(msg: string, ...path: readonly (string | number)[]): Problem {
  return { type: 'value_error', msg, loc: ['body', ...path] };
}
