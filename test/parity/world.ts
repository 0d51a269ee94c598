/** The same world for both services: collections of every backend, a token of every mode, and nothing stored yet. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const SCHEMA = path.join(import.meta.dirname, 'fixtures/laboratory.yaml');
export const ADMIN_TOKEN = 'the secret of the administrator';

/** The collections of every backend, with the same tokens. */
export const BACKENDS = {
  stl: 'record_dir+stl',
  dir: 'record_dir',
  sql: 'sqlite',
  sqlstl: 'sqlite+stl',
} as const;

export const MODES = [
  'READ_CURATED',
  'READ_COLLECTION',
  'WRITE_COLLECTION',
  'READ_SUBMISSIONS',
  'WRITE_SUBMISSIONS',
  'SUBMIT',
  'SUBMIT_ONLY',
  'NOTHING',
  'CURATOR',
] as const;

export const MAPPINGS = [
  'digest-md5',
  'digest-md5-p3',
  'digest-md5-p3-p3',
  'digest-sha1',
  'digest-sha1-p3',
  'digest-sha1-p3-p3',
  'after-last-colon',
] as const;

/** The secret of the token of a mode; its zone and the first part of its user's address is the mode in lower case. */
export function secretOf(mode: (typeof MODES)[number]): string {
  return `secret of ${mode}`;
}

export type CollectionConfig = Record<string, unknown>;

type TokenConfig = {
  readonly user_id: string;
  readonly representation: string;
  readonly collections: Record<string, { readonly mode: string; readonly incoming_label?: string }>;
};

/** The configuration of the differential test. */
export function laboratory(): Record<string, unknown> {
  const collections: Record<string, CollectionConfig> = {};
  for (const [name, type] of Object.entries(BACKENDS))
    collections[name] = collection(name, { backend: { type } });
  collections.open = collection('open', { default_token: 'visitor' });
  collections.narrow = collection('narrow', { use_classes: ['Person', 'Project'] });
  collections.without = collection('without', { ignore_classes: ['Project'] });
  collections.service = collection('service', {});
  const names = Object.keys(collections);
  collections.orphan = collection('orphan', {});
  collections.nobody = collection('nobody', { default_token: 'undefined' });

  const tokens: Record<string, TokenConfig> = {};
  for (const mode of MODES)
    tokens[mode.toLowerCase()] = token(mode.toLowerCase(), mode, names, secretOf(mode));
  tokens.anyone = token('anyone', 'READ_CURATED', names, 'secret of anyone');
  tokens.visitor = token('visitor', 'WRITE_COLLECTION', ['open'], 'secret of the visitor');
  tokens.guest = token('guest', 'READ_CURATED', ['sql'], 'secret of a guest');
  return { type: 'collections', version: 2, collections, tokens, admin_tokens: {} };
}

export function collection(name: string, more: CollectionConfig): CollectionConfig {
  return {
    schema: SCHEMA,
    default_token: 'anyone',
    curated: `${name}/curated`,
    incoming: `${name}/incoming`,
    ...more,
  };
}

export function token(
  label: string,
  mode: string,
  collections: readonly string[],
  secret: string,
): TokenConfig {
  return {
    user_id: `${label}@example.org`,
    representation: secret,
    collections: Object.fromEntries(collections.map((name) => [name, { mode, incoming_label: label }])),
  };
}

export type Place = { readonly store: string; readonly config: string; remove(): Promise<void> };

/** A temporary store directory with a configuration file beside it (JSON is YAML). */
export async function makePlace(configuration: unknown): Promise<Place> {
  const root = await mkdtemp(path.join(tmpdir(), 'accession-parity-'));
  const store = path.join(root, 'store');
  const config = path.join(root, 'config.yaml');
  await mkdir(store);
  await writeFile(config, JSON.stringify(configuration, null, 2));
  return { store, config, remove: () => rm(root, { recursive: true, force: true }) };
}
