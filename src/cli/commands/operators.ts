/** Commands of operators: on a store directory. */
import { type Command, jsonFlag } from '../command.ts';
import { SHELLS } from '../completion.ts';
import { SERVE_FLAGS } from '../serve-flags.ts';

const store = { name: 'STORE', help: 'the store directory' };

export const OPERATOR_COMMANDS: readonly Command[] = [
  {
    name: 'init',
    group: 'operators',
    summary: 'create a store with a schema, a configuration, tokens and first records',
    about: 'The tokens are printed once.',
    args: [{ name: 'DIRECTORY', help: 'the store directory, new or empty' }],
    flags: {
      collection: {
        type: 'string',
        value: 'NAME',
        default: 'laboratory',
        help: 'the name of the collection',
      },
      schema: {
        type: 'string',
        value: 'SCHEMA',
        help: 'a path or URL; without it, an example to start from',
      },
      json: jsonFlag,
    },
    example: 'accession init data',
    run: async (given) => (await import('../init.ts')).init(given),
  },
  {
    name: 'serve',
    group: 'operators',
    summary: 'run the service on a store directory, a database, or both',
    args: [{ ...store, optional: true, help: 'the store directory; not needed with --database-url' }],
    flags: SERVE_FLAGS,
    example: 'accession serve data --port 8000 -c config.yaml',
    run: async (given) => (await import('../serve.ts')).serve(given),
  },
  {
    name: 'backup',
    group: 'operators',
    summary: 'write a store to one file',
    about:
      'The service may run meanwhile: each area is copied as of one moment. The file is a compressed tar archive with a manifest of digests. It contains secrets.',
    args: [store, { name: 'FILE', help: 'a file outside of the store, which must not exist' }],
    example: 'accession backup data /backups/data-2026-11-22.tar.gz',
    run: async (given) => (await import('../backup/backup.ts')).backup(given),
  },
  {
    name: 'restore',
    group: 'operators',
    summary: 'unpack a backup into a new store directory, after checking every file',
    args: [
      { name: 'FILE', help: 'a backup' },
      { name: 'STORE', optional: true, help: 'a directory that does not exist or is empty' },
    ],
    flags: { verify: { type: 'boolean', help: 'check the backup and unpack nothing' } },
    example: 'accession restore /backups/data-2026-11-22.tar.gz data',
    run: async (given) => (await import('../backup/restore.ts')).restore(given),
  },
  {
    name: 'copy-store',
    group: 'operators',
    summary: 'copy a store to another directory, backend or database, and compare the copy',
    about:
      'Copies the configuration, records, revisions, entries and decisions. No service may run on either store meanwhile. A copy that was interrupted continues when the command is repeated.',
    args: [
      { name: 'SOURCE', help: 'a store directory or the URL of a PostgreSQL database' },
      { name: 'TARGET', help: 'a directory or the URL of a database; empty, or an unfinished copy' },
    ],
    flags: {
      backend: {
        type: 'string',
        value: 'TYPE',
        choices: ['record_dir', 'sqlite', 'postgresql'],
        help: 'the backend of all collections in the target (a directory: record_dir; a database: postgresql)',
      },
    },
    example: 'accession copy-store data postgresql://accession@db.example.org/accession',
    run: async (given) => (await import('../copy-store.ts')).copyStore(given),
  },
  {
    name: 'doctor',
    group: 'operators',
    summary: 'examine a store, explain what is wrong and mend what is safe',
    about:
      'Looks at permissions, disk, clock, schemas, records, indexes, references, zones, audit logs and tokens. The service may run; then indexes are left as they are.',
    args: [store],
    flags: { fix: { type: 'boolean', help: 'repair what can be repaired without loss' }, json: jsonFlag },
    example: 'accession doctor data --fix',
    run: async (given) => (await import('../doctor.ts')).doctor(given),
  },
  {
    name: 'check',
    group: 'operators',
    summary: 'list stored records that cannot be read, damaged databases and stale indexes',
    about:
      'The service may run meanwhile. In a PostgreSQL database, every record is read and compared with the counts that are kept.',
    args: [{ ...store, help: 'the store directory, or the URL of a PostgreSQL database' }],
    flags: {
      records: { type: 'boolean', help: 'list records that do not fit the schema of their collection, too' },
      json: { type: 'boolean', help: 'print one JSON object a line: collection, area, path, message' },
    },
    example: 'accession check data',
    run: async (given) => (await import('../check.ts')).check(given),
  },
  {
    name: 'rebuild-index',
    group: 'operators',
    summary: 'rebuild the indexes of all areas; records and revisions stay as they are',
    about: 'No service may run meanwhile. Files of record directories are read again at the next start.',
    args: [store],
    example: 'accession rebuild-index data',
    run: async (given) => (await import('../check.ts')).rebuild(given),
  },
  {
    name: 'review forget',
    group: 'operators',
    summary: 'remove a user id, or contents and reasons, from the decisions of a collection',
    about:
      'Decisions and digests stay, so a rejection is still remembered. Histories of records and audit logs are not changed. The service may run meanwhile.',
    args: [store, { name: 'COLLECTION', help: 'the name of the collection' }],
    flags: {
      user: { type: 'string', value: 'ID', help: 'the user id to replace' },
      pid: { type: 'string', value: 'PID', help: 'the record whose contents and reasons are removed' },
    },
    example: 'accession review forget data laboratory --user ann@example.org',
    run: async (given) => (await import('../review-forget.ts')).reviewForget(given),
  },
  {
    name: 'audit report',
    group: 'operators',
    summary: 'list the changes of records from an audit log, also of a service that runs',
    args: [
      { name: 'LOG', help: 'the path of the log' },
      { name: 'PATTERN', help: "a regular expression that matches whole pids; '.*' for all" },
    ],
    flags: {
      json: { type: 'boolean', help: 'print one JSON array, with records and differences as structures' },
    },
    example: "accession audit report data/laboratory/audit 'labid:person-.*'",
    run: async (given) => (await import('../audit.ts')).auditReport(given),
  },
  {
    name: 'audit rebuild-index',
    group: 'operators',
    summary: 'rebuild the index of an audit log',
    about: 'No service may use the log meanwhile.',
    args: [{ name: 'LOG', help: 'the path of the log' }],
    example: 'accession audit rebuild-index data/laboratory/audit',
    run: async (given) => (await import('../audit.ts')).rebuild(given),
  },
  {
    name: 'config download',
    group: 'operators',
    summary: 'write the configuration of a running service to a file',
    about: 'The admin token is ACCESSION_ADMIN_TOKEN, else that of the login.',
    args: [{ name: 'URL', optional: true, help: 'the service; without it, ACCESSION_URL or the last login' }],
    flags: {
      entities: {
        type: 'string',
        short: 'e',
        multiple: true,
        choices: ['collections', 'tokens', 'admin_tokens'],
        help: 'only these',
      },
      format: { type: 'string', short: 'f', choices: ['yaml', 'json'], default: 'yaml', help: 'the format' },
      output: { type: 'string', short: 'o', value: 'FILE', help: 'a file; without it, it is printed' },
    },
    example: 'accession config download http://127.0.0.1:8000 -o config.yaml',
    run: async (given) => (await import('../configuration.ts')).configDownload(given),
  },
  {
    name: 'config upload',
    group: 'operators',
    summary: 'create and change the configuration elements of a running service from a file',
    args: [
      { name: 'URL', help: 'the service; default: ACCESSION_URL or the last login' },
      { name: 'FILE', optional: true, help: 'a configuration of version 2' },
    ],
    flags: {
      keep: { type: 'boolean', help: 'leave elements that exist as they are' },
      delete: { type: 'boolean', help: 'delete elements that the file does not have' },
      'dry-run': { type: 'boolean', short: 'd', help: 'print what would change' },
    },
    example: 'accession config upload http://127.0.0.1:8000 config.yaml --dry-run',
    run: async (given) => (await import('../configuration.ts')).configUpload(given),
  },
  {
    name: 'config diff',
    group: 'operators',
    summary: 'list the differences between two configurations by key, with secrets masked',
    args: [
      { name: 'A', help: 'a configuration file, a store directory, or the URL of a service' },
      { name: 'B', help: 'another one' },
    ],
    flags: { json: jsonFlag },
    example: 'accession config diff config.yaml data',
    run: async (given) => (await import('../configuration.ts')).configDiff(given),
  },
  {
    name: 'hash-token',
    group: 'operators',
    summary: 'print the SHA-256 of a secret, as a token with "hashed: true" stores it',
    args: [{ name: 'SECRET', optional: true, help: 'the secret; without it, standard input is read' }],
    example: 'accession hash-token < secret.txt',
    run: async (given) => (await import('../hash-token.ts')).hashToken(given),
  },
  {
    name: 'completion',
    group: 'operators',
    summary: 'print a script that completes commands and options in a shell',
    args: [{ name: 'SHELL', help: SHELLS.join(', '), choices: SHELLS }],
    example: 'accession completion bash > ~/.local/share/bash-completion/completions/accession',
    run: async (given) => (await import('../self.ts')).completion(given),
  },
  {
    name: 'man',
    group: 'operators',
    summary: 'print the manual page',
    example: 'accession man > accession.1 && man ./accession.1',
    run: async () => (await import('../self.ts')).man(),
  },
];
