/**
 * The kinds of audit backends, and the piece of the configuration that each of them takes: one row per type.
 *
 * `config` puts the pieces together; a collection opens what its configuration names with `openAuditLog`.
 */
import type { AuditLog, OperatorLog } from './audit-log.ts';
import { GitAudit } from './git-audit.ts';
import { shareLog } from './shared-log.ts';

/** One item of a collection's `audit_backends`, complete: defaults are filled in. */
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

const NOBODY: OperatorLog = { info: () => {}, warn: () => {} };

type Opener = (config: AuditBackendConfig, path: string, log: OperatorLog) => Promise<AuditLog>;

const OPENERS: Readonly<Record<AuditBackendConfig['type'], Opener>> = {
  gitaudit: (config, path, log) => GitAudit.open(path, { flushTimeout: config.auto_flush_timeout, log }),
};

/**
 * Opens an audit log. What a former run has left unresolved in it is to be settled before the first write, with
 * `settleUnresolved` of `audit-log.ts`.
 *
 * @param path the directory, absolute
 * @param owner the collection that it belongs to
 * @param log where operators are told of what goes wrong later
 * @throws ServiceError `store_incompatible` for a directory that holds something else or is in use by somebody else
 */
export function openAuditLog(
  config: AuditBackendConfig,
  path: string,
  owner: string,
  log: OperatorLog = NOBODY,
): Promise<AuditLog> {
  return shareLog(path, owner, (directory) => OPENERS[config.type](config, directory, log));
}
