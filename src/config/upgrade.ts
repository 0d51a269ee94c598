/**
 * Version 1 of the configuration file (the peer's 5.x) → version 2 (specification 2.5).
 *
 * In version 1 `tokens` was keyed by the secrets, `default_token` was a secret too, and a collection had its schema in
 * its `sqlite` backend, or in the `.dumpthings.yaml` of its record directory. A hashed token was written
 * `<id>-<sha256 of the secret>`. Tokens get the names `token_1`, `token_2`, … in the order of the file. What else is
 * wrong with a file is left for the check of version 2 to find.
 */
import { ServiceError } from '../errors.ts';

/** The content of the `.dumpthings.yaml` of a curated area. */
export type DescribeArea = (curated: string) => { schema: string; mapping_method: string };

type Mapping = Readonly<Record<string, unknown>>;

/** Whether a file says that it is of version 1. */
export function isVersion1(value: unknown): value is Mapping {
  return isConfigMapping(value) && value.version === 1;
}

/** @throws ServiceError `config_invalid` for what version 1 alone can have wrong */
export function upgrade(old: Mapping, describeArea: DescribeArea): Mapping {
  const { tokens = {}, collections = {}, ...rest } = old;
  if (!isConfigMapping(tokens) || !isConfigMapping(collections)) return { ...old, version: 2 };
  const names = new Map(Object.keys(tokens).map((secret, index) => [secret, `token_${index + 1}`]));
  const upgradedTokens = Object.entries(tokens).map(([secret, token]) => [
    names.get(secret),
    isConfigMapping(token) ? upgradeToken(secret, token) : token,
  ]);
  const upgradedCollections = Object.entries(collections).map(([name, collection]) => [
    name,
    isConfigMapping(collection) ? upgradeCollection(name, collection, names, describeArea) : collection,
  ]);
  return {
    ...rest,
    version: 2,
    tokens: Object.fromEntries(upgradedTokens),
    collections: Object.fromEntries(upgradedCollections),
  };
}

function upgradeToken(secret: string, token: Mapping): Mapping {
  if (token.hashed !== true) return { ...token, representation: secret };
  const hash = /^[^-]*-([0-9a-f]{64})$/i.exec(secret)?.[1];
  if (hash === undefined) {
    const where = `the hashed token ${JSON.stringify(secret.slice(0, secret.indexOf('-') + 1))}…`;
    throw new ServiceError('config_invalid', `tokens: ${where}: expected <id>-<SHA-256 of the secret>.`);
  }
  return { ...token, representation: hash };
}

function upgradeCollection(
  name: string,
  collection: Mapping,
  names: ReadonlyMap<string, string>,
  describeArea: DescribeArea,
): Mapping {
  const { default_token, curated } = collection;
  const token = typeof default_token === 'string' ? names.get(default_token) : undefined;
  if (default_token !== undefined && token === undefined) {
    const what = 'is expected to be one of the keys of tokens';
    throw new ServiceError('config_invalid', `collections.${name}.default_token: ${what}`);
  }
  const renamed = { ...collection, ...(token === undefined ? {} : { default_token: token }) };
  const { schema, ...backend } = backendOf(collection.backend);
  if (!String(backend.type).startsWith('record_dir')) return { ...renamed, schema, backend };
  if (typeof curated !== 'string') return renamed;
  const area = describeArea(curated);
  return { ...renamed, schema: area.schema, backend: { ...backend, mapping_method: area.mapping_method } };
}

function backendOf(backend: unknown): Mapping {
  if (typeof backend === 'string') return { type: backend };
  return isConfigMapping(backend) ? backend : { type: 'record_dir+stl' };
}

function isConfigMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
