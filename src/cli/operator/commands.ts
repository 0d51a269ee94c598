/** The commands of operators, on a store. */

import {
  ANY_STORE,
  addCommand,
  addGroup,
  addRemoved,
  addRemovedOptions,
  type Command,
  choice,
  collectValues,
  onService,
  runs,
  wholeNumber,
} from '../command.ts';
import { addFormerLimits, LIMITS, readLimit, readSubnet } from './limits.ts';

export function addOperatorCommands(program: Command): void {
  addCommand(
    program,
    'init',
    'Create a store with schema, configuration, tokens and first records. The tokens are printed once.',
    'accession init data',
  )
    .argument('<directory>', 'the store directory, new or empty')
    .option('--collection <name>', 'the name of the collection', 'laboratory')
    .option('--schema <schema>', 'a path or URL; without it, an example to start from')
    .option('--demo', 'make the laboratory of the tutorials: many records, and tokens that are public')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./init.ts')).init));

  addServe(program);

  addCommand(
    program,
    'check',
    'Examine a store, explain what is wrong and repair what is safe. Examines the database, every record, schemas, ' +
      'files, references, zones, tokens, permissions, disk and clock. The service may run meanwhile. ' +
      'The exit status is 2 if there are errors.',
    'accession check data --fix',
  )
    .alias('doctor')
    .argument('<store>', ANY_STORE)
    .option('--records', 'find records that do not fit the schema of their collection, too')
    .option('--fix', 'repair what can be repaired without loss')
    .option('--all', 'print each finding, not the first 5 of a kind in an area')
    .option('--json', 'print one JSON object a line: severity, check, area, message, remedy')
    .action(runs(async () => (await import('./check/check.ts')).check));

  addCommand(
    program,
    'backup',
    'Write a store to one file. The service may run meanwhile: the database is copied as of one moment. The file is a ' +
      'compressed tar archive with a manifest of digests. It contains secrets. Files of record directories are not ' +
      'in it, since the service writes them from the database.',
    'accession backup data /backups/data-2026-11-22.tar.gz',
  )
    .argument('<store>', 'the store directory')
    .argument('<file>', 'a file outside of the store, which must not exist')
    .action(runs(async () => (await import('./backup.ts')).backup));

  addCommand(
    program,
    'restore',
    'Check every file of a backup and unpack it into a new store directory.',
    'accession restore /backups/data-2026-11-22.tar.gz data',
  )
    .argument('<file>', 'a backup')
    .argument('[store]', 'a directory that does not exist or is empty')
    .option('--verify', 'check the backup and unpack nothing')
    .action(runs(async () => (await import('./restore.ts')).restore));

  addCommand(
    program,
    'copy-store',
    'Copy a store from a directory to a PostgreSQL database, or back. Copies everything but the audit logs in git, as ' +
      'of one moment: configuration, records, revisions, entries, submissions and decisions.',
    'accession copy-store data postgresql://accession@db.example.org/accession',
  )
    .argument('<source>', ANY_STORE)
    .argument('<target>', 'the other one, which must be empty')
    .action(runs(async () => (await import('./copy-store.ts')).copyStore));

  addCommand(
    program,
    'follow',
    'Keep a store equal to the curated records of a running service, until a signal. It goes on where it was when it is ' +
      'run again. ACCESSION_TOKEN has a token with READ_CURATED or CURATOR. "accession serve STORE --read-only" serves the store.',
    'accession follow https://records.example.org copy',
  )
    .argument('<url>', 'the URL of the service')
    .argument('<store>', 'a directory that does not exist, is empty, or has followed before')
    .option('--collection <name>', 'only this one; may be repeated', collectValues)
    .option('--once', 'end when the store has all changes')
    .option('--log-level <level>', 'error, warning, info or debug', 'warning')
    .action(runs(async () => (await import('./follow.ts')).follow));

  const audit = addGroup(program, 'audit', 'Report the changes of curated records.');
  addCommand(
    audit,
    'report',
    'List the changes of the curated records of a collection, also while a service runs.',
    "accession audit report data laboratory 'labid:person-.*'",
  )
    .argument('<store>', ANY_STORE)
    .argument('<collection>', 'the name of the collection')
    .argument('[pattern]', 'a regular expression that matches whole pids; without it, all')
    .option('--json', 'print one JSON array, with records and differences as structures')
    .action(runs(async () => (await import('./audit.ts')).auditReport));

  addConfig(program);

  const check = "'accession check' examines a store.";
  addRemoved(program, {
    'check-pids': `${check} It lists pids without a prefix and references to missing records.`,
    'check-database': check,
    'rebuild-index': `The database needs no index beside it. ${check}`,
    completion: 'This release has no scripts for shells.',
    man: "'accession help COMMAND' explains each command.",
  });
  addRemoved(audit, { 'rebuild-index': `Reports come from the database. ${check}` });
}

