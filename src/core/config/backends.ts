/**
 * The storage backends by name. The records of all of them are in the database of the service; a backend says how an area
 * looks outside of it.
 */
import type { JsonObject } from '#linkml/json.ts';

/** How the peer names the files of records, see `formats/record-path.ts`. */
export const MAPPING_METHODS = [
  'digest-md5',
  'digest-md5-p3',
  'digest-md5-p3-p3',
  'digest-sha1',
  'digest-sha1-p3',
  'digest-sha1-p3-p3',
  'after-last-colon',
] as const;

export type MappingMethod = (typeof MAPPING_METHODS)[number];

const DEFAULT_MAPPING_METHOD: MappingMethod = 'digest-md5';

/** The `backend` attribute of a collection, as it is kept and listed. */
export type BackendConfig =
  | { readonly type: 'record_dir+stl' | 'record_dir'; readonly mapping_method: MappingMethod }
  | { readonly type: 'sqlite' | 'sqlite+stl' | 'postgresql' | 'postgresql+stl' };

type BackendType = BackendConfig['type'];

type Backend = {
  /** Whether areas are kept as files of records, too. */
  readonly files: boolean;
  /** Whether `matching` is honored; otherwise it is ignored (specification 4.1, rule 5). */
  readonly matching: boolean;
  /** Whether the schema decides about `schema_type`; otherwise it is part of what was stored. */
  readonly schemaTypeLayer: boolean;
  /** Whether the database has to be a PostgreSQL database. */
  readonly postgresql: boolean;
};

const recordDir = { files: true, matching: false, postgresql: false };
const sqlite = { files: false, matching: true, postgresql: false };
const postgresql = { files: false, matching: true, postgresql: true };

export const BACKENDS: Readonly<Record<BackendType, Backend>> = {
  'record_dir+stl': { ...recordDir, schemaTypeLayer: true },
  record_dir: { ...recordDir, schemaTypeLayer: false },
  sqlite: { ...sqlite, schemaTypeLayer: false },
  'sqlite+stl': { ...sqlite, schemaTypeLayer: true },
  postgresql: { ...postgresql, schemaTypeLayer: false },
  'postgresql+stl': { ...postgresql, schemaTypeLayer: true },
};

export const DEFAULT_BACKEND: BackendConfig = {
  type: 'record_dir+stl',
  mapping_method: DEFAULT_MAPPING_METHOD,
};

const MAPPING_ATTRIBUTE: JsonObject = {
  mapping_method: { type: 'string', enum: [...MAPPING_METHODS], default: DEFAULT_MAPPING_METHOD },
};

/** The `backend` attribute as JSON Schema: `type` selects the other attributes, so problems are reported for the intended type. */
export const backendConfigSchema = {
  title: 'Storage backend',
  description: 'How the records of the collection look outside of the database.',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: Object.entries(BACKENDS).map(([type, { files }]) => ({
    additionalProperties: false,
    properties: { type: { const: type }, ...(files && MAPPING_ATTRIBUTE) },
  })),
};

/** Whether two backends make the same files and tables of an area: then it may have names with either. */
export function haveSameForm(one: BackendConfig, other: BackendConfig): boolean {
  const [a, b] = [BACKENDS[one.type], BACKENDS[other.type]];
  if (a.files !== b.files || a.schemaTypeLayer !== b.schemaTypeLayer) return false;
  return !a.files || mappingOf(one) === mappingOf(other);
}

/** How the files of an area are named. */
export function mappingOf(config: BackendConfig): MappingMethod {
  return 'mapping_method' in config ? config.mapping_method : DEFAULT_MAPPING_METHOD;
}
