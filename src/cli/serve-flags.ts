/** The flags of `accession serve`, apart from its code, so that the help does not load the service. */
import type { Flag } from './command.ts';

export const SERVE_FLAGS: Readonly<Record<string, Flag>> = {
  'database-url': {
    type: 'string',
    value: 'URL',
    help: 'the PostgreSQL database to use; also DATABASE_URL',
  },
  host: { type: 'string', value: 'HOST', default: '127.0.0.1', help: 'the address to listen on' },
  port: { type: 'string', value: 'PORT', default: '8000', help: 'the port to listen on; 0 for a free one' },
  config: {
    type: 'string',
    short: 'c',
    value: 'FILE',
    help: 'the configuration of a store that has none yet',
  },
  'ignore-default-config-file': { type: 'boolean', help: 'do not read it from STORE/.dumpthings.yaml' },
  'admin-token-hash': {
    type: 'string',
    value: 'HASH',
    help: 'SHA-256 of an admin token; ACCESSION_ADMIN_TOKEN holds it',
  },
  origins: {
    type: 'string',
    multiple: true,
    value: 'ORIGIN',
    help: 'let browsers on ORIGIN use the service',
  },
  memory: {
    type: 'string',
    value: 'MB',
    help: 'megabytes that the cache of pages may use (64)',
  },
  'keep-entries': {
    type: 'string',
    value: 'DAYS',
    help: 'remove entries of changes that are older (without it, all are kept)',
  },
  'schema-map': {
    type: 'string',
    multiple: true,
    value: 'URL=FOLDER',
    help: 'read schemas below URL from FOLDER',
  },
  'schema-hosts': {
    type: 'string',
    multiple: true,
    value: 'HOST',
    help: 'read schemas from HOST on this machine or link',
  },
  'root-path': { type: 'string', value: 'PATH', help: 'the path below which a proxy offers the service' },
  'log-format': {
    type: 'string',
    value: 'FORMAT',
    help: 'text for people, json for programs (text on a terminal, else json)',
  },
  'read-only': {
    type: 'boolean',
    help: 'serve reads beside the service of STORE, or serve a copy of a folder of YAML',
  },
  schema: {
    type: 'string',
    value: 'SCHEMA',
    help: 'with --read-only: the schema, if no .dumpthings.yaml names one',
  },
  'log-level': {
    type: 'string',
    value: 'LEVEL',
    default: 'warning',
    help: 'error, warning, info or debug',
  },
  'log-file': { type: 'string', value: 'FILE', help: 'append the log to FILE, opened again on SIGHUP' },
  'metrics-token-hash': {
    type: 'string',
    value: 'HASH',
    help: 'SHA-256 of a token that reads /-/metrics; ACCESSION_METRICS_TOKEN holds the token itself',
  },
  'max-requests': {
    type: 'string',
    rare: true,
    value: 'N',
    help: 'requests that are answered at the same time (256)',
  },
  'max-requests-per-token': {
    type: 'string',
    rare: true,
    value: 'N',
    help: 'requests with one token in a minute (any number)',
  },
  'max-requests-per-address': {
    type: 'string',
    rare: true,
    value: 'N',
    help: 'requests from one address in a minute (any number)',
  },
  'max-refused-tokens': {
    type: 'string',
    rare: true,
    value: 'N',
    help: 'refused tokens from one address in a minute; 0 for any number (100)',
  },
  'max-body-mib': {
    type: 'string',
    rare: true,
    value: 'N',
    help: 'MiB of a request body, at most 100 (10)',
  },
  'header-timeout': {
    type: 'string',
    rare: true,
    value: 'SECONDS',
    help: 'time for the headers of a request (20)',
  },
  'request-timeout': {
    type: 'string',
    rare: true,
    value: 'SECONDS',
    help: 'time for a request with its body (300)',
  },
};