function addServe(program: Command): void {
  const row = addCommand(
    program,
    'serve',
    'Run the service on a store directory, a database, or both. A store of dump-things-service or of an earlier ' +
      'release is imported first.',
    'accession serve data --port 8000 -c config.yaml',
  );
  addFormerLimits(row);
  addRemovedOptions(row, {
    '--max-requests-per-address': 'the limits of a proxy (docs/limits.md)',
    '--metrics-token-hash': 'the variable ACCESSION_METRICS_TOKEN, which holds the token',
  });
  row
    .argument('[store]', 'the store directory; not needed with --database-url')
    .option('--database-url <url>', 'the PostgreSQL database to use; also DATABASE_URL')
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .option('--port <port>', 'the port to listen on; 0 for a free one', wholeNumber(0, 65535), 8000)
    .option('-c, --config <file>', 'the configuration of a store that has none yet')
    .option('--ignore-default-config-file', 'do not read it from STORE/.dumpthings.yaml')
    .option(
      '--admin-token-hash <hash>',
      'SHA-256 of an admin token; ACCESSION_ADMIN_TOKEN holds the token itself',
    )
    .option(
      '--origins <origin>',
      'let browsers on this origin use the service; may be repeated',
      collectValues,
    )
    .option('--root-path <path>', 'the path below which a proxy offers the service')
    .option(
      '--trusted-proxies <subnet>',
      'believe X-Forwarded-* headers of proxies on other machines, such as 10.0.0.0/8; may be repeated',
      readSubnet,
    )
    .option('--memory <mb>', 'megabytes that the cache of pages may use (32)', wholeNumber(1, 1_000_000))
    .option('--keep-entries <days>', 'remove entries of changes that are older', wholeNumber(1, 999_999))
    .option(
      '--schema-map <url=folder>',
      'read schemas below the URL from a folder; may be repeated',
      collectValues,
    )
    .option(
      '--schema-hosts <host>',
      'read schemas from a host on this machine or link, and send webhooks to it; may be repeated',
      collectValues,
    )
    .addOption(choice('--log-format <format>', 'by default, text on a terminal', ['text', 'json']))
    .option('--log-level <level>', 'error, warning, info or debug', 'warning')
    .option('--log-file <file>', 'append the log to a file, which is opened again on SIGHUP')
    .option('--read-only', 'serve reads beside the service of STORE, or serve a copy of a folder of YAML')
    .option('--schema <schema>', 'with --read-only: the schema, if no .dumpthings.yaml names one')
    .option(
      '--limit <name=number>',
      `${Object.keys(LIMITS).join(', ')} (docs/limits.md); may be repeated`,
      readLimit,
    )
    .action(runs(async () => (await import('./serve.ts')).serve));
}

function addConfig(program: Command): void {
  const config = addGroup(
    program,
    'config',
    'Download, upload and compare configurations, and hash the secrets of tokens.',
  );
  const about = 'The admin token is ACCESSION_ADMIN_TOKEN, else ACCESSION_TOKEN or that of the login.';

  onService(
    config,
    'download',
    `Write the configuration of a running service to a file. ${about}`,
    'accession config download http://127.0.0.1:8000 -o config.yaml',
  )
    .option(
      '-e, --entities <kind>',
      'only collections, tokens or admin_tokens; may be repeated',
      collectValues,
    )
    .addOption(choice('-f, --format <format>', 'the format', ['yaml', 'json']).default('yaml'))
    .option('-o, --output <file>', 'a file; without it, the configuration is printed')
    .action(runs(async () => (await import('./config.ts')).configDownload));

  onService(
    config,
    'upload',
    `Create and change the configuration elements of a running service from a file. ${about}`,
    'accession config upload http://127.0.0.1:8000 config.yaml --dry-run',
  )
    .argument('<file>', 'a configuration of version 2')
    .option('--keep', 'leave elements that exist as they are')
    .option('--delete', 'delete elements that the file does not have')
    .option('-d, --dry-run', 'print what would change')
    .action(runs(async () => (await import('./config.ts')).configUpload));

  onService(
    config,
    'public',
    'Let everybody read the curated records of a collection of a running service, as pages and as data, or only ' +
      'tokens. Sets the mode of its default token. Requires an admin token.',
    'accession config public laboratory',
  )
    .argument('<collection>', 'a collection of the service')
    .option('--off', 'requests without a token may do nothing')
    .action(runs(async () => (await import('./config.ts')).configPublic));

  addCommand(
    config,
    'diff',
    'List the differences between two configurations by key, with secrets masked. The status is 2 if there are any.',
    'accession config diff config.yaml data',
  )
    .argument('<a>', 'a configuration file, a store directory, or the URL of a service')
    .argument('<b>', 'another one')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./config.ts')).configDiff));

  addCommand(
    config,
    'hash-token',
    'Print the SHA-256 of a secret. A token with "hashed: true" stores it. The secret is asked for, or read from ' +
      'standard input.',
    'accession config hash-token < secret.txt',
  ).action(runs(async () => (await import('./config.ts')).hashToken));
}
