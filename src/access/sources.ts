/**
 * The table of token sources: a new kind of source is a row here and one more file.
 *
 * The room `config` puts the types and schemas of this file together with those of other rooms.
 */
import { configTokens, type TokenDirectory } from './config-tokens.ts';
import type { Forges } from './forge-client.ts';
import { type ForgeSourceConfig, forgeSourceSchema, forgeTokens } from './forge-tokens.ts';
import type { TokenSource } from './grant.ts';

/** One entry of `auth_sources` of a collection. */
export type SourceConfig = { readonly type: 'config' } | ForgeSourceConfig;

/** The parts that sources are built with. The directory and the forges are shared by all collections. */
export type SourceContext = {
  readonly collection: string;
  readonly directory: TokenDirectory;
  readonly forges: Forges;
};

type SourceType<Config> = {
  /** JSON Schema of the entry, its `type` included. */
  readonly schema: object;
  readonly open: (config: Config, context: SourceContext) => TokenSource;
};

const forge: SourceType<ForgeSourceConfig> = {
  schema: forgeSourceSchema,
  open: (config, { forges }) => forgeTokens(config, forges),
};

const sourceTypes: {
  readonly [Type in SourceConfig['type']]: SourceType<Extract<SourceConfig, { type: Type }>>;
} = {
  config: {
    schema: {
      type: 'object',
      additionalProperties: false,
      required: ['type'],
      properties: { type: { const: 'config' } },
    },
    open: (_config, { collection, directory }) => configTokens(collection, directory),
  },
  forge,
  /** The name that configurations of the peer use. */
  forgejo: forge,
};

/** The names that `type` may have. */
const sourceTypeNames = Object.keys(sourceTypes) as readonly SourceConfig['type'][];

/** The default of `auth_sources`. */
export const defaultSources: readonly SourceConfig[] = [{ type: 'config' }];

/** The JSON Schema of one entry: `type` selects the other attributes, so problems are reported for the intended type. */
export const sourceConfigSchema = {
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string', enum: sourceTypeNames } },
  discriminator: { propertyName: 'type' },
  oneOf: [sourceTypes.config.schema, forge.schema],
};

/** Opens the source that an entry describes. */
export function openSource(config: SourceConfig, context: SourceContext): TokenSource {
  const { open } = sourceTypes[config.type] as SourceType<SourceConfig>;
  return open(config, context);
}
