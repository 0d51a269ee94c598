/**
 * The kinds of audit backends, and the piece of the configuration that each of them takes: one row per type.
 *
 * `config` puts the pieces together; a collection opens what its configuration names with `openAuditLog`.
 */

/** One item of a collection's `audit_backends` (decisions §2), complete: defaults are filled in. */
export type AuditBackendConfig = {
  readonly type: 'gitaudit';
  /** The directory of the repository, relative to the store. */
  readonly path: string;
  /** Seconds after which an entry is in the repository at the latest. Until then it is safe in the log's journal. */
  readonly auto_flush_timeout: number;
};

/** The JSON Schema of one item of `audit_backends`, as it stands in files and payloads. */
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
