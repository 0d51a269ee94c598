/** Where tokens are looked up: the entries of `auth_sources` of a collection, which the room `config` checks by the schema of this file. */
import { configTokens, type TokenDirectory } from './config-tokens.ts';
import type { Forges } from './forge-client.ts';
import { type ForgeSourceConfig, forgeSourceSchema, forgeTokens, forgeTypes } from './forge-tokens.ts';
import type { TokenSource } from './grant.ts';

/** The entries that modules have types for, by type, added by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: modules add the members
export interface ModuleSources {}
type ModuleSourceConfig = ModuleSources[keyof ModuleSources];

/** One entry of `auth_sources` of a collection. */
export type SourceConfig = { readonly type: 'config' } | ForgeSourceConfig | ModuleSourceConfig;

/** The JSON Schemas of the entries that a module has types for, by type. */
export type SourceSchemas = Readonly<Record<string, object>>;

/** Opens an entry of a type that a module has. */
export type OpenModuleSource = (config: ModuleSourceConfig, collection: string) => TokenSource;

/** The default of `auth_sources`. */
export const defaultSources: readonly SourceConfig[] = [{ type: 'config' }];

const configSourceSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['type'],
  properties: { type: { const: 'config' } },
};

const ownTypes = ['config', ...forgeTypes];

/** The types of entries of the core and of modules. */
export function sourceTypesWith(schemas: SourceSchemas): readonly string[] {
  return [...ownTypes, ...Object.keys(schemas)];
}

/** The JSON Schema of one entry: `type` selects the other attributes, so problems are reported for the intended type. */
export function sourceConfigSchemaWith(schemas: SourceSchemas) {
  return {
    type: 'object',
    required: ['type'],
    properties: { type: { type: 'string', enum: sourceTypesWith(schemas) } },
    discriminator: { propertyName: 'type' },
    oneOf: [configSourceSchema, forgeSourceSchema, ...Object.values(schemas)],
  };
}

/** Whether an entry is that of a forge whose tokens are sent. */
export function isForgeSource(config: SourceConfig): config is ForgeSourceConfig {
  return forgeTypes.some((type) => type === config.type);
}

/** The source that an entry describes. All collections share the directory, the forges and what modules open. */
export function openSource(
  config: SourceConfig,
  collection: string,
  parts: {
    readonly tokens: TokenDirectory;
    readonly forges: Forges;
    readonly openModuleSource: OpenModuleSource;
  },
): TokenSource {
  if (isForgeSource(config)) return forgeTokens(config, parts.forges);
  if (config.type === 'config') return configTokens(collection, parts.tokens);
  return parts.openModuleSource(config, collection);
}
