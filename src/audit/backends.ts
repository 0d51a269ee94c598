/**
 * The kinds of audit backends, and the part of the configuration that each of them takes. `config` puts the parts
 * together; `logs.ts` opens them.
 */

/** One item of a collection's `audit_backends`, complete: defaults are filled in. */
export type AuditBackendConfig = {
  readonly type: 'gitaudit';
  /** The directory of the repository, relative to the store. */
  readonly path: string;
  /** Seconds after which an entry is in the repository at the latest. Until then it is in the area. */
  readonly auto_flush_timeout: number;
};

/** The JSON Schema of one item of `audit_backends` in files and payloads. */
export const auditBackendConfigSchema = {
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
