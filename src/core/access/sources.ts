/** Where tokens are looked up: the entries of `auth_sources` of a collection, which the room `config` checks by the schema of this file. */
import { configTokens, type TokenDirectory } from './config-tokens.ts';
import type { Forges } from './forge-client.ts';
import { type ForgeSourceConfig, forgeSourceSchema, forgeTokens, forgeTypes } from './forge-tokens.ts';
import type { TokenSource } from './grant.ts';

/** One entry of `auth_sources` of a collection. */
export type SourceConfig = { readonly type: 'config' } | ForgeSourceConfig;

/** The default of `auth_sources`. */
export const defaultSources: readonly SourceConfig[] = [{ type: 'config' }];

const configSourceSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['type'],
  properties: { type: { const: 'config' } },
};

/** The JSON Schema of one entry: `type` selects the other attributes, so problems are reported for the intended type. */
export const sourceConfigSchema = {
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string', enum: ['config', ...forgeTypes] } },
  discriminator: { propertyName: 'type' },
  oneOf: [configSourceSchema, forgeSourceSchema],
};

/** The source that an entry describes. All collections share the directory and the forges. */
export function openSource(
  config: SourceConfig,
  collection: string,
  { tokens, forges }: { readonly tokens: TokenDirectory; readonly forges: Forges },
): TokenSource {
  return config.type === 'config' ? configTokens(collection, tokens) : forgeTokens(config, forges);
}
