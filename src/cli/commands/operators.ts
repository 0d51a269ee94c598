/** Commands of operators: on a store directory. */
import { type Command, jsonFlag } from '../command.ts';
import { SHELLS } from '../completion.ts';
import { SERVE_FLAGS } from '../serve-flags.ts';

const store = { name: 'STORE', help: 'the store directory' };

const CHECK_FLAGS: Command['flags'] = {
  records: { type: 'boolean', help: 'find records that do not fit the schema of their collection, too' },
  fix: { type: 'boolean', help: 'repair what can be repaired without loss' },
  json: { type: 'boolean', help: 'print one JSON object a line: severity, check, area, message, remedy' },
};

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
      'The service may run meanwhile: the database is copied as of one moment. The file is a compressed tar archive with a manifest of digests. It contains secrets. Files of record directories are not in it, since the service writes them from the database.',
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
    summary: 'copy a store from a directory to a PostgreSQL database, or back',
    about:
      'Copies everything but the audit logs in git, as of one moment: configuration, records, revisions, entries, submissions and decisions.',
    args: [
      { name: 'SOURCE', help: 'a store directory or the URL of a PostgreSQL database' },
      { name: 'TARGET', help: 'the other one, which must be empty' },
    ],
    example: 'accession copy-store data postgresql://accession@db.example.org/accession',
    run: async (given) => (await import('../copy-store.ts')).copyStore(given),
  },
  {
    name: 'export-store',
    group: 'operators',
    summary: 'write a store directory that dump-things-service opens',
    about:
      'The service may run meanwhile. Writes the configuration, tokens and all areas as of one moment, each with the backend and mapping method of its collection, and the audit logs.',
    args: [store, { name: 'DIRECTORY', help: 'a directory that does not exist or is empty' }],
    example: 'accession export-store data /srv/dump-things',
    run: async (given) => (await import('../export-store.ts')).exportStore(given),
  },
  {
    name: 'check',
    group: 'operators',
    summary: 'examine a store, explain what is wrong and repair what is safe',
    about:
      'Examines the database, every record, schemas, files, references, zones, tokens, permissions, disk and clock. The service may run meanwhile. The exit status is 2 if there are problems.',
    args: [{ ...store, help: 'the store directory, or the URL of a PostgreSQL database' }],
    flags: CHECK_FLAGS,
    example: 'accession check data --fix',
    run: async (given) => (await import('../check/check.ts')).check(given),
  },
  {
    name: 'doctor',
    group: 'operators',
    summary: 'the same as check',
    args: [{ ...store, help: 'the store directory, or the URL of a PostgreSQL database' }],
    flags: CHECK_FLAGS,
    example: 'accession doctor data',
    run: async (given) => (await import('../check/check.ts')).check(given),
  },
  {
    name: 'review forget',
    group: 'operators',
    summary: 'remove a user id, or contents and reasons, from the decisions of a collection',
    about:
      'Decisions and digests stay, so a rejection is still remembered. Histories of records and audit logs are not changed. No service may run on a store directory meanwhile.',
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
    summary: 'list the changes of the curated records of a collection, also while a service runs',
    args: [
      { name: 'STORE', help: 'the store directory, or the URL of a PostgreSQL database' },
      { name: 'COLLECTION', help: 'the name of the collection' },
      {
        name: 'PATTERN',
        optional: true,
        help: 'a regular expression that matches whole pids; without it, all',
      },
    ],
    flags: {
      json: { type: 'boolean', help: 'print one JSON array, with records and differences as structures' },
    },
    example: "accession audit report data laboratory 'labid:person-.*'",
    run: async (given) => (await import('../audit.ts')).auditReport(given),
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
