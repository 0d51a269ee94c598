/** Commands of operators: on a store directory. */
import type { Command } from '../command.ts';
import { SHELLS } from '../completion.ts';
import { SERVE_FLAGS } from '../serve-flags.ts';

const store = { name: 'STORE', help: 'the store directory' };

export const OPERATOR_COMMANDS: readonly Command[] = [
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
    name: 'check',
    group: 'operators',
    summary: 'list stored records that cannot be read, damaged databases and stale indexes',
    about: 'The service may run meanwhile.',
    args: [store],
    flags: {
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
    run: async (given) => (await import('../audit.ts')).report(given),
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
