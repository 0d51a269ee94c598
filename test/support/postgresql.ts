/**
 * A PostgreSQL server for tests. Uses `ACCESSION_TEST_DATABASE_URL` if it is set; otherwise starts a server of the
 * installed release in a temporary directory, on a Unix socket and a free port of 127.0.0.1.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { openPostgresqlDatabase } from '../../src/core/storage/postgresql/postgresql.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

export type TestServer = {
  /** The URL of the administrative database. */
  readonly url: string;
  /**
   * Creates a database and returns its URL.
   *
   * @param directory where its tables are, owned by the server's user
   * @param template the URL of one that is copied and that no client uses, instead of an empty one
   */
  createDatabase(directory?: string, template?: string): Promise<string>;
  /** Stops the server without letting it finish anything, as a crash does. Not for a server given by its URL. */
  stopNow(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

/** Whether tests can stop the server: they have started it. */
export const ownServer = process.env.ACCESSION_TEST_DATABASE_URL === undefined;

/** Settings under which nothing waits for the disk; durability tests start a server without them. */
const FAST = ['-c', 'fsync=off', '-c', 'full_page_writes=off'];

type ServerOptions = {
  /** Whether commits wait for the disk. */
  readonly durable?: boolean;
  /** Further settings, as `name=value`. */
  readonly settings?: readonly string[];
  /** Where the log of its transactions is, instead of in its own directory. */
  readonly logDirectory?: string;
  /** Whether the server ends with this process and leaves nothing behind, without being closed. */
  readonly fleeting?: boolean;
  /** A server of which this one becomes a hot standby. */
  readonly standbyOf?: TestServer;
};

export async function startPostgresql(options: ServerOptions = {}): Promise<TestServer> {
  const given = process.env.ACCESSION_TEST_DATABASE_URL;
  if (given !== undefined) {
    const refuse = async () => {
      throw new Error('the server of ACCESSION_TEST_DATABASE_URL is not started by the tests');
    };
    const { createDatabase, drop } = databases(given);
    return { url: given, createDatabase, stopNow: refuse, start: refuse, close: drop };
  }
  const bin = binaries();
  const folder = mkdtempSync(
    join(!options.durable && existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'accession-postgresql-'),
  );
  const user = unprivilegedUser();
  giveToServer(folder);
  const data = join(folder, 'data');
  const { logDirectory } = options;
  if (logDirectory) giveToServer(logDirectory);
  const [program, args] = options.standbyOf
    ? ([
        'pg_basebackup',
        ['-d', options.standbyOf.url, '-D', data, '-c', 'fast', '-X', 'stream', '-R', '--no-sync'],
      ] as const)
    : ([
        'initdb',
        [
          ...['-D', data, '-U', 'accession', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
          ...(logDirectory ? [`--waldir=${logDirectory}`, '--wal-segsize=1'] : []),
        ],
      ] as const);
  const init = spawnSync(join(bin, program), args, { ...user, cwd: folder, encoding: 'utf8' });
  if (init.status !== 0) throw new Error(`${program} failed: ${init.stderr}${init.error ?? ''}`);
  const port = await freePort();
  const url = `postgresql://accession@127.0.0.1:${port}/postgres`;
  const settings = [
    ...['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'],
    ...['-c', 'max_connections=200', '-c', 'shared_buffers=64MB'],
    ...(options.durable ? [] : FAST),
    ...(options.settings ?? []).flatMap((setting) => ['-c', setting]),
  ];
  let server: ChildProcess | undefined;

  /** The shell stops the server when its standard input ends: also if the tests are killed. */
  const start = async () => {
    const script =
      'exec 3<&0; "$0" "$@" </dev/null 3<&- & server=$!; (cat <&3; kill -QUIT $server 2>/dev/null) & wait $server' +
      (options.fleeting ? `; rm -rf '${folder}'` : '');
    const child = spawn('sh', ['-c', script, join(bin, 'postgres'), ...settings], {
      ...user,
      cwd: folder,
      stdio: ['pipe', 'ignore', process.env.ACCESSION_TEST_DATABASE_LOG ? 'inherit' : 'ignore'],
    });
    server = child;
    if (options.fleeting) {
      child.unref();
      (child.stdin as Socket | null)?.unref();
    }
    await answering(url);
  };
  const stopNow = async () => {
    const child = server;
    server = undefined;
    if (!child || child.exitCode !== null) return;
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.stdin?.end();
    await exit;
  };
  await start();
  return {
    url,
    createDatabase: databases(url).createDatabase,
    start,
    stopNow,
    close: async () => {
      await stopNow();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Databases that this process has made. */
let count = 0;

let fleeting: Promise<TestServer> | undefined;

/** An empty database, or a copy of another one, on the server that all tests of a run share, or else on one that ends with this process. */
export async function ownDatabase(template?: string): Promise<string> {
  const ofRun = process.env.ACCESSION_TEST_RUN_DATABASE_URL;
  if (ofRun !== undefined) return databases(ofRun).createDatabase(undefined, template);
  fleeting ??= startPostgresql({ fleeting: true });
  return (await fleeting).createDatabase(undefined, template);
}

let withTables: Promise<string> | undefined;

/** A database with empty tables, copied from one: that takes a quarter of the time of making them. */
export async function databaseWithTables(): Promise<string> {
  withTables ??= ownDatabase().then(async (url) => {
    await (await openPostgresqlDatabase(url)).close();
    return url;
  });
  return ownDatabase(await withTables);
}

function databases(url: string) {
  const made: string[] = [];
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  return {
    createDatabase: async (directory?: string, template?: string) => {
      count += 1;
      const name = `accession_test_${process.pid}_${count}_${Date.now().toString(36)}`;
      if (directory) await run(`CREATE TABLESPACE ${name} LOCATION '${directory}'`);
      const copied = template ? `TEMPLATE ${new URL(template).pathname.slice(1)}` : '';
      await run(`CREATE DATABASE ${name} ${copied} ${directory ? `TABLESPACE ${name}` : ''}`);
      made.push(name);
      const address = new URL(url);
      address.pathname = `/${name}`;
      return address.href;
    },
    drop: async () => {
      for (const name of made) await run(`DROP DATABASE IF EXISTS ${name}`);
    },
  };
}

/** The directory of the newest installed server. */
function binaries(): string {
  const [newest] = globSync('/usr/lib/postgresql/*/bin/postgres')
    .concat(
      globSync('/usr/local/opt/postgresql*/bin/postgres'),
      globSync('/opt/homebrew/opt/postgresql*/bin/postgres'),
    )
    .toSorted((a, b) => releaseOf(b) - releaseOf(a));
  const program =
    newest ?? spawnSync('sh', ['-c', 'command -v postgres'], { encoding: 'utf8' }).stdout.trim();
  if (!program) {
    throw new Error(
      'PostgreSQL is not installed: install the package postgresql or set ACCESSION_TEST_DATABASE_URL',
    );
  }
  return join(program, '..');
}

const releaseOf = (path: string) => Number(/(\d+)/.exec(path)?.[1] ?? 0);

/** Lets the server write into a directory. */
export function giveToServer(directory: string): void {
  const user = unprivilegedUser();
  if (user) chownSync(directory, user.uid, user.gid);
}

/** The server refuses to run as root, so root runs it as the user that the package has created. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function answering(url: string): Promise<void> {
  await eventually('an answer of the server', async () => {
    const client = new pg.Client({ connectionString: url });
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  });
}

/** Waits for the server to end what killed processes have sent: a commit may still come. */
export async function requireSettled(database: string): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const others =
      'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
    while ((await client.query(others)).rows.length > 0) await pause(5);
  } finally {
    await client.end();
  }
}
