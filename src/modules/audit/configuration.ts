/** The key `audit_backends` in the configuration of a collection: the logs of the changes to its curated area. */
import type { ConfigurationKeys } from '../../core/config/config.ts';

declare module '../../core/config/config.ts' {
  interface ModuleConfiguration {
    audit_backends: readonly AuditBackendConfig[];
  }
}

/** One log, complete: defaults are filled in. */
export type AuditBackendConfig = {
  readonly type: 'gitaudit';
  /** The directory of the repository, relative to the store. */
  readonly path: string;
  /** Seconds after which an entry is in the repository at the latest. Until then it is in the area. */
  readonly auto_flush_timeout: number;
};

const backendSchema = {
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [
    {
      properties: {
        type: { const: 'gitaudit' },
        path: { type: 'string', minLength: 1 },
        auto_flush_timeout: { type: 'integer', minimum: 1, default: 60 },
      },
      required: ['path'],
      additionalProperties: false,
    },
  ],
};

export const configuration: ConfigurationKeys = {
  audit_backends: {
    schema: { type: 'array', items: backendSchema, default: [] },
    mapDirectories: (value, map) =>
      (value as readonly AuditBackendConfig[]).map((one) => ({ ...one, path: map(one.path) })),
    initial: (collection) => [{ type: 'gitaudit', path: `${collection}/audit` }],
  },
};
